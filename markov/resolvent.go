package markov

import (
	"context"
	"fmt"
	"math/cmplx"
)

// Resolvent returns y with y·(sI − Q) = x for s with positive real part, the transform of where a chain that starts with x
// is: ∫ e^{−st}·x·e^{Qt} dt. What the sum of absolute errors may be is bound, by the residual, since ‖(sI − Q)⁻¹‖ ≤ 1/Re s.
//
// It goes through the states forward and backward, each time handing on what has come to a state (Gauss and Seidel's
// method). However fast some states are left, that takes no more passes; few, if states are numbered so that transitions
// lead nearby.
//
// It returns ErrNoConvergence after so many passes that it does not seem to end, and the error of ctx soon after that ends.
func (c *Chain) Resolvent(ctx context.Context, s complex128, x []complex128) (y []complex128, bound float64, err error) {
	if c == nil || len(x) != c.States() || !(real(s) > 0) {
		return nil, 0, prefixed(blockError(0, "start", -1, -1, "has %d entries, or Re s = %v is not positive", len(x), real(s)))
	}
	const tol, most = 1e-13, 5000
	n := len(x)
	y, rest, mean := make([]complex128, n), append([]complex128(nil), x...), make([]complex128, n)
	for i, out := range c.out {
		mean[i] = 1 / (s + complex(out, 0))
	}
	hand := func(i int) {
		r := rest[i]
		if r == 0 {
			return
		}
		rest[i] = 0
		r *= mean[i]
		y[i] += r
		to, rates := c.row(i)
		for e, j := range to {
			v := rates[e]
			rest[j] += complex(real(r)*v, imag(r)*v)
		}
	}
	all := sizeOf(x)
	for range most {
		for i := range n {
			hand(i)
		}
		for i := n - 1; i >= 0; i-- {
			hand(i)
		}
		if err := ctx.Err(); err != nil {
			return nil, 0, prefixed(err)
		}
		if left := sizeOf(rest); left <= tol*all {
			return y, left / real(s), nil
		}
	}
	return nil, 0, prefixed(fmt.Errorf("transient solution: %w after %d passes", ErrNoConvergence, most))
}

func sizeOf(x []complex128) float64 {
	size := 0.0
	for _, v := range x {
		size += cmplx.Abs(v)
	}
	return size
}
