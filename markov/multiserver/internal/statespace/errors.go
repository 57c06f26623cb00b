package statespace

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

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

// Wrong returns a *[markov.BlockError] for an ingredient of a level. row and col are −1 where they do not apply. The
// problem is format with args; the error wraps the argument of a verb %w.
func Wrong(level int, ingredient string, row, col int, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &markov.BlockError{
		Level: level, Block: ingredient, Row: row, Col: col, Problem: err.Error(), Err: errors.Unwrap(err),
	}
}

// Finished returns the results of a function that a context can end. If the context has ended, the error is that of the
// context and the value is zero.
func Finished[V any](ctx context.Context, v V, err error) (V, error) {
	if ctx.Err() != nil {
		var none V
		return none, Prefixed(ctx.Err())
	}
	return v, Prefixed(err)
}

// Rates returns a copy of the rates m, rows × cols, as [block.Rates] does. With skipDiagonal, the diagonal may be negative.
// The error is a *[markov.BlockError] for an ingredient of a level.
func Rates(ctx context.Context, level int, ingredient string, m mat.Matrix, rows, cols int, skipDiagonal bool) (block.Matrix, error) {
	p, i, j, problem := block.Rates(ctx, m, rows, cols, skipDiagonal)
	if problem != nil {
		return p, Wrong(level, ingredient, i, j, "%v", problem)
	}
	return p, nil
}
