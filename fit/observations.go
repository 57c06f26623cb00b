package fit

import "math"

// observe adds to the backward vector what is observed at node j.
func (k *kernel) addObservations(back, row []float64, j int) {
	m := k.quad
	if w := m.observed[j]; w != 0 {
		c := w / k.likelihood(row)
		if k.lastPhaseOnly {
			back[k.m-1] += c * k.observable[k.m-1]
			k.dObservable[k.m-1] += c * row[k.m-1]
		} else {
			for i, g := range k.observable {
				back[i] += c * g
				k.dObservable[i] += c * row[i]
			}
		}
	}
	if w := m.censored[j]; w != 0 {
		c := w / total(row[:k.m])
		for i := range k.m {
			back[i] += c
		}
	}
	if w := m.below[j]; w != 0 {
		back[k.m] += w / row[k.m]
	}
	if w := m.truncated[j]; w != 0 {
		k.addSurvivalDerivative(back, -w/total(row[:k.m]))
	}
	if k.dSurvival != nil {
		k.addSurvivalDerivative(back, k.dSurvival[j])
	}
}

// lookBeyond adds the derivative by P(X > t), which is the sum over the phases. What is counted in an E-step is
// what led to absorption, of which the derivative by 1 − P(X > t) tells.
func (k *kernel) addSurvivalDerivative(back []float64, derivative float64) {
	if k.complete {
		back[k.m] -= derivative
		return
	}
	for i := range k.m {
		back[i] += derivative
	}
}

// observeSpans returns the log-likelihood of the intervals and sets its derivatives by the survival function.
func (k *kernel) addIntervals() float64 {
	clear(k.dSurvival)
	var sum float64
	for i := range k.quad.intervals {
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

// interpolated returns P(X > x)/exp(scale) at the position of a stencil.
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

func (k *kernel) spreadDerivative(st *stencil, scale, by float64) {
	for i, c := range st.c[:st.n] {
		k.dSurvival[st.at+i] += by * c * k.rescaled(st.at+i, scale)
	}
}

// rescaled returns the factor from the scale of node j to another.
func (k *kernel) rescaled(j int, scale float64) float64 {
	if k.logs[j] == scale {
		return 1
	}
	return math.Exp(k.logs[j] - scale)
}
