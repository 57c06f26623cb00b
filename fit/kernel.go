package fit

import (
	"context"
	"math"

	"github.com/partwise/partwise/fit/internal/optimum"
)

// kernel evaluates the log-likelihood of a phase-type distribution by a quadrature, and its derivatives with respect to
// all entries of alpha, T and exit. They are the statistics of an E-step: with L the log-likelihood, the expected
// numbers of starts in phase i, of jumps from i to j and of exits from i, and the expected time in i, summed over the
// data, are
//
//	B_i = alpha_i·∂L/∂alpha_i,  N_ij = T_ij·∂L/∂T_ij,  E_i = exit_i·∂L/∂exit_i,  Z_i = ∂L/∂T_ii.
//
// The forward vectors alpha·exp(T·t) and the backward vectors are computed node by node from the tables of the
// exponentials. An evaluation takes O(m²) for each node and O(m³) for each level; it allocates nothing.
//
// For rounded data, and for general T, the chain has one more state, in which it stays after absorption.
type kernel struct {
	exponentials
	complete bool // the E-step for intervals and truncation: it counts jumps until absorption

	alpha, exit             []float64 // of the distribution, m entries
	dAlpha, dExit           []float64 // derivatives
	start                   []float64 // alpha, n entries
	observable, dObservable []float64 // n entries: the exit rates, or for rounded values the probability of the interval
	forward                 []float64 // nodes×n, each row scaled
	scale                   []float64 // the factor, besides the table, between rows j−1 and j
	back                    [2][]float64
	lastBelow               int       // last node at which the probability of absorption is needed; −1: none
	survival, logs          []float64 // for intervals: the survival function at the nodes is survival·exp(logs)
	dSurvival               []float64 // derivatives with respect to it
}

func newKernel(q *quadrature, phases int, triangular, complete bool) *kernel {
	k := &kernel{exponentials: newExponentials(q, phases, q.rounded || !triangular || complete), complete: complete}
	k.lastBelow = lastNonzero(q.below)
	if complete {
		k.lastBelow = max(k.lastBelow, lastNonzero(q.truncated), q.lastInterval())
	}
	k.triangular = triangular
	for _, v := range []*[]float64{&k.alpha, &k.exit, &k.dAlpha, &k.dExit} {
		*v = make([]float64, phases)
	}
	for _, v := range []*[]float64{&k.observable, &k.dObservable, &k.back[0], &k.back[1], &k.start} {
		*v = make([]float64, k.n)
	}
	k.scale = make([]float64, len(q.level))
	if len(q.intervals) > 0 {
		for _, v := range []*[]float64{&k.survival, &k.logs, &k.dSurvival} {
			*v = make([]float64, len(q.level))
		}
	}
	return k
}

// prepare computes the tables from alpha, exit and T, which is the upper left m×m part of t.
func (k *kernel) prepare() {
	copy(k.start, k.alpha)
	if k.n > k.m { // otherwise the exit rates only occur in observable
		for i, e := range k.exit {
			k.t[i*k.n+k.m] = e
		}
	}
	k.exponentiate()
	copy(k.observable, k.exit) // observable[m], if there is one, stays 0
	if k.quad.rounded {
		table, _ := k.table(k.quad.resolutionLevel)
		for i := range k.m {
			k.observable[i] = table[i*k.n+k.m]
		}
		k.observable[k.m] = 0
	}
}

// tiny is the size below which a forward vector is rescaled, by powers of 1/tiny, before it underflows.
const tiny = 0x1p-300

// liftingFactor returns the power of 1/tiny that brings a vector with this largest entry above tiny, and what this adds
// to the logarithm of its scale. One factor 1/tiny may not be enough: the probability of lasting one long step may be
// less than tiny.
func liftingFactor(largest float64) (factor, log float64) {
	for factor = 1; largest < tiny; largest /= tiny {
		factor /= tiny
		log += math.Log(tiny)
	}
	return factor, log
}

