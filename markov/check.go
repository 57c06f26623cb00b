package markov

import "math"

// checkRates reports the first entry of p that is not a rate; the diagonal is not looked at if skipDiagonal.
func checkRates(level int, block string, p matrix, skipDiagonal bool) error {
	for i := range p.rows {
		for j, v := range p.row(i) {
			if i == j && skipDiagonal {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return blockError(level, block, i, j, "%v is not a rate", v)
				}
				continue
			}
			if !(v >= 0) || math.IsInf(v, 1) {
				return blockError(level, block, i, j, "%v is not a nonnegative rate", v)
			}
		}
	}
	return nil
}

// diagonalTol is how far, relative to itself, a diagonal may be from minus the rest of its row: files carry rounded
// numbers.
const diagonalTol = 1e-8

// checkDiagonal holds a diagonal that is given, that is negative, against the rest of its row; zero, and a positive
// rate of a state to itself, stand for a diagonal that is left to be computed.
func checkDiagonal(level int, block string, row int, diagonal, rest float64) error {
	if diagonal < 0 && math.Abs(diagonal+rest) > diagonalTol*-diagonal {
		return blockError(level, block, row, row, "diagonal is %g, but the rest of the row sums to %g", diagonal, rest)
	}
	return nil
}
