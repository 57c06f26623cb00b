package markov

import (
	"context"
	"math/cmplx"
)

// lu is a factorisation of a square complex matrix with row exchanges; the diagonal holds the reciprocals of that of U.
type lu struct {
	n     int
	m     []complex128
	pivot []int
}

// factor factors m, n×n row after row, in place. It stops early when ctx is done; the factors are then of no use.
func factor(ctx context.Context, m []complex128, n int) *lu {
	f := &lu{n, m, make([]int, n)}
	for k := range n {
		if ctx.Err() != nil {
			return f
		}
		p := k
		for i := k + 1; i < n; i++ {
			if cmplx.Abs(m[i*n+k]) > cmplx.Abs(m[p*n+k]) {
				p = i
			}
		}
		f.pivot[k] = p
		if p != k {
			a, b := m[k*n:(k+1)*n], m[p*n:(p+1)*n]
			for j := range a {
				a[j], b[j] = b[j], a[j]
			}
		}
		from := m[k*n : (k+1)*n]
		from[k] = 1 / from[k]
		for i := k + 1; i < n; i++ {
			row := m[i*n : (i+1)*n]
			if row[k] == 0 {
				continue
			}
			l := row[k] * from[k]
			row[k] = l
			for j := k + 1; j < n; j++ {
				row[j] -= l * from[j]
			}
		}
	}
	return f
}

// solveLeft overwrites x with x·M⁻¹.
func (f *lu) solveLeft(x []complex128) {
	n, m := f.n, f.m
	for k := range n { // x·U⁻¹
		row := m[k*n : (k+1)*n]
		x[k] *= row[k]
		for j := k + 1; j < n; j++ {
			x[j] -= x[k] * row[j]
		}
	}
	for k := n - 1; k > 0; k-- { // x·L⁻¹
		for j, l := range m[k*n : k*n+k] {
			x[j] -= x[k] * l
		}
	}
	for k := n - 1; k >= 0; k-- {
		p := f.pivot[k]
		x[k], x[p] = x[p], x[k]
	}
}
