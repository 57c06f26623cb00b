package markov

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/cmplxs"

	"github.com/partwise/partwise/markov/internal/block"
)

// Resolvent returns y with y·(sI − Q) = x for s with positive real part, the transform of where a chain that starts with x
// is: ∫ e^{−st}·x·e^{Qt} dt. What the sum of absolute errors may be is bound, by the residual, since ‖(sI − Q)⁻¹‖ ≤ 1/Re s.
//
// It goes through the states forward and backward, each time handing on what has come to a state (Gauss and Seidel's
// method). However fast some states are left, that takes no more passes; few, if states are numbered so that transitions
// lead nearby. Where they are not so few, what the passes leave is the start of biconjugate gradients, of which a pass is
// the preconditioner; the residual is that of what they find.
//
// It returns ErrNoConvergence after so many passes that it does not seem to end, and the error of ctx soon after that ends.
//
// Reference: H. A. van der Vorst, Bi-CGSTAB, SIAM J. Sci. Statist. Comput. 13 (1992) 631–644.
func (c *Chain) Resolvent(ctx context.Context, s complex128, x []complex128) (y []complex128, bound float64, err error) {
	if c == nil || len(x) != c.States() || !(real(s) > 0) {
		return nil, 0, prefixed(blockError(0, "start", -1, -1, "has %d entries, or Re s = %v is not positive", len(x), real(s)))
	}
	const tol, few, most = 1e-13, 20, 5000
	r := &resolvent{chain: c, mean: make([]complex128, len(x))}
	for i, out := range c.out {
		r.mean[i] = 1 / (s + complex(out, 0))
	}
	y, rest := make([]complex128, len(x)), slices.Clone(x)
	enough := tol * sizeOf(x)
	for pass := 0; pass < most; pass++ {
		r.pass(y, rest)
		if err := ctx.Err(); err != nil {
			return nil, 0, prefixed(err)
		}
		unavoidable := 0.0
		if pass == few {
			r.accelerate(ctx, s, x, y, rest, enough)
			unavoidable = r.roundings(s, y)
		}
		if left := sizeOf(rest); left <= max(enough, unavoidable) {
			return y, (left + r.roundings(s, y)) / real(s), nil
		}
	}
	return nil, 0, prefixed(fmt.Errorf("transient solution: %w after %d passes", ErrNoConvergence, most))
}

// resolvent solves for one s.
type resolvent struct {
	chain *Chain
	mean  []complex128 // 1/(s + out)
}

// pass hands on what is in rest, of which y has what came to each state, forward and backward.
func (r *resolvent) pass(y, rest []complex128) {
	for i := range rest {
		r.hand(i, y, rest)
	}
	for i := len(rest) - 1; i >= 0; i-- {
		r.hand(i, y, rest)
	}
}

func (r *resolvent) hand(i int, y, rest []complex128) {
	v := rest[i]
	if v == 0 {
		return
	}
	rest[i] = 0
	v *= r.mean[i]
	y[i] += v
	re, im := real(v), imag(v)
	to, rates := r.chain.row(i)
	rates = rates[:len(to)]
	for e, j := range to {
		rate := rates[e]
		rest[j] += complex(re*rate, im*rate)
	}
}

// accelerate improves y, of which rest is the residual, until that is small, the method breaks down or it takes too long. It
// leaves the true residual, computed anew.
func (r *resolvent) accelerate(ctx context.Context, s complex128, x, y, rest []complex128, enough float64) {
	const steps = 300
	n := len(y)
	shadow := slices.Clone(rest)
	p, v, z, image := make([]complex128, n), make([]complex128, n), make([]complex128, n), make([]complex128, n)
	var rho, alpha, omega complex128 = 1, 1, 1
	best, size := slices.Clone(y), sizeOf(rest)
	for range steps {
		before := rho
		rho = inner(shadow, rest)
		beta := rho / before * alpha / omega
		for i := range p {
			p[i] = rest[i] + beta*(p[i]-omega*v[i])
		}
		r.image(v, z, p)
		alpha = rho / inner(shadow, v)
		cmplxs.AddScaled(y, alpha, z)
		cmplxs.AddScaled(rest, -alpha, v)
		r.image(image, z, rest)
		omega = inner(image, rest) / inner(image, image)
		cmplxs.AddScaled(y, omega, z)
		cmplxs.AddScaled(rest, -omega, image)
		now := sizeOf(rest)
		if now < size {
			copy(best, y)
			size = now
		}
		if !(now > enough/2) || cmplx.IsNaN(alpha) || cmplx.IsNaN(omega) || ctx.Err() != nil {
			break
		}
	}
	copy(y, best)
	r.residual(s, x, y, rest)
}

// image sets z to what a pass makes of p, and to to z·(sI − Q).
func (r *resolvent) image(to, z, p []complex128) {
	clear(z)
	copy(to, p)
	r.pass(z, to)
	for i := range to {
		to[i] = p[i] - to[i]
	}
}

// residual sets rest to x − y·(sI − Q).
func (r *resolvent) residual(s complex128, x, y, rest []complex128) {
	copy(rest, x)
	for i, v := range y {
		rest[i] -= v * (s + complex(r.chain.out[i], 0))
		to, rates := r.chain.row(i)
		for e, j := range to {
			rest[j] += v * complex(rates[e], 0)
		}
	}
}

// roundings returns those of the residual of y, a few of each term.
func (r *resolvent) roundings(s complex128, y []complex128) float64 {
	sum := 0.0
	for i, v := range y {
		sum += (math.Abs(real(v)) + math.Abs(imag(v))) * (cmplx.Abs(s) + r.chain.out[i])
	}
	return 8 * block.UnitRoundoff * sum
}

// inner returns Σ conj(a_i)·b_i.
func inner(a, b []complex128) complex128 {
	var re, im float64
	for i, v := range a {
		w := b[i]
		re += real(v)*real(w) + imag(v)*imag(w)
		im += real(v)*imag(w) - imag(v)*real(w)
	}
	return complex(re, im)
}

// sizeOf returns the sum of the absolute real and imaginary parts, an upper bound of that of the absolute values.
func sizeOf(x []complex128) float64 {
	size := 0.0
	for _, v := range x {
		size += math.Abs(real(v)) + math.Abs(imag(v))
	}
	return size
}
