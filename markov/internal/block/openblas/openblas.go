//go:build openblas && cgo

// Package openblas multiplies blocks by OpenBLAS, in programs built with the tag openblas; it is apart because a
// package with assembly cannot call C.
package openblas

// #cgo LDFLAGS: -lopenblas enum { rowMajor = 101, noTrans = 111 }; void cblas_dgemm(int, int, int, int, int, int,
// double, const double *, int, const double *, int, double, double *, int);
import "C"

import "gonum.org/v1/gonum/blas/blas64"

// Product sets c = c + sign·a·b. How many cores it takes is OpenBLAS's to decide, by OPENBLAS_NUM_THREADS.
func Product(sign float64, a, b, c blas64.General) {
	C.cblas_dgemm(C.rowMajor, C.noTrans, C.noTrans, C.int(a.Rows), C.int(b.Cols), C.int(a.Cols),
		C.double(sign), (*C.double)(&a.Data[0]), C.int(a.Stride), (*C.double)(&b.Data[0]), C.int(b.Stride),
		1, (*C.double)(&c.Data[0]), C.int(c.Stride))
}
