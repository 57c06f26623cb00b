package fit

import (
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/partwise/partwise/phasetype"
)

// MAP is the family of Markovian arrival processes, which [Arrivals] fits.
const MAP Family = "map"

// The forms of arrival processes.
const (
	ERCHMM = "er-chmm" // a Markov chain that chooses the next of several Erlang distributions
	MMPP2  = "mmpp2"   // a Poisson process whose rate jumps between two values
)

// ArrivalCandidate is one fitted arrival process with its scores.
type ArrivalCandidate struct {
	Form              string // [ERCHMM] or [MMPP2]
	Phases            int
	MAP               phasetype.MAP
	LogLikelihood     float64 // of the sequence, the first time beginning with an arrival
	MeanLogLikelihood float64
	DegreesOfFreedom  int
	AIC, BIC          float64
	KS                float64 // of the times, whatever their order
	Iterations        int
	Converged         bool
	Likelihood        string // "density", or "interval" for rounded values
	Samples           int
	Seconds           float64
	Lags              []LagPair // correlations at lags 1 to 10
	Warnings          []error
}

// LagPair is the correlation of times that lie Lag apart, of the data beside that of the fit.
type LagPair struct {
	Lag       int
	Data, Fit float64
}

// Arrivals fits arrival processes of MinPhases to MaxPhases phases to times between arrivals in the order in which
// they came, and returns one candidate for each form and order, best first by the criterion BIC or AIC. With one phase
// it is the Poisson process.
//
// The error is a *[SampleError] if s is not a sequence of times, which knows no weights, flags or intervals, or holds
// zeros without a resolution; an *[OptionError] if o asks for what is not there.
//
// References: H. Okamura, T. Dohi, Faster maximum likelihood estimation algorithms for Markovian arrival processes,
// Proc. QEST (2009) 73–82; T. Rydén, An EM algorithm for estimation in Markov-modulated Poisson processes, Comput.
// Statist. Data Anal. 21 (1996) 431–447.
func Arrivals(s Sample, o Options) ([]ArrivalCandidate, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	o.Families = nil
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if o.Criterion == CV {
		return nil, &OptionError{"criterion", "a sequence cannot be cut into random folds; use bic or aic"}
	}
	seq, err := newSequence(s)
	if err != nil {
		return nil, err
	}
	var all []ArrivalCandidate
	for m := o.MinPhases; m <= o.MaxPhases; m++ {
		start := time.Now()
		c, err := seq.fitBranches(m, o)
		if err != nil {
			return nil, err
		}
		c.Seconds = time.Since(start).Seconds()
		all = append(all, c)
		if m != 2 {
			continue
		}
		start = time.Now()
		if c, err = seq.fitTwoStates(o); err != nil {
			return nil, err
		}
		c.Seconds = time.Since(start).Seconds()
		all = append(all, c)
	}
	sort.SliceStable(all, func(i, j int) bool {
		if o.Criterion == AIC {
			return all[i].AIC < all[j].AIC
		}
		return all[i].BIC < all[j].BIC
	})
	return all, nil
}

// sequence is a series of times in order, of which equal ones are kept once.
type sequence struct {
	values     []bin // distinct, rising
	at         []int // index into values
	resolution float64
	scale      float64
	lags       []float64
	marginal   *problem // the times without their order
}

const lags = 10

func newSequence(s Sample) (*sequence, error) {
	switch {
	case s.sketch != nil:
		return nil, &SampleError{"values", -1, fmt.Sprintf("more than %d, which is the longest sequence that is kept", maxKept)}
	case s.Weights != nil:
		return nil, &SampleError{"weights", -1, "an arrival has no weight"}
	case s.Censored != nil:
		return nil, &SampleError{"censored", -1, "the times between arrivals must be known"}
	case s.Upper != nil:
		return nil, &SampleError{"upper", -1, "the times between arrivals must be known"}
	case s.Truncated != nil:
		return nil, &SampleError{"truncated", -1, "no arrival can be hidden"}
	}
	p, err := newProblem(s, Options{})
	if err != nil {
		return nil, err
	}
	if p.zeros > 0 {
		return nil, &SampleError{"values", -1, fmt.Sprintf(
			"%d are zero, arrivals at the same time; give the resolution of the clock", p.zeros)}
	}
	q := &sequence{resolution: p.r, scale: p.scale, marginal: p, at: make([]int, len(s.Values))}
	for _, pt := range p.points {
		q.values = append(q.values, bin{x: pt.x, log: math.Log(pt.x), w: pt.observed, lo: max(0, pt.x-p.r/2), hi: pt.x + p.r/2,
			width: p.r})
	}
	for i, x := range s.Values {
		x /= q.scale
		q.at[i] = sort.Search(len(q.values), func(k int) bool { return q.values[k].x >= x })
	}
	q.correlate()
	return q, nil
}

// correlate finds the lag correlations of the data, as far as there are enough values.
func (q *sequence) correlate() {
	n := float64(len(q.at))
	var mean, square float64
	for _, v := range q.at {
		mean += q.values[v].x / n
	}
	for _, v := range q.at {
		d := q.values[v].x - mean
		square += d * d
	}
	for k := 1; k <= lags && k < len(q.at)-1 && square > 0; k++ {
		var sum float64
		for i := k; i < len(q.at); i++ {
			sum += (q.values[q.at[i]].x - mean) * (q.values[q.at[i-k]].x - mean)
		}
		q.lags = append(q.lags, sum/square)
	}
}

