package fit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/partwise/partwise/phasetype"
)

// MAP is the family of Markovian arrival processes, which [Arrivals] fits.
const MAP Family = "map"

// ERCHMM is the form of the fitted processes: a Markov chain whose state selects one of several Erlang distributions.
// With two phases, the form contains all Markov-modulated Poisson processes with two rates: the eigenvectors of D0 make
// D0 diagonal, and D1 stays nonnegative.
const ERCHMM = "er-chmm"

// ArrivalCandidate is one fitted arrival process with its scores.
type ArrivalCandidate struct {
	Fitted // scores of the sequence, which begins after an arrival; KS compares the times without their order
	MAP    phasetype.MAP
	Lags   []Pair // correlations at lags 1 to 10
}

// Arrivals fits Markovian arrival processes of MinPhases to MaxPhases phases to interarrival times by maximum
// likelihood. The times are given in the order of the arrivals. It returns one candidate for each order, in the unit of
// the times, the best by the criterion BIC or AIC first. With one phase it is the Poisson process. The options Families
// and Own are not used.
//
// The error is
//   - a *[SampleError] if s is empty, has a negative or infinite value, or does not hold every time exactly. Then it
//     has weights, lower bounds, intervals, truncated times, zeros without a resolution of the clock, or is the summary
//     of a [Sketch],
//   - an *[OptionError] if an option has a wrong value,
//   - an error that wraps a *[parallel.LimitError] if the fit needs more than Memory,
//   - a *[CandidateError] if a process cannot be represented in floating-point numbers, or if the data are impossible
//     under it,
//   - the error of ctx.
//
// Reference: H. Okamura, T. Dohi, Faster maximum likelihood estimation algorithms for Markovian arrival processes,
// Proc. QEST (2009) 73–82.
func Arrivals(ctx context.Context, s Sample, o Options) ([]ArrivalCandidate, error) {
	return during(ctx, func() ([]ArrivalCandidate, error) { return arrivals(ctx, s, o) })
}

// arrivals returns the candidates and the error of [Arrivals], one candidate for each order, the best by o.Criterion
// first. o.Families and o.Own are ignored. If ctx ends, the candidates may be incomplete; [Arrivals] drops them.
func arrivals(ctx context.Context, s Sample, o Options) ([]ArrivalCandidate, error) {
	o.Families, o.Own = nil, nil
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if o, err = o.forSample(s, bytesPerAscent(o.MaxPhases)); err != nil {
		return nil, err
	}
	seq, err := newSequence(ctx, s)
	if err != nil {
		return nil, err
	}
	var all []ArrivalCandidate
	var best reached[chainPoint]
	start := time.Now()
	for m := 1; m <= o.MaxPhases; m++ {
		if best, err = seq.fitBranches(ctx, m, best, o); err != nil {
			return nil, err
		}
		if m < o.MinPhases {
			continue
		}
		c, err := seq.candidate(ctx, m, best)
		if err != nil {
			return nil, err
		}
		c.Seconds = time.Since(start).Seconds()
		start = time.Now()
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b ArrivalCandidate) int { return a.compare(b.Fitted, o.Criterion) })
	return all, nil
}

// sequence is a series of interarrival times in order, in scaled time, with equal times stored once.
type sequence struct {
	values     []bin // distinct, ascending
	at         []int // index into values
	resolution float64
	scale      float64
	lags       []float64
	coarse     *sequence // the times in bins, for all but the last steps; the sequence itself if it has few distinct times
	marginal   *problem  // the times as a sample without order
}

const lags = 10

// newSequence returns the times of s as a sequence: the distinct times, ascending and scaled, the index of the time of
// each arrival among them, and the lag correlations. s stays unchanged. The error is a *[SampleError] if s has more
// than a million times, so that it is the summary of a [Sketch]. It is also a *[SampleError] if s is not a sequence of
// known times: with weights, lower bounds, intervals, truncation, or zeros without a resolution, or if s is empty or
// has a value out of range. Otherwise the error comes from ctx.
func newSequence(ctx context.Context, s Sample) (*sequence, error) {
	switch {
	case s.sketch != nil:
		return nil, &SampleError{"values", -1, fmt.Sprintf(
			"there are more than %d, which is the longest sequence that can be fitted", maxKept)}
	case s.Weights != nil:
		return nil, &SampleError{"weights", -1, "arrivals cannot be weighted"}
	case s.Censored != nil:
		return nil, &SampleError{"censored", -1, "interarrival times must be known exactly"}
	case s.Upper != nil:
		return nil, &SampleError{"upper", -1, "interarrival times must be known exactly"}
	case s.Truncated != nil:
		return nil, &SampleError{"truncated", -1, "all arrivals must have been observed"}
	}
	p, err := newProblem(ctx, s, Options{})
	if err != nil {
		return nil, err
	}
	if p.zeros > 0 {
		return nil, &SampleError{"values", -1, fmt.Sprintf(
			"%d are zero, for arrivals at the same time; give the resolution of the clock", p.zeros)}
	}
	q := &sequence{resolution: p.r, scale: p.scale, marginal: p, at: make([]int, len(s.Values))}
	for i, pt := range p.points {
		if stopped(ctx, i) {
			return nil, ctx.Err()
		}
		q.values = append(q.values, bin{
			x: pt.x, log: math.Log(pt.x), w: pt.observed, lo: max(0, pt.x-p.r/2), hi: pt.x + p.r/2, width: p.r,
		})
	}
	for i, x := range s.Values {
		if stopped(ctx, i) {
			return nil, ctx.Err()
		}
		x /= q.scale
		q.at[i] = sort.Search(len(q.values), func(k int) bool { return q.values[k].x >= x })
	}
	q.correlate(ctx)
	q.coarse = q.grouped(ctx)
	return q, ctx.Err()
}