// logLikelihood returns the log-likelihood per unit of weight, −Inf if an observation has probability 0 in
// floating-point numbers. With keep the forward vectors are kept for derivatives.
func (k *kernel) logLikelihood(ctx context.Context, keep bool) float64 {
	if keep && k.tooFast() {
		return math.Inf(-1)
	}
	for i := range k.m {
		if !(-k.t[i*k.n+i] < 1/minPositive) { // out of the range of floating-point numbers
			return math.Inf(-1)
		}
	}
	k.prepare()
	n, q := k.n, k.quad
	if keep && k.forward == nil {
		k.forward = make([]float64, len(q.level)*n)
	}
	var sum, logScale float64
	prev := k.start
	for j, level := range q.level {
		if stoppedAtNode(ctx, j) {
			return math.Inf(-1)
		}
		cur := k.back[j&1]
		if keep {
			cur = k.forward[j*n : j*n+n]
		}
		table, _ := k.table(level)
		largest := k.forwardStep(cur, prev, table)
		logScale -= k.slowest * q.length[j]
		k.scale[j] = 1
		if k.n > k.m && j > k.lastBelow { // the absorbing state is not needed any more, and would limit the rescaling
			cur[k.m] = 0
		}
		if largest < tiny && j > k.lastBelow {
			if largest == 0 {
				return math.Inf(-1)
			}
			factor, log := liftingFactor(largest)
			k.scale[j] = factor
			logScale += log
			for i := range cur {
				cur[i] *= factor
			}
		}
		prev = cur
		if w := q.observed[j]; w != 0 {
			sum += w * (math.Log(optimum.Dot(cur, k.observable)) + logScale)
		}
		if w := q.censored[j]; w != 0 {
			sum += w * (math.Log(optimum.Sum(cur[:k.m])) + logScale)
		}
		if w := q.truncated[j]; w != 0 {
			sum -= w * (math.Log(optimum.Sum(cur[:k.m])) + logScale)
		}
		if w := q.below[j]; w != 0 {
			sum += w * (math.Log(cur[k.m]) + logScale)
		}
		if k.survival != nil {
			k.survival[j], k.logs[j] = optimum.Sum(cur[:k.m]), logScale
		}
	}
	if k.survival != nil {
		sum += k.addIntervals(ctx)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) { // +Inf is as impossible as −Inf: the weight may have been negative
		return math.Inf(-1)
	}
	return sum / q.total
}

// forwardStep sets next = prev·table and returns the largest entry among the phases.
func (k *kernel) forwardStep(next, prev, table []float64) float64 {
	n := k.n
	clear(next)
	if k.triangular {
		for i, x := range prev {
			to := next[i:n]
			row := table[i*n+i : i*n+n]
			row = row[:len(to)]
			for j := range to {
				to[j] += x * row[j]
			}
		}
	} else {
		for i, x := range prev {
			row := table[i*n : i*n+n]
			row = row[:len(next)]
			for j := range next {
				next[j] += x * row[j]
			}
		}
	}
	var largest float64
	for _, v := range next[:k.m] {
		if v > largest {
			largest = v
		}
	}
	return largest
}

// derivatives sets dAlpha, dT and dExit for the total log-likelihood, by a backward pass after logLikelihood with keep.
func (k *kernel) derivatives(ctx context.Context) {
	n, q := k.n, k.quad
	k.clearDerivatives()
	clear(k.dObservable)
	cur, next := k.back[0], k.back[1]
	clear(next)
	for j := len(q.level) - 1; j >= 0; j-- {
		if stoppedAtNode(ctx, j) {
			return
		}
		row := k.forward[j*n : j*n+n]
		k.addObservations(next, row, j)
		prev := k.start
		if j > 0 {
			prev = k.forward[(j-1)*n : j*n]
		}
		table, dTable := k.table(q.level[j])
		k.backStep(cur, next, prev, table, dTable, k.scale[j])
		cur, next = next, cur
	}
	copy(k.dAlpha, next[:k.m])
	if q.rounded {
		_, d := k.table(q.resolutionLevel)
		for i := range k.m {
			d[i*n+k.m] += k.dObservable[i]
		}
	}
	k.backpropagate()
	if q.rounded { // then exit only occurs in tables
		clear(k.dExit)
	} else {
		copy(k.dExit, k.dObservable[:k.m])
	}
	if n > k.m {
		for i := range k.m {
			k.dExit[i] += k.dT[i*n+k.m]
		}
	}
}

// backStep sets prevBack = scale·table·back and adds scale·forwardᵀ·back to the derivatives of the table.
func (k *kernel) backStep(prevBack, back, forward, table, dTable []float64, scale float64) {
	n := k.n
	for i := range n {
		from := 0
		if k.triangular {
			from = i
		}
		b := back[from:n]
		row := table[i*n+from : i*n+n]
		d := dTable[i*n+from : i*n+n]
		row, d = row[:len(b)], d[:len(b)]
		f := forward[i] * scale
		var s float64
		for j, y := range b {
			s += row[j] * y
			d[j] += f * y
		}
		prevBack[i] = s * scale
	}
}
