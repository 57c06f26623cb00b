package decide

import (
	"math"
)

// root is a zero of a function, with the bracket that holds it.
type root struct {
	x, width float64
	slope    float64 // of the function across the last bracket that was wide enough to tell
}

// accuracy returns how far the zero may be off if values of the function are good to an error.
func (r root) accuracy(valueError float64) float64 {
	off := r.width / 2
	if r.slope != 0 {
		off += valueError / math.Abs(r.slope)
	}
	return off
}

// findRoot returns the zero of f between a and b, at which it has values of different signs, to a bracket
// of width tol, or the narrowest that floating point knows: inverse quadratic interpolation where it can be trusted,
// otherwise bisection.
//
// Reference: T. R. Chandrupatla, A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear
// function without using derivatives, Advances in Engineering Software 28 (1997) 145–149.
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

// quadratic returns where between a (0) and b (1) to look next.
func quadratic(a, b, c, fa, fb, fc float64) float64 {
	xi, phi := (a-b)/(c-b), (fa-fb)/(fc-fb)
	if !(phi*phi < xi && (1-phi)*(1-phi) < 1-xi) {
		return 0.5
	}
	return fa/(fb-fa)*fc/(fb-fc) + (c-a)/(b-a)*fa/(fc-fa)*fb/(fc-fb)
}