// correlate sets q.lags, the lag correlations of the sequence of n times x_i with mean x̄. Entry k−1 is Σ_i (x_i −
// x̄)·(x_{i−k} − x̄)/Σ_i (x_i − x̄)², for k from 1 to the smaller of 10 and n−2. If all times are equal, the
// correlations are not defined, and q.lags stays empty. If ctx ends, some are missing.
func (q *sequence) correlate(ctx context.Context) {
	if len(q.values) == 1 {
		return
	}
	n := float64(len(q.at))
	var mean, square float64
	for i, v := range q.at {
		if stopped(ctx, i) {
			return
		}
		mean += q.values[v].x / n
	}
	for i, v := range q.at {
		if stopped(ctx, i) {
			return
		}
		d := q.values[v].x - mean
		square += d * d
	}
	for k := 1; k <= lags && k < len(q.at)-1; k++ {
		var sum float64
		for i := k; i < len(q.at); i++ {
			if stopped(ctx, i) {
				return
			}
			sum += (q.values[q.at[i]].x - mean) * (q.values[q.at[i-k]].x - mean)
		}
		q.lags = append(q.lags, sum/square)
	}
}

// grouped returns the sequence with a bin of fineBins, 16 per octave, in place of each time, or q itself if this does
// not halve the number of distinct times. A pass over the bins takes far fewer exponential functions.
func (q *sequence) grouped(ctx context.Context) *sequence {
	bins := q.marginal.bins(ctx, fineBins)
	if len(bins) > len(q.values)/2 || ctx.Err() != nil {
		return q
	}
	binOf := make([]int, 0, len(q.values))
	for b, x := range bins {
		for w := 0.0; w < x.w; w += q.values[len(binOf)-1].w { // weights are numbers of times
			binOf = append(binOf, b)
		}
	}
	c := *q
	c.values, c.at = bins, make([]int, len(q.at))
	for t, v := range q.at {
		c.at[t] = binOf[v]
	}
	return &c
}

// candidate returns the fit best of m phases as a candidate in the unit of the data. In its process every branch may
// follow every other; see [branchChain.irreducible]. The candidate has the scores of the fit, and a warning if it did
// not converge. It has the lag correlations of the data and of the process. The caller sets Seconds. The error is a
// *[CandidateError] if the process is out of the range of floating-point numbers or the data are impossible. If ctx
// ends, candidate and error are meaningless.
func (q *sequence) candidate(ctx context.Context, m int, best reached[chainPoint]) (ArrivalCandidate, error) {
	chain := best.at.irreducible()
	process, err := chain.arrivals(q.scale)
	if err != nil {
		return ArrivalCandidate{}, &CandidateError{ERCHMM, m, err}
	}
	o := newChainObjective(q, chain.shapes)
	o.at = chain
	mean := q.marginal.inUnitOfData(o.mean(ctx))
	ks := q.marginal.goodness(ctx, process.Interarrival()).KS
	s := solution{phases: m, parameters: chain.parameters(), mean: mean, iterations: best.steps, converged: best.converged}
	fitted, err := q.marginal.fitted(ERCHMM, s, ks)
	c := ArrivalCandidate{Fitted: fitted, MAP: process}
	for k, r := range q.lags {
		c.Lags = append(c.Lags, Pair{float64(k + 1), r, process.LagCorrelation(k + 1)})
	}
	return c, err
}

// starts returns a chain to start an ascent from for each partition of m phases into at most five Erlang branches. At
// most 400 partitions are taken, in the order of [partitions]: the longest first branch comes first. A log cannot tell
// the jumps of more branches apart. When ctx ends, the list is incomplete.
func (q *sequence) starts(ctx context.Context, m int) []branchChain {
	const branches = 5
	var starts []branchChain
	partitions(m, branches, func(shapes []int) {
		if len(starts) < maxPartitions && ctx.Err() == nil {
			starts = append(starts, q.branchStart(shapes))
		}
	})
	return starts
}

// branchStart returns a chain of Erlang branches with the given numbers of phases, shapes, to start an ascent from. The
// sorted times are cut at quantiles into one part for each branch. The weight w of a branch is the share of its part,
// and its mean is near the mean of the part. Branch i follows any branch with probability 0.7·w_i, plus 0.3 if it is
// the same branch.
func (q *sequence) branchStart(shapes []int) branchChain {
	e := q.marginal.erlangMixtures(q.values)
	mix := e.quantileStart(shapes)
	n := len(shapes)
	c := branchChain{shapes, mix.rates, make([]float64, n*n)}
	for b := range n {
		for to := range n {
			c.jump[b*n+to] = 0.7 * mix.weights[to]
		}
		c.jump[b*n+b] += 0.3
	}
	return c
}
