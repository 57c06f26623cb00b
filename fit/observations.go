package fit

import (
	"context"
	"math"

	"github.com/partwise/partwise/fit/internal/optimum"
)

// addObservations adds the derivatives of the observations at node j to the backward vector; row is the forward vector.
func (k *kernel) addObservations(back, row []float64, j int) {
	q := k.quad
	if w := q.observed[j]; w != 0 {
		c := w / optimum.Dot(row, k.observable)
		for i, g := range k.observable {
			back[i] += c * g
			k.dObservable[i] += c * row[i]
		}
	}
	if w := q.censored[j]; w != 0 {
		c := w / optimum.Sum(row[:k.m])
		for i := range k.m {
			back[i] += c
		}
	}
	if w := q.below[j]; w != 0 {
		back[k.m] += w / row[k.m]
	}
	if w := q.truncated[j]; w != 0 {
		k.addSurvivalDerivative(back, -w/optimum.Sum(row[:k.m]))
	}
	if k.dSurvival != nil {
		k.addSurvivalDerivative(back, k.dSurvival[j])
	}
}

// addSurvivalDerivative adds the derivative with respect to P(X > t), which is the sum over the phases. An E-step
// counts what led to absorption, and so takes the derivative with respect to 1 − P(X > t) instead.
func (k *kernel) addSurvivalDerivative(back []float64, derivative float64) {
	if k.complete {
		back[k.m] -= derivative
		return
	}
	for i := range k.m {
		back[i] += derivative
	}
}

// addIntervals returns the log-likelihood of the intervals and sets its derivatives with respect to the survival
// function.
func (k *kernel) addIntervals(ctx context.Context) float64 {
	clear(k.dSurvival)
	var sum float64
	for i := range k.quad.intervals {
		if stopped(ctx, i) {
			return math.Inf(-1)
		}
		s := &k.quad.intervals[i]
		scale := 0.0
		if s.lo.n > 0 {
			scale = k.logs[s.lo.at]
		}
		p := k.interpolated(&s.lo, scale) - k.interpolated(&s.hi, scale)
		if !(p > 0) {
			return math.Inf(-1)
		}
		sum += s.w * (math.Log(p) + scale)
		k.spreadDerivative(&s.lo, scale, s.w/p)
		k.spreadDerivative(&s.hi, scale, -s.w/p)
	}
	return sum
}

// interpolated returns P(X > x)/exp(scale), x being the time of the stencil.
func (k *kernel) interpolated(st *stencil, scale float64) float64 {
	s := st.one
	if s != 0 {
		s *= math.Exp(-scale)
	}
	for i, c := range st.c[:st.n] {
		s += c * k.survival[st.at+i] * k.rescaled(st.at+i, scale)
	}
	return s
}

// spreadDerivative adds a derivative with respect to P(X > x)/exp(scale) to those at the nodes of the stencil.
func (k *kernel) spreadDerivative(st *stencil, scale, by float64) {
	for i, c := range st.c[:st.n] {
		k.dSurvival[st.at+i] += by * c * k.rescaled(st.at+i, scale)
	}
}

// rescaled returns the factor from the scale of node j to the given one.
func (k *kernel) rescaled(j int, scale float64) float64 {
	if k.logs[j] == scale {
		return 1
	}
	return math.Exp(k.logs[j] - scale)
}
