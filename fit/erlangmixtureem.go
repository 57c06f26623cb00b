package fit

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"

	"github.com/partwise/partwise/fit/internal/elementary"
)

// erlangMixtures fits mixtures by EM. For a value x and branch b with shape k and rate r, the responsibility is
//
//	q_b ∝ weights[b]·f_b(x),  f_b(x) = r^k·x^(k−1)·exp(−r·x)/(k−1)!,
//
// and the next iterate is
//
//	weights[b] = Σ q_b/(weight of the sample),   rates[b] = k·Σ q_b/Σ q_b·E[X | observation, branch b].
//
// For an interval or a lower bound, f_b is the probability of the observation and the expectation is a conditional mean.
// Both are ratios of incomplete gamma functions.
//
// Reference: A. Thümmler, P. Buchholz, M. Telek, A novel approach for phase-type fitting with the EM algorithm, IEEE
// Trans. Dependable Secure Comput. 3 (2006) 245–258.
type erlangMixtures struct {
	bins     []bin
	rounded  bool
	narrow   float64 // relative width below which an interval counts as the density in its middle times its width
	total    float64
	logs     []float64 // scratch, by branch, like all that follow
	constant []float64
	powers   []float64 // shapes less one
	means    []float64
	q, qx    []float64 // results of the last E-step: Σ q_b and Σ q_b·E[X | observation, b]

	overQ, overX []float64 // as q and qx, for the truncation times, as if each were a lower bound
	observable   []float64 // log P(X > hi) of each truncated bin
}

// runEM returns where EM leads from the mixture m, within the effort by: a bound on the steps, and a tolerance of the
// gain of a step. The shapes stay. No step decreases the likelihood. m stays as it is. If ctx ends, the result is the
// best point so far, and converged is false.
func (e *erlangMixtures) runEM(ctx context.Context, m mixture, by effort) reached[mixture] {
	return expectationMaximisation(ctx, m, by, func(at mixture) (float64, mixture) {
		next := at.clone()
		return e.step(ctx, next), next
	})
}

// step returns the mean log-likelihood of m and overwrites the weights and rates of m with the next iterate of EM. The
// weight of a branch becomes its share of the sample, completed by the times that truncation hid. Its rate becomes its
// shape divided by the mean of its share. A branch to which no time is attributed gets the weight 0 and keeps its rate.
// If ctx ends, it returns −Inf and leaves m.
func (e *erlangMixtures) step(ctx context.Context, m mixture) float64 {
	mean := e.expect(ctx, m)
	if math.IsInf(mean, -1) && ctx.Err() != nil {
		return mean
	}
	complete := e.completeSample(m)
	for b, k := range m.shapes {
		m.weights[b] = e.q[b] / complete
		if e.qx[b] > 0 {
			m.rates[b] = float64(k) * e.q[b] / e.qx[b]
		}
	}
	return mean
}

// expect makes the E-step for the mixture m and returns the mean log-likelihood of m. It sets e.q, the weight of the
// observations that is attributed to each branch, and e.qx, this weight times the mean time of the branch. e.overQ and
// e.overX are the same for the truncation times, as if each were a lower bound. The gradient subtracts them, because
// the density of a truncated observation is divided by P(X > hi). e.observable gets log P(X > hi) for each truncated
// bin, which ends at hi. The gradient and the next step of EM follow from these results. The result is −Inf if ctx is
// done, and NaN if weights or rates are NaN. Observations that no branch can give are left out.
func (e *erlangMixtures) expect(ctx context.Context, m mixture) float64 {
	e.allocate(len(m.shapes))
	for b, k := range m.shapes {
		e.constant[b] = math.Log(m.weights[b]) + float64(k)*math.Log(m.rates[b]) - logFactorials[k-1]
		e.powers[b] = float64(k - 1)
	}
	var sum float64
	for i := range e.bins {
		if i%binChunk == 0 && ctx.Err() != nil {
			return math.Inf(-1)
		}
		x := &e.bins[i]
		if x.kind == valueBin && !e.rounded {
			sum += e.addValue(x, m.rates)
			continue
		}
		at := x
		if x.kind == truncatedBin {
			at = x.above()
		}
		top := math.Inf(-1)
		for b, k := range m.shapes {
			lp, mean := erlangInterval(at, k, m.rates[b], e.narrow)
			e.logs[b], e.means[b] = math.Log(m.weights[b])+lp, mean
			top = max(top, e.logs[b])
		}
		if math.IsInf(top, -1) {
			if x.kind == truncatedBin {
				e.observable = append(e.observable, top)
			}
			continue
		}
		// logs become the probabilities of the branches given the observation, up to their sum s.
		var s float64
		for b, l := range e.logs {
			e.logs[b] = math.Exp(l - top)
			s += e.logs[b]
		}
		logP, sums, moments := top+math.Log(s), e.q, e.qx
		if x.kind == truncatedBin { // the density of an observed time is divided by P(X > hi)
			sums, moments = e.overQ, e.overX
			e.observable = append(e.observable, logP)
			logP = -logP
		}
		sum += x.w * logP
		for b, l := range e.logs {
			q := x.w * l / s
			sums[b] += q
			moments[b] += q * e.means[b]
		}
	}
	return sum / e.total
}

