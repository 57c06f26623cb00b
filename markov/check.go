package markov

import (
	"github.com/partwise/partwise/markov/internal/block"
)

// checkRates returns an error for the first entry of p that is not a rate. It skips the diagonal if skipDiagonal.
func checkRates(level int, name string, p block.Matrix, skipDiagonal bool) error {
	if i, j, problem := p.CheckRates(skipDiagonal); problem != nil {
		return blockError(level, name, i, j, "%v", problem)
	}
	return nil
}

// checkDiagonal returns an error if a given diagonal differs from minus the rest of its row.
func checkDiagonal(level int, name string, row int, diagonal, rest float64) error {
	if problem := block.CheckDiagonal(diagonal, rest); problem != nil {
		return blockError(level, name, row, row, "%v", problem)
	}
	return nil
}
