package markov

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/internal/block"
)

// Stationary returns the stationary probability vector of a finite chain with generator q, n×n, whose states have one
// closed class; the diagonal of q is not read. It is computed by the elimination of Grassmann, Taksar and Heyman
// without subtractions, so that each component is accurate to about n rounding errors, whatever its size.
// It returns a *[BlockError] for a negative or undefined rate, ErrTooLarge for more than [DefaultMemory], ErrReducible if
// there are several closed classes, and the error of ctx soon after that ends.
//
// Reference: W. K. Grassmann, M. I. Taksar, D. P. Heyman, Oper. Res. 33 (1985) 1107–1116; relative error bound by
// C. A. O'Cinneide, Numer. Math. 65 (1993) 109–120.
func Stationary(ctx context.Context, q mat.Matrix) ([]float64, error) {
	if block.Missing(q) {
		return nil, prefixed(blockError(0, "local", -1, -1, "is missing"))
	}
	rows, cols := q.Dims()
	if rows != cols || rows == 0 {
		return nil, prefixed(blockError(0, "local", -1, -1, "is %d×%d, not square", rows, cols))
	}
	if err := (*Memory)(nil).Check(8 * float64(rows) * float64(cols)); err != nil {
		return nil, prefixed(fmt.Errorf("%d states: %w", rows, err))
	}
	p := block.From(ctx, q)
	if err := ctx.Err(); err != nil {
		return nil, prefixed(err)
	}
	if err := checkRates(0, "local", p, true); err != nil {
		return nil, prefixed(err)
	}
	pi, err := block.StationaryGTH(ctx, p)
	return pi, prefixed(err)
}