// completeSample adds the times that truncation hid to e.q and e.qx, and returns the weight of the completed sample.
// [erlangMixtures.expect] for the mixture m must have set both, and e.observable. For each observation with the
// truncation time hi, P(X ≤ hi)/P(X > hi) times were hidden, at most e^500 on each branch.
func (e *erlangMixtures) completeSample(m mixture) (weight float64) {
	weight = e.total
	truncated := e.bins[len(e.bins)-len(e.observable):]
	for i := range truncated {
		x := &truncated[i]
		for b, k := range m.shapes {
			logP, mean := erlangInterval(x, k, m.rates[b], e.narrow)
			hidden := x.w * math.Exp(min(math.Log(m.weights[b])+logP-e.observable[i], mostHidden))
			e.q[b] += hidden
			e.qx[b] += hidden * mean
			weight += hidden
		}
	}
	return weight
}

// above returns the event that a time exceeds the end hi of a truncated bin. It is a new bin without a weight: a lower
// bound at hi. An observed time is conditional on this event.
func (x *bin) above() *bin { return &bin{x: x.hi, kind: censoredBin} }

// addValue adds the responsibilities of an exactly known value x to e.q and e.qx, for branches with the given rates:
// the weight of the bin, divided among the branches by their probability given x. It returns the logarithm of the
// density of the value, times the weight of the bin. If no branch can give the value, it adds nothing and returns 0, or
// NaN if weights or rates are NaN.
//
// [erlangMixtures.expect] must have set e.constant and e.powers for the mixture; e.logs is scratch. Nearly all bins are
// exactly known values. The likeliest branch needs no exponential function, so that a value takes one function for each
// other branch.
func (e *erlangMixtures) addValue(x *bin, rates []float64) float64 {
	logs, constant, powers := e.logs[:len(rates)], e.constant[:len(rates)], e.powers[:len(rates)]
	top, likeliest := math.Inf(-1), -1
	for b, r := range rates {
		l := constant[b] + powers[b]*x.log - r*x.x
		if logs[b] = l; l > top {
			top, likeliest = l, b
		}
	}
	if likeliest < 0 { // the value is impossible, or weights or rates are NaN
		if floats.HasNaN(logs) {
			return math.NaN()
		}
		return 0
	}
	s := 0.0
	for b, l := range logs {
		relative := 1.0
		if b != likeliest {
			relative = elementary.Exp(l - top)
		}
		logs[b] = relative
		s += relative
	}
	sums, moments, share := e.q[:len(logs)], e.qx[:len(logs)], x.w/s
	for b, l := range logs {
		q := l * share
		sums[b] += q
		moments[b] += q * x.x
	}
	return x.w * (top + elementary.Log(s))
}

// narrowWidth is a relative width of an interval. Below it, density times width is more accurate than a difference of
// distribution functions.
const narrowWidth = 1e-7

// mostHidden is the largest logarithm of the number of hidden times for each truncated observation. It keeps the
// completed sample finite.
const mostHidden = 500

