package markov_test

import (
	"context"
	"fmt"
	"math"

	"github.com/partwise/partwise/markov"
	"gonum.org/v1/gonum/mat"
)

// M/M/1 level by level: one boundary level, from which on nothing changes.
func ExampleQBD() {
	up, none, down := mat.NewDense(1, 1, []float64{0.5}), mat.NewDense(1, 1, nil), mat.NewDense(1, 1, []float64{1})
	q := &markov.QBD{
		Boundary:  []markov.Level{{Up: up, Local: none}},
		Repeating: markov.Level{Up: up, Local: none, Down: down},
	}
	s, err := q.Solve(context.Background(), markov.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mean %.3f, P(0) %.3f, P(> 9) %.3g\n", s.Mean(), s.Probability(0), s.Tail(9))
	// Output:
	// mean 1.000, P(0) 0.500, P(> 9) 0.000977
}

// Two machines and one who repairs them: the levels are the machines that are broken.
func ExampleFiniteQBD() {
	rate := func(x float64) mat.Matrix { return mat.NewDense(1, 1, []float64{x}) }
	q := &markov.FiniteQBD{Levels: []markov.Level{
		{Up: rate(2 * 0.1), Local: rate(0)},
		{Up: rate(0.1), Local: rate(0), Down: rate(1)},
		{Local: rate(0), Down: rate(1)},
	}}
	s, err := q.Solve(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("all work %.4f, none works %.4f\n", s.Probability(0), s.Probability(2))
	// Output:
	// all work 0.8197, none works 0.0164
}

// How likely a machine that starts well is broken after a while, with a bound of the error.
func ExampleChain_Transient() {
	chain, err := markov.NewChain(2, func(i int, add func(to int, rate float64)) {
		add(1-i, []float64{0.1, 1}[i])
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, bound, err := chain.Transient(context.Background(), []float64{1, 0}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	exact := 0.1 / 1.1 * (1 - math.Exp(-1.1*2))
	fmt.Printf("broken %.6f, within the bound: %v\n", p[1], math.Abs(p[1]-exact) <= bound)
	// Output:
	// broken 0.080836, within the bound: true
}

// A tandem of two stations with three jobs between them, explored from the state in which all are at the first.
func ExampleExplore() {
	type state struct{ first, second int }
	chain, states, err := markov.Explore(context.Background(), []state{{3, 0}}, 100,
		func(s state, add func(to state, rate float64), leave func(rate float64)) {
			if s.first > 0 {
				add(state{s.first - 1, s.second + 1}, 2)
			}
			if s.second > 0 {
				add(state{s.first + 1, s.second - 1}, 1)
			}
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	pi, _, err := chain.Stationary(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, s := range states {
		fmt.Printf("%d at the first: %.4f\n", s.first, pi[i])
	}
	// Output:
	// 3 at the first: 0.0667
	// 2 at the first: 0.1333
	// 1 at the first: 0.2667
	// 0 at the first: 0.5333
}
