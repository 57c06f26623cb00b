package markov_test

import (
	"fmt"
	"math/cmplx"
	"testing"
)

// TestResolvent holds the transform of a random walk against the elimination of its tridiagonal equations, for s at which a
// few passes do and for some at which they would be many.
func TestResolvent(t *testing.T) {
	const n, up, down = 400, 0.95, 1.0
	chain, err := newChain(n, func(i int, add func(to int, rate float64)) {
		if i+1 < n {
			add(i+1, up)
		}
		if i > 0 {
			add(i-1, down)
		} else {
			add(outside, 0.1)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	x := make([]complex128, n)
	for i := range x {
		x[i] = complex(1/float64(n), 0)
	}
	for _, s := range []complex128{1, 0.01 + 0.1i, 1e-4 + 1e-3i, 1e-4} {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			y, bound, err := chain.Resolvent(t.Context(), s, x)
			if err != nil {
				t.Fatal(err)
			}
			off := 0.0
			for i, want := range walked(s, x, up, down, 0.1) {
				off += cmplx.Abs(y[i] - want)
			}
			size := 0.0
			for _, v := range y {
				size += cmplx.Abs(v)
			}
			// the elimination has roundings of its own, of the same size
			if !(bound <= 1e-7*size && off <= 2*bound) {
				t.Errorf("off by %.2g of %.2g, the bound is %.2g", off, size, bound)
			}
		})
	}
}

// walked solves y·(sI − Q) = x of a random walk that is left from its first state.
func walked(s complex128, x []complex128, up, down, leave float64) []complex128 {
	n := len(x)
	y, pivot := append([]complex128(nil), x...), make([]complex128, n)
	for i := range pivot {
		out := leave
		if i > 0 {
			out = down
		}
		if i+1 < n {
			out += up
		}
		pivot[i] = s + complex(out, 0)
		if i > 0 {
			l := complex(up, 0) / pivot[i-1]
			pivot[i] -= l * complex(down, 0)
			y[i] += l * y[i-1]
		}
	}
	for i := n - 1; i >= 0; i-- {
		if i+1 < n {
			y[i] += complex(down, 0) * y[i+1]
		}
		y[i] /= pivot[i]
	}
	return y
}

// TestResolventOfClasses: states that lead to each other in rings, and rings that lead to later rings, in an order that
// hides them. The transform of the mass of all states follows from the rings one by one: a ring is left at one rate from
// all of its states.
func TestResolventOfClasses(t *testing.T) {
	const rings, size, round = 5, 7, 3.0
	ring := func(i int) (ring, at int) { return i % rings, i / rings }
	leave := func(ring int) float64 { return 0.1 * float64(ring+1) }
	chain, err := newChain(rings*size, func(i int, add func(to int, rate float64)) {
		r, at := ring(i)
		add(r+rings*((at+1)%size), round)
		if r == 0 { // the last ring is left for good
			add(outside, leave(r))
		} else {
			add(r-1+rings*at, leave(r))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	x := make([]complex128, rings*size)
	x[rings-1] = 1
	s := 0.2 + 0.7i
	y, bound, err := chain.Resolvent(t.Context(), s, x)
	if err != nil {
		t.Fatal(err)
	}
	mass := make([]complex128, rings)
	for i, v := range y {
		r, _ := ring(i)
		mass[r] += v
	}
	inflow := complex128(1)
	for r := rings - 1; r >= 0; r-- {
		want := inflow / (s + complex(leave(r), 0))
		if off := cmplx.Abs(mass[r] - want); !(off <= bound && bound <= 1e-11) {
			t.Errorf("ring %d: %v, want %v, the bound is %.2g", r, mass[r], want, bound)
		}
		inflow = want * complex(leave(r), 0)
	}
}
