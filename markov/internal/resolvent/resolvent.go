// Package resolvent solves the equations of the resolvent (sI − Q)⁻¹ of large sparse chains, class by class.
package resolvent

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/cmplxs"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/incomplete"
	"github.com/partwise/partwise/markov/internal/reduction"
)

// Solve returns y with y·(sI − Q) = x, for the generator Q of the chain and s with positive real part. x and y have an
// entry for each state of the chain; x is only read. bound limits the sum of the absolute errors of y: it follows from
// the residual, because ‖(sI − Q)⁻¹‖ ≤ 1/Re s.
//
// The equations are solved for one communicating class after the other, because no class leads back to a class before
// it. The equations of a class are solved by Gauss–Seidel passes. Each pass goes through the states forward and
// backward and hands on the residual of each state to the states to which its transitions lead. The number of passes
// does not depend on the fastest rates. It is small if states are numbered so that transitions lead nearby. If more
// than manyPasses, 20, further passes are expected, biconjugate gradients continue, with an incomplete elimination as
// preconditioner. The elimination takes as long as ten passes, and then 10 to 25 products with its factors suffice where
// passes as preconditioner took 60 to 200: close to saturation, jobs behind a job in service rise and fall slowly.
// After latePasses, 200, the equations of a class of up to mostEliminated, 1,500, states are solved by elimination.
//
// The error wraps [reduction.ErrNoConvergence] after mostPasses, 5,000, passes through a class, or is the error of ctx.
//
// Reference: H. A. van der Vorst, Bi-CGSTAB, SIAM J. Sci. Statist. Comput. 13 (1992) 631–644.
func (l *Classes) Solve(ctx context.Context, s complex128, x []complex128) (y []complex128, bound float64, err error) {
	const tol = 1e-13
	ordered, rest := make([]complex128, len(x)), make([]complex128, len(x))
	for i, state := range l.state {
		rest[i] = x[state]
	}
	enough := tol * sizeOf(x) / float64(len(x)) // for each state
	first := 0
	factor := l.factors.Get().(*incomplete.ComplexFactor)
	defer l.factors.Put(factor)
	for _, end := range l.ends {
		r := newEquations(l, first, int(end), s)
		r.factor = factor
		left, err := r.solve(ctx, ordered[first:end], rest[first:end], enough*float64(int(end)-first))
		if err != nil {
			return nil, 0, err
		}
		bound += (left + r.roundings(ordered[first:end])) / real(s)
		r.leaveClass(ordered[first:end], rest)
		first = int(end)
	}
	y = make([]complex128, len(x))
	for i, state := range l.state {
		y[state] = ordered[i]
	}
	return y, bound, nil
}

// equations are y·(sI − Q) = x within one communicating class, for one s. States are numbered within the class.
type equations struct {
	chain        *Classes
	start, leave []int32 // of the states of the class
	out          []float64
	s            complex128
	mean         []complex128              // 1/(s + out_i)
	factor       *incomplete.ComplexFactor // storage of the incomplete elimination
}

// newEquations returns the equations of the class with the places from first to end−1.
func newEquations(l *Classes, first, end int, s complex128) *equations {
	r := &equations{chain: l, start: l.start[first : end+1], leave: l.leave[first:end], out: l.out[first:end], s: s,
		mean: make([]complex128, end-first)}
	for i, out := range r.out {
		r.mean[i] = 1 / (s + complex(out, 0))
	}
	return r
}

// Passes reduce the residual by a factor that settles after fewPasses. From then on, the number of passes that are still
// needed is expected from this factor.
const (
	fewPasses  = 3
	manyPasses = 20   // with more passes to come, biconjugate gradients take over, once
	latePasses = 200  // passes after which a class is eliminated, once
	mostPasses = 5000 // passes after which the solution fails
)

// solve adds to y the solution for the residual rest, which it overwrites with the residual of the new y. It ends when
// the size of the residual, left, is at most enough. After biconjugate gradients or elimination it also ends if left is
// a rounding error. [Classes.Solve] describes the errors.
func (r *equations) solve(ctx context.Context, y, rest []complex128, enough float64) (left float64, err error) {
	x := slices.Clone(rest)
	accelerated, eliminated := false, len(x) > mostEliminated
	left = sizeOf(rest)
	for pass := 0; !(left <= enough); pass++ { // also if it is NaN
		if pass == mostPasses {
			return 0, fmt.Errorf("transient solution: %w after %d passes", reduction.ErrNoConvergence, mostPasses)
		}
		before := left
		r.backAndForth(y, rest)
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		left = sizeOf(rest)
		switch {
		case pass < fewPasses || left <= enough:
			continue
		case !accelerated && math.Log(left/enough) > manyPasses*math.Log(before/left):
			r.accelerate(ctx, x, y, rest, enough)
			accelerated = true
		case pass >= latePasses && !eliminated:
			r.eliminate(x, y, rest)
			eliminated = true
		default:
			continue
		}
		if left = sizeOf(rest); left <= r.roundings(y) {
			return left, nil
		}
	}
	return left, nil
}

