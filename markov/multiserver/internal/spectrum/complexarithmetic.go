package spectrum

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/cblas128"
	"gonum.org/v1/gonum/cmplxs"

	"github.com/partwise/partwise/markov/internal/block"
)

// sizeOf returns the larger of |Re v| and |Im v|. It is the absolute value up to a factor of √2, and cheaper when
// pivots are chosen.
func sizeOf(v complex128) float64 { return max(math.Abs(real(v)), math.Abs(imag(v))) }

// quotient returns x/y. Most divisors are real, and a division of complex numbers takes five times as long.
func quotient(x, y complex128) complex128 {
	if imag(y) == 0 {
		return complex(real(x)/real(y), imag(x)/real(y))
	}
	return x / y
}

// power returns x^n for n ≥ 0, by n multiplications.
func power(x complex128, n int) complex128 {
	y := complex(1, 0)
	for range n {
		y *= x
	}
	return y
}

// times returns Σ x_i·y_i, without conjugation: the product of a row and a column of the same length.
func times(x, y []complex128) (sum complex128) {
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// normaliseLargest divides x in place by its largest entry in the sense of [sizeOf], so that this entry becomes 1. The
// search skips entries that are NaN. The function reports false, and leaves x, if all other entries are 0 or the
// largest is infinite.
func normaliseLargest(x []complex128) bool {
	var largest complex128
	size := 0.0
	for _, v := range x {
		if w := sizeOf(v); w > size {
			largest, size = v, w
		}
	}
	if size == 0 || cmplx.IsNaN(largest) || cmplx.IsInf(largest) {
		return false
	}
	cmplxs.Scale(1/largest, x)
	return true
}

// timesRates overwrites the vector to with x·m, for a complex row x and a real matrix m of rates. to has as many
// entries as m has columns.
func timesRates(to, x []complex128, m block.Matrix) {
	for j := range to {
		to[j] = 0
		for i, v := range x {
			to[j] += v * complex(m.At(i, j), 0)
		}
	}
}

// upperSolve overwrites x, a matrix of n rows, with u⁻¹·x for upper triangular u of order n. Both are stored by rows.
func upperSolve(u []complex128, n int, x []complex128) {
	cblas128.Trsm(blas.Left, blas.NoTrans, 1, upper(u, n), blocks(x, n))
}

// upperTimes overwrites x, a matrix of n rows, with u·x for upper triangular u of order n. Both are stored by rows. It
// scales the vectors of all phases of a switch-over at once.
func upperTimes(u []complex128, n int, x []complex128) {
	cblas128.Trmm(blas.Left, blas.NoTrans, 1, upper(u, n), blocks(x, n))
}

// upper returns u, stored by rows, as an upper triangular matrix of order n for BLAS, without a copy.
func upper(u []complex128, n int) cblas128.Triangular {
	return cblas128.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: n, Stride: n, Data: u}
}

// blocks returns x, stored by rows, as a matrix of n rows for BLAS, without a copy.
func blocks(x []complex128, n int) cblas128.General {
	return cblas128.General{Rows: n, Cols: len(x) / n, Stride: len(x) / n, Data: x}
}

// transposedLU returns the factors of the transpose of m, of order n, as [block.ComplexSolve] takes them. With them a
// row is multiplied by m⁻¹ from the right. m stays unchanged.
func transposedLU(m []complex128, n int) []complex128 {
	t := make([]complex128, n*n)
	for i := range n {
		for j := range n {
			t[i*n+j] = m[j*n+i]
		}
	}
	block.ComplexLU(t, n)
	return t
}

// solvePivoted overwrites x with m⁻¹·x, by elimination with partial pivoting of m, of order n by rows. It returns the
// determinant of m. m is overwritten: its upper triangle becomes the eliminated matrix with inverse pivots on the
// diagonal, and the rest has no meaning.
//
// A pivot of at most 10⁻¹⁷ times the largest entry of m is replaced by this bound: inverse iteration needs m⁻¹·x at an
// eigenvalue, where m is singular.
func solvePivoted(m []complex128, n int, x []complex128) (determinant complex128) {
	norm := 0.0
	determinant = 1
	for _, v := range m {
		norm = max(norm, sizeOf(v))
	}
	for k := range n {
		p := k
		for i := k + 1; i < n; i++ {
			if sizeOf(m[i*n+k]) > sizeOf(m[p*n+k]) {
				p = i
			}
		}
		if p != k {
			for j := range n {
				m[k*n+j], m[p*n+j] = m[p*n+j], m[k*n+j]
			}
			x[k], x[p] = x[p], x[k]
			determinant = -determinant
		}
		if sizeOf(m[k*n+k]) <= 1e-17*norm {
			m[k*n+k] = complex(1e-17*norm, 0)
		}
		determinant *= m[k*n+k]
		m[k*n+k] = 1 / m[k*n+k]
		for i := k + 1; i < n; i++ {
			l := m[i*n+k] * m[k*n+k]
			for j := k + 1; j < n; j++ {
				m[i*n+j] -= l * m[k*n+j]
			}
			x[i] -= l * x[k]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j < n; j++ {
			x[i] -= m[i*n+j] * x[j]
		}
		x[i] *= m[i*n+i]
	}
	return determinant
}

// complexEigenvalues returns the eigenvalues of a small matrix m of order n by rows, the zeros of det(λI − m), in no
// order. It moves all of them by
//
//	λ_i −= det(λ_i·I − m)/Π_{j≠i} (λ_i − λ_j),
//
// the iteration of Weierstrass, Durand and Kerner. It ends when no relative move exceeds 10⁻¹⁰, or after 200 rounds.
// The eigenvalues have some digits and are starting points for other iterations. They are NaN where m has NaN. m stays
// unchanged.
//
// Reference: E. Durand, Solutions numériques des équations algébriques, Masson, 1960, vol. 1.
func complexEigenvalues(m []complex128, n int) []complex128 {
	norm := 0.0
	for i := range n {
		sum := 0.0
		for _, v := range m[i*n : (i+1)*n] {
			sum += cmplx.Abs(v)
		}
		norm = max(norm, sum)
	}
	values := make([]complex128, n)
	for i := range values {
		values[i] = cmplx.Rect(norm*float64(i+1)/float64(n), 0.4+2*math.Pi*float64(i)/float64(n))
	}
	shifted, unused := make([]complex128, n*n), make([]complex128, n)
	for range 200 {
		moved := 0.0
		for i, v := range values {
			cmplxs.ScaleTo(shifted, -1, m)
			for k := range n {
				shifted[k*n+k] += v
			}
			step := solvePivoted(shifted, n, unused)
			for j, w := range values {
				if j != i {
					step /= v - w
				}
			}
			values[i] -= step
			moved = max(moved, cmplx.Abs(step)/(cmplx.Abs(values[i])+1e-300))
		}
		if !(moved > 1e-10) {
			break
		}
	}
	return values
}
