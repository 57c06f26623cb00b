package statespace

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
)

// Prefixed returns the error with the prefix of package multiserver. Exported functions call it; errors within the
// package have no prefix.
func Prefixed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("multiserver: %w", err)
}

// Wrong returns a *[markov.BlockError] for an ingredient of a level. row and col are −1 where they do not apply.
func Wrong(level int, ingredient string, row, col int, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &markov.BlockError{
		Level: level, Block: ingredient, Row: row, Col: col, Problem: err.Error(), Err: errors.Unwrap(err),
	}
}

// CheckRates returns an error for the first entry of p that is not a rate. It skips the diagonal if skipDiagonal.
func CheckRates(level int, ingredient string, p block.Matrix, skipDiagonal bool) error {
	if i, j, problem := p.CheckRates(skipDiagonal); problem != nil {
		return Wrong(level, ingredient, i, j, "%v", problem)
	}
	return nil
}
