// Package inversion inverts Laplace transforms numerically.
package inversion

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/cmplx"

	"github.com/partwise/partwise/markov/parallel"
)

// terms is M: a transform is evaluated at 2M+1 points.
const terms = 24

// aliasing is e^{−2cT}, the error that the period causes for a function between 0 and 1.
const aliasing = 1e-9

// Window is a function f of time, between 0 and 1, on the interval (0, T]. It is computed from the Laplace
// transform F at c + ikπ/T as a Fourier series of period 2T,
//
//	f(t) ≈ e^{ct}/T·(F(c)/2 + Σ_k Re F(c + ikπ/T)·e^{ikπt/T}),
//
// which is summed as a continued fraction. The period adds the error Σ_{n≥1} e^{−2ncT}·f(2nT+t). The window is accurate
// for t ≥ T/10: earlier the function changes faster than so many terms can follow.
//
// Reference: F. R. de Hoog, J. H. Knight, A. N. Stokes, An improved method for numerical inversion of Laplace transforms,
// SIAM J. Sci. Statist. Comput. 3 (1982) 357–366.
type Window struct {
	length, shift float64      // T and c
	d, shorter    []complex128 // coefficients of the continued fraction, and of one with four terms less
}

// NewWindow returns the function on the interval (0, length]. It evaluates the transform at 2M+1 = 49 points with positive real part,
// several at a time. The error says that there is no transform or no length, or it comes from the transform or from ctx.
func NewWindow(ctx context.Context, length float64, transform func(ctx context.Context, s complex128) (complex128, error)) (
	*Window, error) {
	switch {
	case transform == nil:
		return nil, errors.New("markov: there is no transform")
	case !(length > 0) || math.IsInf(length, 1):
		return nil, fmt.Errorf("markov: %v is not a length of time", length)
	}
	w := &Window{length: length, shift: -math.Log(aliasing) / (2 * length)}
	a := make([]complex128, 2*terms+1)
	if err := parallel.Each(ctx, len(a), 0, func(k int) (err error) {
		a[k], err = transform(ctx, complex(w.shift, float64(k)*math.Pi/length))
		return err
	}); err != nil {
		return nil, err
	}
	a[0] /= 2
	w.d = fraction(a)
	w.shorter = fraction(a[:len(a)-4])
	return w, nil
}

// fraction returns the coefficients of the continued fraction d_0/(1 + d_1·z/(1 + d_2·z/…)) of the power series Σ
// a_k·z^k, by the quotient–difference algorithm. With q_1(i) = a_{i+1}/a_i and e_0 = 0,
//
//	e_r(i) = q_r(i+1) − q_r(i) + e_{r−1}(i+1),   q_{r+1}(i) = q_r(i+1)·e_r(i+1)/e_r(i),
//
// and d_0 = a_0, d_{2r−1} = −q_r(0), d_{2r} = −e_r(0).
func fraction(a []complex128) []complex128 {
	m := (len(a) - 1) / 2
	d := make([]complex128, 2*m+1)
	d[0] = a[0]
	q, e := make([]complex128, 2*m), make([]complex128, 2*m+1)
	for i := range q {
		q[i] = a[i+1] / a[i]
	}
	for r := 1; r <= m; r++ {
		d[2*r-1] = -q[0]
		next := make([]complex128, 2*m-2*r+1)
		for i := range next {
			next[i] = q[i+1] - q[i] + e[i+1]
		}
		d[2*r] = -next[0]
		if r == m {
			break
		}
		later := make([]complex128, 2*m-2*r)
		for i := range later {
			later[i] = q[i+1] * next[i+1] / next[i]
		}
		q, e = later, next
	}
	return d
}

// Length returns T.
func (w *Window) Length() float64 { return w.length }

// At returns the function at t, 0 < t ≤ T, and an estimate of its error: the error of the period, and ten times the
// change due to the last terms.
func (w *Window) At(t float64) (value, off float64) {
	value = w.sum(w.d, t)
	return value, aliasing + 10*math.Abs(value-w.sum(w.shorter, t))
}

// sum evaluates the continued fraction at z = e^{iπt/T} by the recursion of its numerators and denominators.
func (w *Window) sum(d []complex128, t float64) float64 {
	z := cmplx.Rect(1, math.Pi*t/w.length)
	above, aboveBefore := d[0], complex128(0)
	below, belowBefore := complex128(1), complex128(1)
	last := len(d) - 1
	for i := 1; i < last; i++ {
		above, aboveBefore = above+d[i]*z*aboveBefore, above
		below, belowBefore = below+d[i]*z*belowBefore, below
	}
	// The remainder of the fraction is estimated as if its coefficients repeated.
	h := (1 + (d[last-1]-d[last])*z) / 2
	rest := -h * (1 - cmplx.Sqrt(1+d[last]*z/(h*h)))
	above += rest * aboveBefore
	below += rest * belowBefore
	return math.Exp(w.shift*t) / w.length * real(above/below)
}
