package statespace

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
)

// Prefixed returns the error with the prefix "multiserver: ", or nil for nil. Exported functions of package multiserver
// call it; errors within the package have no prefix.
func Prefixed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("multiserver: %w", err)
}

// Wrong returns a *[markov.BlockError] that names the wrong ingredient of the queue, such as "service", at a level.
// Level 0 stands for the arrivals. row and col count from 0 and are −1 where they do not apply. The problem is format
// with args. If format has exactly one verb %w, the error wraps its argument. With several it wraps nothing.
func Wrong(level int, ingredient string, row, col int, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &markov.BlockError{
		Level: level, Block: ingredient, Row: row, Col: col, Problem: err.Error(), Err: errors.Unwrap(err),
	}
}

// Finished returns the given result and error, which a function that ctx can end has computed; the error gets the
// prefix of [Prefixed]. If ctx has ended, it returns the zero value and the error of ctx instead, with the prefix. The
// given result may then be incomplete, and the given error may come from missing parts. Exported functions return it.
func Finished[V any](ctx context.Context, result V, err error) (V, error) {
	if ctx.Err() != nil {
		var none V
		return none, Prefixed(ctx.Err())
	}
	return result, Prefixed(err)
}

// Rates returns a copy of the matrix m of rates, which must be rows × cols, finite and nonnegative. With skipDiagonal,
// the diagonal must be finite and may have any sign. The error is a *[markov.BlockError] that names the ingredient, the
// level and the first wrong entry. Row and column are −1 if m is nil or has another size. The matrix is meaningless
// with an error. If ctx has ended, the error comes from ctx: rows that were not copied are no fault of m.
func Rates(ctx context.Context, level int, ingredient string, m mat.Matrix, rows, cols int, skipDiagonal bool) (block.Matrix, error) {
	p, i, j, problem := block.Rates(ctx, m, rows, cols, skipDiagonal)
	if err := ctx.Err(); err != nil {
		return p, err
	}
	if problem != nil {
		return p, Wrong(level, ingredient, i, j, "%v", problem)
	}
	return p, nil
}
