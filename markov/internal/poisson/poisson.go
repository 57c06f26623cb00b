// Package poisson computes the probabilities of the Poisson distribution that are not negligible.
package poisson

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Rest bounds the sum of the omitted weights: weights below its square, relative to the largest weight, are omitted.
const Rest = 1e-16

// Weights holds the probabilities e^{−a}·a^k/k! for k from First to Last. All other probabilities are negligible beside the
// largest.
type Weights struct {
	First, Last int // the smallest and the largest k that has a weight
	weight      []float64
}

// New computes the weights of mean a by their ratios, from the mode outward until they are below Rest² relative to the
// mode. Then it scales their sum to one. So it needs neither e^{−a}, which underflows beyond a = 745, nor logarithms of
// factorials.
func New(a float64) Weights {
	mode := int(a)
	var down, up []float64
	for k, w := mode, 1.0; k > 0; k-- {
		if w *= float64(k) / a; w < Rest*Rest {
			break
		}
		down = append(down, w)
	}
	for k, w := mode+1, 1.0; ; k++ {
		if w *= a / float64(k); w < Rest*Rest {
			break
		}
		up = append(up, w)
	}
	slices.Reverse(down)
	p := Weights{mode - len(down), mode + len(up), slices.Concat(down, []float64{1}, up)}
	// Sum from the small weights at the ends inward.
	low, high := 0.0, 0.0
	for _, w := range down {
		low += w
	}
	for _, w := range slices.Backward(p.weight[len(down):]) {
		high += w
	}
	floats.Scale(1/(low+high), p.weight)
	return p
}

// At returns the weight of k, 0 if it is omitted.
func (p Weights) At(k int) float64 {
	if k < p.First || k > p.Last {
		return 0
	}
	return p.weight[k-p.First]
}

// Last returns an upper bound of the field Last of the weights of mean a.
func Last(a float64) float64 { return a + 14*math.Sqrt(a) + 60 }

// Above returns a k with P(N > k) ≤ rest for a Poisson variable N of mean a.
func Above(a, rest float64) int {
	w := New(a)
	// Beyond the last weight, terms fall at least as fast as a geometric series with this ratio.
	ratio := a / float64(w.Last+2)
	above := w.At(w.Last) * ratio / (1 - ratio)
	k := w.Last
	for k > 0 && above+w.At(k) <= rest {
		above += w.At(k)
		k--
	}
	return k
}