// backAndForth makes a forward and a backward pass: it adds to y what the residual rest gives, and updates rest.
func (r *equations) backAndForth(y, rest []complex128) {
	for i := range rest {
		r.passOn(i, y, rest)
	}
	for i := len(rest) - 1; i >= 0; i-- {
		r.passOn(i, y, rest)
	}
}

// passOn adds v = rest_i/(s + out_i) to y_i, sets rest_i to zero and hands v on within the class: rest_j grows by the
// product of v and the rate from i to j.
func (r *equations) passOn(i int, y, rest []complex128) {
	v := rest[i]
	if v == 0 {
		return
	}
	rest[i] = 0
	v *= r.mean[i]
	y[i] += v
	r.handOn(v, rest, r.start[i], r.leave[i])
}

// handOn adds to rest the product of v with the rates of the transitions from first to last−1.
func (r *equations) handOn(v complex128, rest []complex128, first, last int32) {
	re, im := real(v), imag(v)
	rates := r.chain.rate[first:last]
	for e, j := range r.chain.to[first:last] {
		w := &rest[j]
		rate := rates[e]
		*w = complex(real(*w)+re*rate, imag(*w)+im*rate)
	}
}

// leaveClass adds to rest, the residuals of all classes, the flows from the states of the class to other classes.
func (r *equations) leaveClass(y, rest []complex128) {
	for i, v := range y {
		r.handOn(v, rest, r.leave[i], r.start[i+1])
	}
}

// accelerate improves y by biconjugate gradients, preconditioned by an incomplete elimination, given the residual rest of y and the
// residual x of y = 0. It ends when rest is small, when the method breaks down, or after 300 steps. It leaves the y with the
// smallest residual, and computes the residual anew. If ctx ends, it stops; the caller checks ctx.
func (r *equations) accelerate(ctx context.Context, x, y, rest []complex128, enough float64) {
	const steps = 300
	const drop = 0.01 // with 0.003 elimination takes 1.4 times as long, and all solutions together take the same time
	if err := r.factor.Eliminate(ctx, r.s, r.out, r.transitions, drop); err != nil {
		return
	}
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
		// A preconditioned step along p, then a step that minimises the residual along its image.
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
	r.residual(x, y, rest)
}

// transitions returns the transitions of state i within the class.
func (r *equations) transitions(i int) (to []int32, rates []float64) {
	return r.chain.to[r.start[i]:r.leave[i]], r.chain.rate[r.start[i]:r.leave[i]]
}

// mostEliminated is the largest number of states of a class whose equations are solved by elimination. At worst, all
// entries of the factors are filled: 50 MB for each processor, and a second or two of multiplications.
const mostEliminated = 1500

// eliminate sets y to the solution by elimination, improved once by its residual, and computes rest anew. x is the
// residual of y = 0.
func (r *equations) eliminate(x, y, rest []complex128) {
	type entry struct {
		from int
		rate float64
	}
	into := make([][]entry, len(x)) // by state: the transitions to it
	for i := range x {
		for e := r.start[i]; e < r.leave[i]; e++ {
			j := r.chain.to[e]
			into[j] = append(into[j], entry{i, r.chain.rate[e]})
		}
	}
	factors := block.FactorComplex(len(x), func(j int, row []complex128) {
		row[j] = r.s + complex(r.out[j], 0)
		for _, e := range into[j] {
			row[e.from] -= complex(e.rate, 0)
		}
	})
	clear(y)
	copy(rest, x)
	for range 2 {
		factors.Solve(rest)
		cmplxs.Add(y, rest)
		r.residual(x, y, rest)
	}
}

// image overwrites z with p times the approximate inverse of sI − Q, and the vector to with z·(sI − Q).
func (r *equations) image(to, z, p []complex128) {
	copy(z, p)
	r.factor.SolveLeft(z)
	for i, v := range z {
		to[i] = v * (r.s + complex(r.out[i], 0))
	}
	for i, v := range z {
		r.handOn(-v, to, r.start[i], r.leave[i])
	}
}

// residual sets rest to x − y·(sI − Q).
func (r *equations) residual(x, y, rest []complex128) {
	copy(rest, x)
	for i, v := range y {
		rest[i] -= v * (r.s + complex(r.out[i], 0))
		r.handOn(v, rest, r.start[i], r.leave[i])
	}
}

// roundings returns an estimate of the rounding errors of the residual of y: a few for each term.
func (r *equations) roundings(y []complex128) float64 {
	sum := 0.0
	for i, v := range y {
		sum += (math.Abs(real(v)) + math.Abs(imag(v))) * (cmplx.Abs(r.s) + r.out[i])
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

// sizeOf returns the sum of the absolute real and imaginary parts, an upper bound on the sum of the absolute values.
func sizeOf(x []complex128) float64 {
	size := 0.0
	for _, v := range x {
		size += math.Abs(real(v)) + math.Abs(imag(v))
	}
	return size
}
