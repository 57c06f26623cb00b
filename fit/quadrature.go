package fit

import (
	"math"
	"slices"

	"github.com/partwise/partwise/fit/internal/interpolation"
)

// quadrature sums the log-likelihood of the data over increasing scaled times, its nodes t_j. Each step from a node to
// the next has a length unit·2^level. So one matrix exponential for each level serves all steps: a few dozen matrices,
// found by repeated squaring, instead of one for each value.
//
// The log-likelihood of the data is a sum over the nodes, with a weight of each kind at each node,
//
//	Σ_j observed[j]·log g(t_j) + (censored[j] − truncated[j])·log P(X > t_j) + below[j]·log P(X ≤ t_j).
//
// Here g is the density or, for rounded values, P(t_j < X ≤ t_j + r) with the resolution r. An interval (a, b] of
// weight w adds w·log(P(X > a) − P(X > b)), where P(X > a) is interpolated between nodes.
type quadrature struct {
	unit      float64
	level     []int     // of the step that ends at node j
	length    []float64 // of the same step
	observed  []float64
	censored  []float64
	truncated []float64 // weight of the observations that began at the node
	below     []float64
	intervals []intervalTerm
	total     float64 // sum of the weights of the data

	rounded         bool
	resolutionLevel int // level of a step of length r
	low, high       int // smallest and largest level that occurs
}

// intervalTerm is the observation of weight w that the time lies between two ends.
type intervalTerm struct {
	w      float64
	lo, hi stencil
}

// stencil is a linear combination of values at nodes, plus one times the value at time 0.
type stencil struct {
	interpolation.Stencil
	one float64
}

// allocate makes the four lists of weights of the quadrature, one number for each of n nodes, all zero: observed,
// censored, truncated and below.
func (q *quadrature) allocate(n int) {
	for _, v := range []*[]float64{&q.observed, &q.censored, &q.truncated, &q.below} {
		*v = make([]float64, n)
	}
}

// finish sets length, the lengths of the steps between nodes, and low and high, the range of levels, once all steps are
// in q.level. There must be at least one. A step of a level is unit·2^level long. For rounded values the range includes
// the level of a step of one resolution.
func (q *quadrature) finish() {
	q.low, q.high = q.level[0], q.level[0]
	q.length = make([]float64, len(q.level))
	for j, l := range q.level {
		q.low, q.high = min(q.low, l), max(q.high, l)
		q.length[j] = math.Ldexp(q.unit, l)
	}
	if q.rounded {
		q.low, q.high = min(q.low, q.resolutionLevel), max(q.high, q.resolutionLevel)
	}
}

// incomplete reports whether there are intervals or truncated observations. For these EM completes the sample, and
// needs more storage. Lower bounds do not count: EM needs their paths up to the bound only.
func (q *quadrature) incomplete() bool { return len(q.intervals) > 0 || lastNonzero(q.truncated) >= 0 }

// lastInterval returns the index of the last node at which the survival function is interpolated for an interval, or −1
// without intervals. The survival function need not be computed farther.
func (q *quadrature) lastInterval() int {
	last := -1
	for i := range q.intervals {
		for _, st := range []*stencil{&q.intervals[i].lo, &q.intervals[i].hi} {
			if st.N > 0 {
				last = max(last, st.At+st.N-1)
			}
		}
	}
	return last
}

// lastNonzero returns the index of the last nonzero number in weights, a list by node, or −1 if all are zero. Functions
// of time need not be computed farther.
func lastNonzero(weights []float64) int {
	for j, w := range slices.Backward(weights) {
		if w != 0 {
			return j
		}
	}
	return -1
}

// nonzeros returns how many numbers in weights, a list by node, are not zero.
func nonzeros(weights []float64) (n int) {
	for _, w := range weights {
		if w != 0 {
			n++
		}
	}
	return n
}
