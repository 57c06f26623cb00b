package markov_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/partwise/partwise/markov"
)

// M/M/1 level by level: one boundary level, from which on nothing changes. R is the load, and G, that the queue becomes
// shorter some day, is certain.
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
	fmt.Printf("mean %.3f, P(0) %.3f, P(> 0) %.3f, P(> 9) %.3g\n", s.Mean(), s.Probability(0), s.Tail(0), s.Tail(9))
	g, err := s.G(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	decay, err := s.DecayRate(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("R %.3f, G %.3f, decay rate %.3f\n", s.R().At(0, 0), g.At(0, 0), decay)
	// Output:
	// mean 1.000, P(0) 0.500, P(> 0) 0.500, P(> 9) 0.000977
	// R 0.500, G 1.000, decay rate 0.500
}

// An overloaded M/M/1 queue has no stationary distribution. How many jobs are
// there ten mean service times after it opened empty?
func ExampleQBD_Transient() {
	up, none, down := mat.NewDense(1, 1, []float64{2}), mat.NewDense(1, 1, nil), mat.NewDense(1, 1, []float64{1})
	q := &markov.QBD{
		Boundary:  []markov.Level{{Up: up, Local: none}},
		Repeating: markov.Level{Up: up, Local: none, Down: down},
	}
	empty := [][]float64{{1}}
	s, err := q.Transient(context.Background(), empty, 10, markov.Settings{Tolerance: 1e-8})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mean %.3f, P(0) %.4f, P(> 19) %.4f\n", s.Mean(), s.Probability(0), s.Tail(19))
	fmt.Printf("the mean lacks less than 1e-6: %v\n", s.MeanLost < 1e-6)
	// Output:
	// mean 10.975, P(0) 0.0066, P(> 19) 0.0505
	// the mean lacks less than 1e-6: true
}

// A server that is switched off when nobody is there, and takes a set-up of mean 2 when somebody comes: phase 0 is off,
// phase 1 on, and each is a regime. The set-up adds to the mean of M/M/1 what arrives during it, .5·2.
func ExampleRegimes() {
	const off, on = 0, 1
	q := &markov.Regimes{
		Of: [][]int{{off}, {off, on}},
		Moves: func(level, phase int, add func(by, to int, rate float64)) {
			add(+1, phase, 0.5)
			switch {
			case phase == on && level == 1:
				add(-1, off, 1)
			case phase == on:
				add(-1, on, 1)
			case level > 0:
				add(0, on, 1./2)
			}
		},
	}
	s, err := q.Solve(context.Background(), markov.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mean %.3f, on %.3f of the time\n", s.Mean(), s.Level(1)[on]+s.RepeatingPhases()[on])
	// Output: mean 2.000, on 0.500 of the time
}

// Two servers, of which one is repaired at rate 1 while the other, alone, fails at rate .1; both fail at rate .2. From both
// and from one the time until none is left, and how much of it both are there.
func ExampleSojourns() {
	rates := mat.NewDense(2, 2, []float64{0, .2, 1, 0})
	s, err := markov.NewSojourns(context.Background(), rates, []float64{0, .1})
	if err != nil {
		fmt.Println(err)
		return
	}
	times, both := []float64{1, 1}, []float64{1, 0}
	s.Of(times)
	s.Of(both)
	fmt.Printf("%.0f, of which both %.0f; from one %.0f\n", times[0], both[0], times[1])
	// Output: 65, of which both 55; from one 60
}

// A server that breaks down: two phases, working and being repaired, in which jobs wait. Levels are shown as far as
// they hold more than a ten thousandth.
func ExampleLevelProbabilities() {
	const arrives, serves, fails, repairs = 0.4, 1.0, 0.05, 0.5
	up := mat.NewDense(2, 2, []float64{arrives, 0, 0, arrives})
	local := mat.NewDense(2, 2, []float64{0, fails, repairs, 0})
	down := mat.NewDense(2, 2, []float64{serves, 0, 0, 0})
	q := &markov.QBD{
		Boundary:  []markov.Level{{Up: up, Local: local}},
		Repeating: markov.Level{Up: up, Local: local, Down: down},
	}
	s, err := q.Solve(context.Background(), markov.Settings{Method: markov.CyclicReduction})
	if err != nil {
		fmt.Println(err)
		return
	}
	levels, err := markov.LevelProbabilities(context.Background(), s, 1e-4)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d levels, the first %.4f\n", len(levels), levels[:3])
	fmt.Printf("being repaired with nobody waiting: %.4f\n", s.Level(0)[1])
	fmt.Printf("methods: %s\n", strings.Join(markov.Methods(), ", "))
	// Output:
	// 14 levels, the first [0.5374 0.2395 0.1120]
	// being repaired with nobody waiting: 0.0283
	// methods: auto, cyclic-reduction, subtraction-free
}

// How likely a machine that starts well is broken after a while, with a bound of the error.
func ExampleChain_Transient() {
	chain, _, err := markov.Explore(context.Background(), []string{"works"}, 2,
		func(s string, add func(to string, rate float64), leave func(rate float64)) {
			if s == "works" {
				add("broken", 0.1)
			} else {
				add("works", 1)
			}
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

// A tandem of two stations with room for three jobs each, whose first station is blocked when the second is full.
func ExampleChain_Stationary() {
	const room = 3
	type state struct{ first, second int }
	chain, states, err := markov.Explore(context.Background(), []state{{}}, 100,
		func(s state, add func(to state, rate float64), leave func(rate float64)) {
			if s.first < room {
				add(state{s.first + 1, s.second}, 0.8)
			}
			if s.first > 0 && s.second < room {
				add(state{s.first - 1, s.second + 1}, 1)
			}
			if s.second > 0 {
				add(state{s.first, s.second - 1}, 1)
			}
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	pi, d, err := chain.Stationary(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	lost := 0.0
	for i, s := range states {
		if s.first == room {
			lost += pi[i]
		}
	}
	fmt.Printf("%d states, %d transitions: an arrival is lost with probability %.4f\n",
		chain.States(), chain.Transitions(), lost)
	fmt.Println("14 digits or more:", d.Digits() >= 14)
	// Output:
	// 16 states, 33 transitions: an arrival is lost with probability 0.2248
	// 14 digits or more: true
}

// The phase in which arrivals that switch between a high and a low rate are, and their mean rate.
func ExampleStationary() {
	switching := mat.NewDense(2, 2, []float64{0, 0.1, 0.3, 0})
	pi, err := markov.Stationary(context.Background(), switching)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("phases %.2f, mean rate %.2f\n", pi, pi[0]*1+pi[1]*5)
	// Output:
	// phases [0.75 0.25], mean rate 2.00
}

// How long a job of two stages takes, of rates 2 and 1/2: the probability that it is still there is needed at many
// times, and the steps of the uniformized chain serve them all.
func ExampleChain_Uniformize() {
	chain, _, err := markov.Explore(context.Background(), []int{0}, 2,
		func(stage int, add func(to int, rate float64), leave func(rate float64)) {
			if stage == 0 {
				add(1, 2)
				return
			}
			leave(0.5)
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	u := chain.Uniformize()
	var there []float64
	for x, next := []float64{1, 0}, make([]float64, 2); x[0]+x[1] > 1e-12; x, next = next, x {
		there = append(there, x[0]+x[1])
		u.Step(next, x)
	}
	for _, t := range []float64{1, 2, 4} {
		still := 0.0
		for k, p := range there {
			still += distuv.Poisson{Lambda: u.Rate() * t}.Prob(float64(k)) * p
		}
		exact := (2*math.Exp(-0.5*t) - 0.5*math.Exp(-2*t)) / 1.5
		fmt.Printf("P(T > %g) = %.6f, exactly %.6f\n", t, still, exact)
	}
	// Output:
	// P(T > 1) = 0.763596, exactly 0.763596
	// P(T > 2) = 0.484401, exactly 0.484401
	// P(T > 4) = 0.180335, exactly 0.180335
}

// A limit of memory is shared by the solves that are given it: what one alone would exceed is refused before it is begun.
func ExampleMemory() {
	limit := markov.NewMemory(1 << 20)
	n := 300
	full := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			full.Set(i, j, 1/float64(n))
		}
	}
	down := mat.NewDense(n, n, nil)
	down.Scale(2, full)
	q := &markov.QBD{
		Boundary:  []markov.Level{{Up: full, Local: mat.NewDense(n, n, nil)}},
		Repeating: markov.Level{Up: full, Local: mat.NewDense(n, n, nil), Down: down},
	}
	_, err := q.Solve(context.Background(), markov.Settings{Memory: limit})
	fmt.Println(errors.Is(err, markov.ErrTooLarge))
	fmt.Println(err)
	// Output:
	// true
	// markov: 2 levels of up to 300 phases: it takes some 13 MiB of memory, the limit is 1 MiB: the chain is too large
}
