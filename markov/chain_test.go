package markov_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/testdata/qbdtest"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// outside stands for the outside of a chain as a target of transitions.
const outside = -1

// newChain explores the chain on n states with these moves, all of which are a start.
func newChain(n int, moves func(i int, add func(to int, rate float64))) (*markov.Chain, error) {
	states := make([]int, n)
	for i := range states {
		states[i] = i
	}
	chain, _, err := markov.Explore(context.Background(), states, n,
		func(i int, add func(to int, rate float64), leave func(rate float64)) {
			moves(i, func(to int, rate float64) {
				if to == outside {
					leave(rate)
					return
				}
				add(to, rate)
			})
		})
	return chain, err
}

// birthDeath is M/M/c with room for most jobs.
func birthDeath(t testing.TB, lambda, mu float64, c, most int) *markov.Chain {
	chain, err := newChain(most+1, func(i int, add func(int, float64)) {
		if i < most {
			add(i+1, lambda)
		}
		if i > 0 {
			add(i-1, mu*float64(min(i, c)))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

// componentTol: a component is a product of a few hundred ratios, each right to a rounding or two.
const componentTol = 1e-13

func TestStationaryOfBirthAndDeath(t *testing.T) {
	const lambda, mu, c, most = 0.01, 1.0, 3, 150
	pi, d, err := birthDeath(t, lambda, mu, c, most).Stationary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, most+1)
	want[0] = 1
	for i := 1; i <= most; i++ {
		want[i] = want[i-1] * lambda / (mu * float64(min(i, c)))
	}
	floats.Scale(1/floats.Sum(want), want)
	if want[120] > 1e-290 || want[120] == 0 {
		t.Fatalf("the example has P(120) = %g", want[120])
	}
	for i, p := range pi {
		if want[i] > 1e-307 { // subnormal numbers have fewer digits
			qbdtest.Near(t, fmt.Sprintf("P(%d)", i), p, want[i], min(componentTol, d.ErrorBound))
		}
	}
}

// A torus has no order in which elimination stays sparse for long; the dense rest is reached, and must agree.
func TestStationarySparseAgainstDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, side := range []int{5, 12, 20} {
		n := side * side
		dense := mat.NewDense(n, n, nil)
		chain, err := newChain(n, func(i int, add func(int, float64)) {
			x, y := i%side, i/side
			for _, to := range []int{
				(x+1)%side + y*side, (x+side-1)%side + y*side, x + (y+1)%side*side, x + (y+side-1)%side*side,
			} {
				rate := math.Pow(10, -6*rng.Float64())
				add(to, rate)
				dense.Set(i, to, dense.At(i, to)+rate)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		got, d, err := chain.Stationary(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want, err := markov.Stationary(t.Context(), dense)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			qbdtest.Near(t, fmt.Sprintf("%d states, P(%d)", n, i), got[i], want[i], 2*d.ErrorBound)
		}
	}
}

func TestChainsThatHaveNoStationaryVector(t *testing.T) {
	two, err := newChain(4, func(i int, add func(int, float64)) { add(i^1, 1) })
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := two.Stationary(t.Context()); !errors.Is(err, markov.ErrReducible) {
		t.Errorf("two closed classes: %v", err)
	}
	left, err := newChain(2, func(i int, add func(int, float64)) { add(i^1, 1); add(outside, 0.1) })
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := left.Stationary(t.Context()); !errors.Is(err, markov.ErrReducible) {
		t.Errorf("a chain that is left: %v", err)
	}
	var block *markov.BlockError
	_, err = newChain(2, func(i int, add func(int, float64)) { add(1-i, -float64(i)) })
	if !errors.As(err, &block) || block.Row != 1 || block.Col != 0 {
		t.Errorf("a negative rate: %v", err)
	}
	transient, err := newChain(4, func(i int, add func(int, float64)) {
		if i < 3 {
			add(i+1, 1)
			return
		}
		add(2, 3)
	})
	if err != nil {
		t.Fatal(err)
	}
	pi, _, err := transient.Stationary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{0, 0, 0.75, 0.25}; !floats.EqualApprox(pi, want, 1e-15) {
		t.Errorf("with transient states: %v, want %v", pi, want)
	}
}

// Two states have e^{Qt} in closed form, for rates and times over many decades: by steps where Λt is small, by squaring
// where it is large.
func TestTransientOfTwoStates(t *testing.T) {
	for _, a := range []float64{1e-6, 1, 1e6} {
		for _, b := range []float64{1e-3, 1, 1e3} {
			chain, err := newChain(2, func(i int, add func(int, float64)) { add(1-i, []float64{a, b}[i]) })
			if err != nil {
				t.Fatal(err)
			}
			for _, time := range []float64{0, 1e-9, 0.3, 17, 1e4} {
				p, bound, err := chain.Transient(t.Context(), []float64{1, 0}, time)
				if err != nil {
					t.Fatal(err)
				}
				want := a / (a + b) * -math.Expm1(-(a+b)*time)
				if off := math.Abs(p[1] - want); !(off <= bound) {
					t.Errorf("rates %g, %g, time %g: P(1) = %v, want %v, bound %.1g", a, b, time, p[1], want, bound)
				}
				if !(bound < 1e-3) { // 2^34 roundings at the most
					t.Errorf("rates %g, %g, time %g: bound %.1g", a, b, time, bound)
				}
			}
		}
	}
}

// M/M/∞ from empty is Poisson of mean ρ(1 − e^{−μt}) at any time; cut off at 60 jobs, which are met with probability
// 1e-30.
func TestTransientOfInfiniteServers(t *testing.T) {
	const lambda, mu, most = 5.0, 0.7, 60
	chain := birthDeath(t, lambda, mu, most, most)
	start := make([]float64, most+1)
	start[0] = 1
	for _, time := range []float64{0.1, 1, 4} {
		p, bound, err := chain.Transient(t.Context(), start, time)
		if err != nil {
			t.Fatal(err)
		}
		mean := lambda / mu * -math.Expm1(-mu*time)
		want, off := math.Exp(-mean), 0.0
		for i, got := range p {
			off += math.Abs(got - want)
			want *= mean / float64(i+1)
		}
		if !(off <= bound) {
			t.Errorf("at time %g the states are off by %.2g, more than %.2g", time, off, bound)
		}
	}
}

// What leaves the chain is missing: a hypoexponential time of stages 1, 2, 3.
func TestTransientOfAnAbsorbingChain(t *testing.T) {
	moves := func(s int, add func(int, float64), leave func(float64)) {
		if s == 3 {
			leave(3)
			return
		}
		add(s+1, float64(s))
	}
	chain, states, err := markov.Explore(t.Context(), []int{1}, 10, moves)
	if err != nil {
		t.Fatal(err)
	}
	if len(states) != 3 || chain.Transitions() != 2 {
		t.Fatalf("states %v, %d transitions", states, chain.Transitions())
	}
	p, bound, err := chain.Transient(t.Context(), []float64{1, 0, 0}, 1.5)
	if err != nil {
		t.Fatal(err)
	}
	alive := 1 - math.Pow(-math.Expm1(-1.5), 3) // the largest of three exponential times has these stages
	if got := floats.Sum(p); math.Abs(got-alive) > bound {
		t.Errorf("P(T > 1.5) = %v, want %v ± %.1g", got, alive, bound)
	}
	forever := func(s int, add func(int, float64), _ func(float64)) { add(s+1, 1) }
	_, _, err = markov.Explore(t.Context(), []int{0}, 5, forever)
	if !errors.Is(err, markov.ErrTooLarge) {
		t.Errorf("an infinite chain: %v", err)
	}
}
