package markov

import (
	"github.com/partwise/partwise/markov/internal/block"
)

// checkDiagonal returns an error if a given diagonal differs from minus the rest of its row.
func checkDiagonal(level int, name string, row int, diagonal, rest float64) error {
	if problem := block.CheckDiagonal(diagonal, rest); problem != nil {
		return blockError(level, name, row, row, "%v", problem)
	}
	return nil
}
