//go:build openblas && cgo

package block

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/partwise/partwise/markov/internal/block/openblas"
)

// smallest is the number of multiplications below which a call into C costs more than it saves.
const smallest = 30_000

// largest is the number of multiplications of one call: some hundredths of a second, after which ctx is looked at.
const largest = 500_000_000

func product(ctx context.Context, subtract bool, a, b, c blas64.General) {
	if a.Rows*a.Cols*b.Cols < smallest {
		own(ctx, subtract, a, b, c)
		return
	}
	rows := max(tileRows, largest/(a.Cols*b.Cols)/tileRows*tileRows)
	for i := 0; i < a.Rows && ctx.Err() == nil; i += rows {
		i1 := min(i+rows, a.Rows)
		openblas.Product(sign(subtract), part(a, i, i1, 0, a.Cols), b, part(c, i, i1, 0, c.Cols))
	}
}

// Kernel names what multiplies blocks.
func Kernel() string { return "OpenBLAS" }
