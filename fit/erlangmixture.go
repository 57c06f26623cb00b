package fit

import (
	"slices"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// mixture is a hyper-Erlang distribution. With probability weights[b] the time is the sum of shapes[b] exponential
// times of rate rates[b], per unit of scaled time. b counts the branches from 0; all three lists have the same length.
type mixture struct {
	shapes         []int
	weights, rates []float64
}

// dist returns the distribution of scale·X, where X has the distribution m, as a phase-type distribution. Each branch
// is a chain of phases of one rate, one branch after another. The error comes from [phasetype.New], for numbers out of
// range.
func (m mixture) dist(scale float64) (phasetype.Dist, error) {
	n := phasesIn(m.shapes)
	alpha := make([]float64, n)
	t := mat.NewDense(n, n, nil)
	at := 0
	for b, k := range m.shapes {
		alpha[at] = m.weights[b]
		for i := range k {
			t.Set(at+i, at+i, -m.rates[b]/scale)
			if i+1 < k {
				t.Set(at+i, at+i+1, m.rates[b]/scale)
			}
		}
		at += k
	}
	return phasetype.New(alpha, t)
}

// parameters returns the number of free parameters: weights, rates, and all shapes but one, which the order determines.
// It is at most 2·phases−1, the number for any acyclic distribution of the order.
func (m mixture) parameters() int {
	return min(3*len(m.shapes)-2, 2*phasesIn(m.shapes)-1)
}

// phasesIn returns the number of phases of a mixture of Erlang distributions: the sum of the shapes of its branches.
func phasesIn(shapes []int) (n int) {
	for _, k := range shapes {
		n += k
	}
	return n
}

// withExtraBranch returns a copy of the mixture with one more branch, of shape 1, probability zero and the rate of the
// last branch. So the order has one more phase, and the likelihood need not decrease with the order.
func (m mixture) withExtraBranch() mixture {
	last := len(m.rates) - 1
	return mixture{
		append(slices.Clone(m.shapes), 1),
		append(slices.Clone(m.weights), 0),
		append(slices.Clone(m.rates), m.rates[last]),
	}
}

// withExponential returns a copy of m with one more branch, an exponential of rate mu, which takes 5 % of the weight of
// each branch. Ascents with one more phase start from it.
func (m mixture) withExponential(mu float64) mixture {
	const taken = 0.05
	out := m.withExtraBranch()
	for b := range m.weights {
		out.weights[b] *= 1 - taken
	}
	last := len(out.rates) - 1
	out.weights[last], out.rates[last] = taken, mu
	return out
}

// withLongerBranch returns a copy of m with one more phase in branch b, counted from 0. The mean of the branch stays
// the same. Ascents with one more phase start from it.
func (m mixture) withLongerBranch(b int) mixture {
	out := mixture{slices.Clone(m.shapes), slices.Clone(m.weights), slices.Clone(m.rates)}
	out.shapes[b]++
	out.rates[b] *= float64(out.shapes[b]) / float64(m.shapes[b])
	return out
}

// clone returns a copy with its own weights and rates; the shapes are shared.
func (m mixture) clone() mixture {
	return mixture{m.shapes, slices.Clone(m.weights), slices.Clone(m.rates)}
}
