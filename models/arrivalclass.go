package models

import (
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/phasetype"
)

// The states of a chain are those at any arrival rate, and the rates of arrivals factors of its transitions: explored
// with [unitArrivals], a chain has the rates of any arrivals of this kind by [levelChain.Times] and [arrivalFactors].

// unitArrivals returns arrivals with ones for all rates that are not zero.
func unitArrivals(m phasetype.MAP) (phasetype.MAP, error) {
	n := m.Phases()
	d0, d1 := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for a := range n {
		out := 0.0
		for b := range n {
			if b != a && m.Rate0(a, b) > 0 {
				d0.Set(a, b, 1)
				out++
			}
			if m.Rate1(a, b) > 0 {
				d1.Set(a, b, 1)
				out++
			}
		}
		d0.Set(a, a, -out)
	}
	return phasetype.NewMAP(d0, d1)
}

// arrivalFactors returns the rates of arrivals by [arrivalClass].
func arrivalFactors(m phasetype.MAP) []float64 {
	factors := []float64{1}
	for a := range m.Phases() {
		for b := range m.Phases() {
			factors = append(factors, m.Rate0(a, b), m.Rate1(a, b))
		}
	}
	return factors
}

// arrivalClass returns the [levelChain.Class] of a transition by so many levels, from one of n phases of the arrivals to another.
func arrivalClass(n, by, from, to int) int {
	switch rate0 := 1 + 2*(from*n+to); {
	case by > 0:
		return rate0 + 1
	case by == 0 && from != to:
		return rate0
	}
	return 0
}
