package markov

import (
	"github.com/partwise/partwise/markov/internal/block"
)

// checkRates reports the first entry of p that is not a rate; the diagonal is not looked at if skipDiagonal.
func checkRates(level int, name string, p block.Matrix, skipDiagonal bool) error {
	if i, j, problem := p.CheckRates(skipDiagonal); problem != nil {
		return blockError(level, name, i, j, "%v", problem)
	}
	return nil
}

// checkDiagonal holds a diagonal that is given against the rest of its row.
func checkDiagonal(level int, name string, row int, diagonal, rest float64) error {
	if problem := block.CheckDiagonal(diagonal, rest); problem != nil {
		return blockError(level, name, row, row, "%v", problem)
	}
	return nil
}
