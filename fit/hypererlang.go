package fit

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/mathext"
)

// mixture is a hyper-Erlang distribution: with probability weights[b], the sum of shapes[b] exponential times of rate
// rates[b].
type mixture struct {
	shapes         []int
	weights, rates []float64
}

// erlangMixtures fits mixtures by EM. For a value x the branch responsibilities are
//
//	q_b ∝ weights[b]·f_b(x),  f_b(x) = r^k·x^(k−1)·exp(−r·x)/(k−1)!,
//
// and the next rates are k·Σq/Σq·E[X | observation, branch b]; an interval or a lower bound takes the place of x with
// its probability and conditional mean, which are ratios of incomplete gamma functions.
//
// Reference: A. Thümmler, P. Buchholz, M. Telek, A novel approach for phase-type fitting with the EM algorithm, IEEE
// Trans. Dependable Secure Comput. 3 (2006) 245–258.
type erlangMixtures struct {
	bins     []bin
	rounded  bool
	narrow   float64 // an interval of less than this part of its middle counts as the density there times its width
	total    float64
	logs     []float64 // of the branches, scratch
	constant []float64
	means    []float64
	q, qx    []float64
}

// fitted is a mixture with its mean log-likelihood on the bins.
type fittedMixture struct {
	mixture
	mean      float64
	steps     int
	converged bool
}

// climb runs EM from m until a step gains less than tolerance, at most steps times. The likelihood never decreases.
func (e *erlangMixtures) runEM(m mixture, steps int, tolerance float64) fittedMixture {
	m = m.clone()
	out := fittedMixture{mixture: m, mean: math.Inf(-1)}
	for out.steps < steps {
		out.steps++
		mean := e.step(m)
		if mean-out.mean < tolerance {
			out.converged = true
			out.mean = max(mean, out.mean)
			return out
		}
		out.mean = mean
	}
	return out
}

func (m mixture) clone() mixture {
	return mixture{m.shapes, append([]float64(nil), m.weights...), append([]float64(nil), m.rates...)}
}

// step returns the mean log-likelihood of m and replaces m by the next iterate.
func (e *erlangMixtures) step(m mixture) float64 {
	n := len(m.shapes)
	for _, v := range []*[]float64{&e.logs, &e.means, &e.q, &e.qx, &e.constant} {
		if cap(*v) < n {
			*v = make([]float64, n)
		}
		*v = (*v)[:n]
	}
	clear(e.q)
	clear(e.qx)
	for b, k := range m.shapes {
		lg, _ := math.Lgamma(float64(k))
		e.constant[b] = math.Log(m.weights[b]) + float64(k)*math.Log(m.rates[b]) - lg
	}
	var sum float64
	total := e.total
	for i := range e.bins {
		x := &e.bins[i]
		top := math.Inf(-1)
		for b, k := range m.shapes {
			if x.kind != valueBin || e.rounded {
				lp, mean := erlangInterval(x, k, m.rates[b], e.narrow)
				e.logs[b], e.means[b] = math.Log(m.weights[b])+lp, mean
			} else {
				e.logs[b], e.means[b] = e.constant[b]+float64(k-1)*x.log-m.rates[b]*x.x, x.x
			}
			top = max(top, e.logs[b])
		}
		if math.IsInf(top, -1) {
			continue
		}
		var s float64
		for b, l := range e.logs {
			e.logs[b] = math.Exp(l - top)
			s += e.logs[b]
		}
		w := x.w
		if x.kind == truncatedBin {
			// To each time seen there belong P/(1−P) that were not, P = P(X ≤ hi), as many as complete the sample.
			seen := max(1-math.Exp(top)*s, leastObservable)
			sum -= w * math.Log(seen)
			w *= (1 - seen) / seen
			total += w
		} else {
			sum += w * (top + math.Log(s))
		}
		for b, l := range e.logs {
			q := w * l / s
			e.q[b] += q
			e.qx[b] += q * e.means[b]
		}
	}
	for b, k := range m.shapes {
		m.weights[b] = e.q[b] / total
		if e.qx[b] > 0 {
			m.rates[b] = float64(k) * e.q[b] / e.qx[b]
		}
	}
	return sum / e.total
}

// narrow is the relative width of intervals whose probability, as the density times the width, has more digits than as a
// difference.
const narrowWidth = 1e-7