// candidate scores a process.
func (q *sequence) candidate(form string, m phasetype.MAP, mean float64, df int) ArrivalCandidate {
	n := float64(len(q.at))
	if q.resolution == 0 {
		mean -= math.Log(q.scale)
	}
	c := ArrivalCandidate{
		Form: form, Phases: m.Phases(), MAP: m, LogLikelihood: mean * n, MeanLogLikelihood: mean, DegreesOfFreedom: df,
		AIC: 2*float64(df) - 2*mean*n, BIC: float64(df)*math.Log(n) - 2*mean*n,
		Likelihood: "density", Samples: len(q.at), KS: q.marginal.goodness(m.Interarrival()).KS,
	}
	if q.resolution > 0 {
		c.Likelihood = "interval"
	}
	for k, r := range q.lags {
		c.Lags = append(c.Lags, LagPair{k + 1, r, m.LagCorrelation(k + 1)})
	}
	return c
}

// chains fits Markov chains of Erlang branches with m phases in all, of whatever shapes.
func (q *sequence) fitBranches(m int, o Options) (ArrivalCandidate, error) {
	const branches = 5 // more have more jumps than a log can tell apart
	total := float64(len(q.at))
	var starts []branchChain
	partitions(m, branches, func(shapes []int) {
		if len(starts) < maxPartitions {
			starts = append(starts, q.branchStart(shapes, total))
		}
	})
	steps := o.MaxIter
	if steps == 0 {
		steps = 2000
	}
	climb := func(from []fittedChain, n int, tolerance float64) []fittedChain {
		out := make([]fittedChain, len(from))
		parallel(o.Workers, len(from), func() func(int) {
			a := &branchAscent{seq: q}
			return func(i int) {
				out[i] = a.runEM(from[i].branchChain, n, tolerance)
				out[i].steps += from[i].steps
			}
		})
		sort.SliceStable(out, func(i, j int) bool { return out[i].mean > out[j].mean })
		return out
	}
	field := make([]fittedChain, len(starts))
	for i, s := range starts {
		field[i].branchChain = s
	}
	field = climb(field, min(30, steps), 1e-7)
	field = climb(field[:min(3, len(field))], steps, max(o.Tolerance, 1e-9))
	best := field[0]
	process, err := best.irreducible().arrivals(q.scale)
	if err != nil {
		return ArrivalCandidate{}, fmt.Errorf("fit: %s with %d phases: %w", ERCHMM, m, err)
	}
	c := q.candidate(ERCHMM, process, q.scoreChain(best.branchChain.irreducible(), process), best.parameters())
	c.Iterations, c.Converged = best.steps, best.converged
	if !c.Converged {
		c.Warnings = []error{fmt.Errorf("fit: %s with %d phases did not converge in %d steps of EM", ERCHMM, m, best.steps)}
	}
	return c, nil
}

// start cuts the times at quantiles, one part for each branch; a branch is likely to be followed by itself.
func (q *sequence) branchStart(shapes []int, total float64) branchChain {
	e := &erlangMixtures{bins: q.values, total: total}
	mix := e.quantileStart(shapes)
	n := len(shapes)
	c := branchChain{shapes, mix.rates, append([]float64(nil), mix.weights...), make([]float64, n*n)}
	for b := range n {
		for to := range n {
			c.jump[b*n+to] = 0.7 * mix.weights[to]
		}
		c.jump[b*n+b] += 0.3
	}
	return c
}

// scoreChain returns the likelihood from the branch that an arrival finds, instead of from a first one of choice.
func (q *sequence) scoreChain(c branchChain, process phasetype.MAP) float64 {
	c = c.clone()
	after := process.AfterArrival()
	at := 0
	for b, k := range c.shapes {
		c.first[b] = after[at]
		at += k
	}
	return (&branchAscent{seq: q}).step(c)
}

// modulated fits the Poisson process of two rates.
func (q *sequence) fitTwoStates(o Options) (ArrivalCandidate, error) {
	evals := o.MaxIter
	if evals == 0 {
		evals = 300
	}
	type run struct {
		p twoState
		d *descent
	}
	var starts []twoState
	var mean float64
	for _, v := range q.at {
		mean += q.values[v].x / float64(len(q.at))
	}
	for _, apart := range []float64{2, 10} {
		for _, stay := range []float64{0.5, 10, 200} { // arrivals during a stay
			r := 1 / mean
			starts = append(starts, twoState{[2]float64{r / stay, r / stay}, [2]float64{r / apart, r * apart}})
		}
	}
	climb := func(from []twoState, n int) []run {
		out := make([]run, len(from))
		parallel(o.Workers, len(from), func() func(int) {
			a := newTwoStateAscent(q)
			return func(i int) { out[i].p, out[i].d = a.ascend(from[i], n, o.Tolerance) }
		})
		sort.SliceStable(out, func(i, j int) bool { return out[i].d.f < out[j].d.f })
		return out
	}
	first := climb(starts, min(12, evals))
	found := climb([]twoState{first[0].p, first[1].p}, evals)
	best := found[0]
	process, err := best.p.arrivals(q.scale)
	if err != nil {
		return ArrivalCandidate{}, fmt.Errorf("fit: %s: %w", MMPP2, err)
	}
	if math.IsInf(best.d.f, 1) {
		return ArrivalCandidate{}, fmt.Errorf("fit: %s: the data are impossible under the fit", MMPP2)
	}
	c := q.candidate(MMPP2, process, -best.d.f, twoStateParameters)
	c.Iterations, c.Converged = best.d.evals, best.d.converged
	if !c.Converged {
		c.Warnings = []error{fmt.Errorf("fit: %s did not converge in %d iterations", MMPP2, best.d.evals)}
	}
	return c, nil
}
