//go:build !amd64

package gemm

import "gonum.org/v1/gonum/blas/blas64"

const (
	available = false
	widest    = 12
)

func fast(bool, blas64.General, blas64.General, blas64.General) {
	panic("gemm: no kernel for this processor")
}

func fastSweep(blas64.General, int, blas64.General) { panic("gemm: no kernel for this processor") }

func fastCombine(_, _, _ []float64, _ []int32, _ []float64, _ int) {
	panic("gemm: no kernel for this processor")
}

func fastCombineRows(blas64.General, []float64, []float64, []float64, [4]int, int) {
	panic("gemm: no kernel for this processor")
}

func fastInvertSquare(*Square, int) int { panic("gemm: no kernel for this processor") }