// never is the probability of being seen below which a mixture is not worth completing the sample for.
const leastObservable = 1e-9

// erlangInterval returns the logarithm of the probability that an Erlang time lies in the bin's interval or beyond its
// value, and the mean of the time given that it does.
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
		lg, _ := math.Lgamma(at)
		return at*math.Log(rate) - lg + (at-1)*math.Log(x.x) - rate*x.x + math.Log(x.width), x.x
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

// far is how far beyond its phases, in their means, an Erlang time has a probability that underflows.
const tailStart = 600

// farOut returns what erlangInterval does where probabilities underflow, by the first terms of P(X > x), which is the
// density divided by the rate at which it falls there, rate − (k−1)/x.
func erlangTail(x *bin, k int, rate, lo float64) (logP, mean float64) {
	lg, _ := math.Lgamma(float64(k))
	fall := rate - float64(k-1)/lo
	logP = float64(k)*math.Log(rate) - lg + float64(k-1)*math.Log(lo) - rate*lo - math.Log(fall)
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

func (p *problem) erlangMixtures(bins []bin) erlangMixtures {
	return erlangMixtures{bins: bins, rounded: p.r > 0, narrow: narrowWidth, total: p.total}
}

// starts returns mixtures to start from: the data cut at quantiles into one part for each branch, of equal weight, with
// the shapes falling and rising along the parts.
func (e *erlangMixtures) starts(shapes []int) []mixture {
	rising := append([]int(nil), shapes...)
	sort.Ints(rising)
	out := []mixture{e.quantileStart(shapes)}
	if len(shapes) > 1 && rising[0] != rising[len(rising)-1] {
		out = append(out, e.quantileStart(rising))
	}
	return out
}

func (e *erlangMixtures) quantileStart(shapes []int) mixture {
	n := len(shapes)
	m := mixture{shapes, make([]float64, n), make([]float64, n)}
	sums := make([]float64, n)
	var before float64
	for _, x := range e.bins {
		if x.kind == truncatedBin {
			continue
		}
		b := min(int(float64(n)*(before+x.w/2)/e.total), n-1)
		before += x.w
		m.weights[b] += x.w
		sums[b] += x.w * x.x
	}
	var mean float64
	for _, s := range sums {
		mean += s / e.total
	}
	for b, k := range shapes {
		if m.weights[b] == 0 || sums[b] == 0 { // fewer distinct values than branches
			m.weights[b], sums[b] = e.total/float64(n), mean*e.total*float64(b+1)/float64(n*n)
		}
		m.rates[b] = float64(k) * m.weights[b] / sums[b]
		m.weights[b] /= e.total
	}
	total := total(m.weights)
	for b := range m.weights {
		m.weights[b] /= total
	}
	return m
}

// partitions calls f with each partition of n into falling parts, at most parts of them.
func partitions(n, parts int, f func([]int)) {
	var walk func(left, largest int, head []int)
	walk = func(left, largest int, head []int) {
		if left == 0 {
			f(append([]int(nil), head...))
			return
		}
		if len(head) == parts {
			return
		}
		for k := min(left, largest); k > 0; k-- {
			walk(left-k, k, append(head, k))
		}
	}
	walk(n, n, nil)
}

// manyPartitions bounds how many shapes are tried at one order; all are up to order 18.
const maxPartitions = 400

// screen fits all mixtures of m phases with at most steps of EM each and returns the best of each partition, best
// first. At large orders, where there are too many partitions, it keeps to those with few branches.
func (e erlangMixtures) screen(workers, m, steps int, tolerance float64) []fittedMixture {
	var shapes [][]int
	for parts := 1; parts <= m && len(shapes) < maxPartitions; parts++ {
		partitions(m, parts, func(s []int) {
			if len(s) == parts && len(shapes) < maxPartitions {
				shapes = append(shapes, s)
			}
		})
	}
	found := make([]fittedMixture, len(shapes))
	parallel(workers, len(shapes), func() func(int) {
		e := e
		return func(i int) {
			found[i].mean = math.Inf(-1)
			for _, start := range e.starts(shapes[i]) {
				if f := e.runEM(start, steps, tolerance); f.mean > found[i].mean || found[i].shapes == nil {
					found[i] = f
				}
			}
		}
	})
	sort.SliceStable(found, func(i, j int) bool { return found[i].mean > found[j].mean })
	return found
}
