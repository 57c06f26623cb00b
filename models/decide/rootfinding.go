package decide

import (
	"math"
)

// uncertain is a computed value with a bound on its error.
type uncertain struct{ value, off float64 }

// root is a zero of a function, and the last bracket that holds the zero.
type root struct {
	// x is the end of the bracket with the smaller |f|, width is the width of the bracket.
	x, width float64
	// off is the larger error bound of f at the ends of the bracket.
	off float64
	// slope is (f(b)−f(a))/(b−a) of the last bracket [a,b] whose difference f(b)−f(a) is well above its error.
	slope float64
}

// accuracy returns a bound on the distance between x and the zero of the exact function: width/2 + off/|slope|.
func (r root) accuracy() float64 {
	accuracy := r.width / 2
	if r.slope != 0 {
		accuracy += r.off / math.Abs(r.slope)
	}
	return accuracy
}

// narrow records the bracket with the ends a and b, where f has the values fa and fb.
func (r *root) narrow(a, b float64, fa, fb uncertain) {
	const certain = 16 // the relative error of such a slope is at most 1/16
	r.x, r.width, r.off = a, math.Abs(b-a), max(fa.off, fb.off)
	if math.Abs(fb.value) < math.Abs(fa.value) {
		r.x = b
	}
	if rise := fb.value - fa.value; b != a && rise != 0 && (r.slope == 0 || math.Abs(rise) >= certain*(fa.off+fb.off)) {
		r.slope = rise / (b - a)
	}
}

// findRoot returns a zero of f between a and b. The values f(a) and f(b) must have different signs. The bracket of the
// result is at most tol wide, or as narrow as floating-point numbers permit.
//
// Each step evaluates f at x = a + t·(b−a), where a is the newest point and b the other end of the bracket. c is the
// previous end that left the bracket. The share t comes from inverse quadratic interpolation, see [quadratic], or is ½.
//
// Reference: T. R. Chandrupatla, A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function
// without using derivatives, Advances in Engineering Software 28 (1997) 145–149.
func findRoot(f func(float64) (uncertain, error), a, b, tol float64) (root, error) {
	fa, err := f(a)
	if err != nil {
		return root{}, err
	}
	fb, err := f(b)
	if err != nil {
		return root{}, err
	}
	var r root
	r.narrow(a, b, fa, fb)
	if fa.value == 0 || fb.value == 0 {
		r.width = 0
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
		if math.Signbit(fx.value) != math.Signbit(fa.value) {
			c, fc = b, fb
			b, fb = a, fa
		}
		a, fa = x, fx
		r.narrow(a, b, fa, fb)
		least := max(tol, 4*math.Abs(r.x)*0x1p-52)
		share := least / (2 * r.width)
		if share > 0.5 || fa.value == 0 || fb.value == 0 {
			if fa.value == 0 || fb.value == 0 {
				r.width = least
			}
			return r, nil
		}
		t = quadratic(a, b, c, fa.value, fb.value, fc.value)
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