// binChunk is the number of bins between two checks of the context. With 50 branches and incomplete gamma functions they
// take some milliseconds.
const binChunk = 64

// allocate makes the scratch storage of a step of EM for n branches, and sets the sums to zero. It reuses the storage
// of earlier steps.
func (e *erlangMixtures) allocate(n int) {
	for _, v := range []*[]float64{&e.logs, &e.means, &e.q, &e.qx, &e.overQ, &e.overX, &e.constant, &e.powers} {
		*v = slices.Grow((*v)[:0], n)[:n]
	}
	for _, v := range [][]float64{e.q, e.qx, e.overQ, e.overX} {
		clear(v)
	}
	e.observable = e.observable[:0]
}

// erlangInterval returns log P for an Erlang time of k phases of the given rate. P is the probability that the time
// lies in the interval of the bin x, or exceeds its lower bound. mean is the mean of the time given this event. With
// F_k the distribution function of shape k, the mean is (k/rate)·(F_{k+1}(hi) − F_{k+1}(lo))/(F_k(hi) − F_k(lo)).
//
// An interval of a relative width below narrow counts as the density in its middle times the width. Far tails are
// approximated by [erlangTail]. If P is too small for a number elsewhere, logP is −Inf, and mean the middle of the bin
// or its lower bound.
func erlangInterval(x *bin, k int, rate, narrow float64) (logP, mean float64) {
	p := func(k float64) float64 {
		if x.kind == censoredBin {
			return mathext.GammaIncRegComp(k, rate*x.x)
		}
		lo, hi := rate*x.lo, rate*x.hi
		if lo > k {
			return mathext.GammaIncRegComp(k, lo) - mathext.GammaIncRegComp(k, hi)
		}
		return mathext.GammaIncReg(k, hi) - mathext.GammaIncReg(k, lo)
	}
	at := float64(k)
	if x.kind != censoredBin && x.lo > 0 && x.width < narrow*x.x {
		return erlangLogDensity(k, rate, x.x) + math.Log(x.width), x.x
	}
	lo := x.lo
	if x.kind == censoredBin {
		lo = x.x
	}
	if y := rate * lo; y > at+tailStart {
		return erlangTail(x, k, rate, lo)
	}
	here, next := p(at), p(at+1)
	if !(here > 0) || !(next > 0) {
		return math.Inf(-1), x.x
	}
	return math.Log(here), at / rate * next / here
}

// erlangLogDensity returns the logarithm of the density at x of an Erlang time of k phases with the given rate.
func erlangLogDensity(k int, rate, x float64) float64 {
	return float64(k)*math.Log(rate) - logFactorials[k-1] + float64(k-1)*math.Log(x) - rate*x
}

// logFactorials holds log k! for k from 0. An E-step on few bins spent most of its time on such constants.
var logFactorials = func() (table [MaxPhases]float64) {
	for k := range table {
		table[k], _ = math.Lgamma(float64(k + 1))
	}
	return table
}()

// tailStart is the excess of rate·x over the shape from which P(X > x) underflows.
const tailStart = 600

// erlangTail is [erlangInterval] for probabilities that underflow; lo is the beginning of the interval of x, or its
// lower bound. It approximates P(X > x) by the density divided by rate − (k−1)/x, the relative rate at which the
// density falls.
func erlangTail(x *bin, k int, rate, lo float64) (logP, mean float64) {
	fall := rate - float64(k-1)/lo
	logP = erlangLogDensity(k, rate, lo) - math.Log(fall)
	if x.kind == censoredBin {
		return logP, lo + 1/fall
	}
	w := fall * (x.hi - lo)
	last := math.Log(-math.Expm1(-w))
	if w > 700 {
		return logP + last, lo + 1/fall
	}
	return logP + last, lo + 1/fall - (x.hi-lo)/math.Expm1(w)
}

// erlangMixtures returns the EM algorithm for mixtures on bins of the data of p. It has scratch storage and is for one
// goroutine.
func (p *problem) erlangMixtures(bins []bin) erlangMixtures {
	return erlangMixtures{bins: bins, rounded: p.r > 0, narrow: narrowWidth, total: p.total}
}
