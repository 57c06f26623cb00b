//go:build !openblas || !cgo

package block

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
)

func product(ctx context.Context, subtract bool, a, b, c blas64.General) { own(ctx, subtract, a, b, c) }

// Kernel names what multiplies blocks.
func Kernel() string {
	switch {
	case replaced():
		return "another BLAS"
	case available:
		return "AVX2 and FMA"
	}
	return "gonum"
}
