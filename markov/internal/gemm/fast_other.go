//go:build !amd64

package gemm

import "gonum.org/v1/gonum/blas/blas64"

const available = false

func fast(bool, blas64.General, blas64.General, blas64.General) {
	panic("gemm: no kernel for this processor")
}
