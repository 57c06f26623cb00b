package block

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Rates returns a copy of m, which must be a rows × cols matrix of rates. The problem comes with its place, −1 where it has
// none. If skipDiagonal, the diagonal only has to be finite. Rows of the copy are missing if ctx ends.
func Rates(ctx context.Context, m mat.Matrix, rows, cols int, skipDiagonal bool) (p Matrix, row, col int, problem error) {
	if Missing(m) {
		return p, -1, -1, errors.New("is missing")
	}
	if r, c := m.Dims(); r != rows || c != cols {
		return p, -1, -1, fmt.Errorf("is %d×%d, must be %d×%d", r, c, rows, cols)
	}
	p = From(ctx, m)
	row, col, problem = p.checkRates(skipDiagonal)
	return p, row, col, problem
}

// checkRates returns the place of the first entry that is not a rate, and the problem. If skipDiagonal, the diagonal only
// has to be finite.
func (m Matrix) checkRates(skipDiagonal bool) (row, col int, problem error) {
	for i := range m.Rows {
		if areRates(m.Row(i)) { // nearly all rows; the loop below takes twice as long
			continue
		}
		for j, v := range m.Row(i) {
			if i == j && skipDiagonal {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return i, j, fmt.Errorf("%v is not a rate", v)
				}
				continue
			}
			if !(v >= 0) || math.IsInf(v, 1) {
				return i, j, fmt.Errorf("%v is not a nonnegative rate", v)
			}
		}
	}
	return -1, -1, nil
}

// areRates reports whether all numbers of x are nonnegative and finite.
func areRates(x []float64) bool {
	for _, v := range x {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return false
		}
	}
	return true
}

// diagonalTol is the largest relative difference of a diagonal and minus the sum of the rest of its row. Files hold
// rounded numbers.
const diagonalTol = 1e-8

// CheckDiagonal returns an error if a negative diagonal differs from minus the rest of its row. A zero or positive
// diagonal is not checked: it means that the diagonal is to be computed.
func CheckDiagonal(diagonal, rest float64) error {
	if diagonal < 0 && math.Abs(diagonal+rest) > diagonalTol*-diagonal {
		return fmt.Errorf("diagonal is %g, but the rest of the row sums to %g", diagonal, rest)
	}
	return nil
}

// IsWithin reports whether all positive entries are between least and most.
func (m Matrix) IsWithin(least, most float64) bool {
	for _, v := range m.Data {
		if (v < least || v > most) && v > 0 {
			return false
		}
	}
	return true
}
