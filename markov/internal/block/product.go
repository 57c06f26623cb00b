//go:build !openblas || !cgo

package block

import (
	"context"
	"runtime"

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
	case runtime.GOARCH == "amd64":
		return "gonum"
	}
	return "tiles in Go"
}
