package markov

import "gonum.org/v1/gonum/floats"

// geometric sums Σ_k x·M^k = x·(I − M)⁻¹ for a nonnegative matrix M of spectral radius below one.
type geometric interface {
	// solveLeft overwrites x with the sum.
	solveLeft(x []float64)
}

// byFactors factors I − M.
func byFactors(m matrix) geometric { return luOfIMinus(m) }

// doubling holds M, M², M⁴, …: x·(I + M)·(I + M²)·(I + M⁴)⋯ is the sum, without a subtraction.
type doubling []matrix

// byDoubling squares M until what a further power adds is below a rounding error.
func byDoubling(m matrix) geometric {
	const doublings = 60
	d := doubling{m}
	for len(d) < doublings {
		last := d[len(d)-1]
		if last.normInf() <= entryTol {
			break
		}
		d = append(d, mul(last, last))
	}
	return d
}

func (d doubling) solveLeft(x []float64) {
	for _, m := range d {
		floats.Add(x, vecMul(x, m))
	}
}
