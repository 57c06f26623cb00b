package decide

import (
	"math"
)

// root is a zero of a function, and the last bracket that holds the zero.
type root struct {
	// x is the end of the bracket with the smaller |f|, width is the width of the bracket.
	x, width float64
	// slope is (f(b)−f(a))/(b−a) of the last bracket [a,b] with f(a) ≠ f(b).
	slope float64
}

// accuracy returns a bound on the distance between x and the zero, if values of the function have errors of up to
// valueError: width/2 + valueError/|slope|.
func (r root) accuracy(valueError float64) float64 {
	off := r.width / 2
	if r.slope != 0 {
		off += valueError / math.Abs(r.slope)
	}
	return off
}

// findRoot returns a zero of f between a and b. The values f(a) and f(b) must have different signs. The bracket of the
// result is at most tol wide, or as narrow as floating-point numbers permit.
//
// Each step evaluates f at x = a + t·(b−a), where a is the newest point and b the other end of the bracket. c is the
// previous end that left the bracket. The share t is that of inverse quadratic interpolation, see [quadratic], or ½.
//
// Reference: T. R. Chandrupatla, A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function
// without using derivatives, Advances in Engineering Software 28 (1997) 145–149.
func findRoot(f func(float64) (float64, error), a, b, tol float64) (root, error) {
	fa, err := f(a)
	if err != nil {
		return root{}, err
	}
	fb, err := f(b)
	if err != nil {
		return root{}, err
	}
	r := root{slope: (fb - fa) / (b - a)}
	switch {
	case fa == 0:
		r.x = a
		return r, nil
	case fb == 0:
		r.x = b
		return r, nil
	}
	t := 0.5
	for {
		x := a + t*(b-a)
		fx, err := f(x)
		if err != nil {
			return r, err
		}
		c, fc := a, fa
		if math.Signbit(fx) != math.Signbit(fa) {
			c, fc = b, fb
			b, fb = a, fa
		}
		a, fa = x, fx
		r.x, r.width = a, math.Abs(b-a)
		if math.Abs(fb) < math.Abs(fa) {
			r.x = b
		}
		if b != a && fb != fa {
			r.slope = (fb - fa) / (b - a)
		}
		least := max(tol, 4*math.Abs(r.x)*0x1p-52)
		share := least / (2 * r.width)
		if share > 0.5 || fa == 0 || fb == 0 {
			if fa == 0 || fb == 0 {
				r.width = least
			}
			return r, nil
		}
		t = quadratic(a, b, c, fa, fb, fc)
		t = min(1-share, max(share, t))
	}
}

// quadratic returns the share t of the way from a to b at which to evaluate the function next. a lies between b and c.
// Let
//
//	ξ = (a−b)/(c−b),   φ = (fa−fb)/(fc−fb).
//
// The parabola x(f) through the three points is monotone between b and c if φ² < ξ and (1−φ)² < 1−ξ. Then t is where that
// parabola has f = 0. Otherwise t is ½, a bisection.
func quadratic(a, b, c, fa, fb, fc float64) float64 {
	xi, phi := (a-b)/(c-b), (fa-fb)/(fc-fb)
	if !(phi*phi < xi && (1-phi)*(1-phi) < 1-xi) {
		return 0.5
	}
	return fa/(fb-fa)*fc/(fb-fc) + (c-a)/(b-a)*fa/(fc-fa)*fb/(fc-fb)
}
