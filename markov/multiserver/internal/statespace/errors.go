package statespace

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
)

// Prefixed is what a function of this package returns: errors within it carry no prefix.
func Prefixed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("multiserver: %w", err)
}

// Wrong returns a *[markov.BlockError] for an ingredient of a level.
func Wrong(level int, ingredient string, row, col int, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &markov.BlockError{
		Level: level, Block: ingredient, Row: row, Col: col, Problem: err.Error(), Err: errors.Unwrap(err),
	}
}

// CheckRates reports the first entry of p that is not a rate; the diagonal is not looked at if skipDiagonal.
func CheckRates(level int, ingredient string, p block.Matrix, skipDiagonal bool) error {
	if i, j, problem := p.CheckRates(skipDiagonal); problem != nil {
		return Wrong(level, ingredient, i, j, "%v", problem)
	}
	return nil
}
