package markov

import (
	"github.com/partwise/partwise/markov/internal/block"
)

// checkDiagonal holds a diagonal that is given against the rest of its row.
func checkDiagonal(level int, name string, row int, diagonal, rest float64) error {
	if problem := block.CheckDiagonal(diagonal, rest); problem != nil {
		return blockError(level, name, row, row, "%v", problem)
	}
	return nil
}
