//go:build !amd64

package block

import (
	"context"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

const (
	available = false
	widest    = 12
	tileRows  = 4
)

func fast(context.Context, blas64.General, blas64.General, blas64.General, float64) {
	panic("block: no kernel for this processor")
}

func fastGaussJordan(context.Context, blas64.General, int, blas64.General) {
	panic("block: no kernel for this processor")
}

func fastCombine(_, _ []float64, _ []int32, _ []float64, _ int) {
	panic("block: no kernel for this processor")
}

func fastCombineRows(blas64.General, []float64, []float64, []float64, [4]int, int) {
	panic("block: no kernel for this processor")
}

func fastInvertSquare(*square, int) int { panic("block: no kernel for this processor") }

func serialSingle(context.Context, int, []float32, int, blas32.General, []float32, int) {
	panic("block: no kernel for this processor")
}

func roundDifferences(int, *float32, *float64, *float64) {
	panic("block: no kernel for this processor")
}

func addSingles(int, *float64, *float64, *float32) {
	panic("block: no kernel for this processor")
}

func anyChangedMore(int, *float64, *float64, *float64, float64) bool {
	panic("block: no kernel for this processor")
}
