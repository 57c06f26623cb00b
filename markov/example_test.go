package markov_test

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
)

// A machine that works, idles or is broken: three states, their rates, their shares of the time.
func ExampleStationary() {
	q := mat.NewDense(3, 3, []float64{
		0, 2, 0.1, // works: out of work, breaks
		3, 0, 0, // idle: work comes
		1, 0, 0, // broken: repaired
	})
	shares, err := markov.Stationary(q) // the diagonal is not read
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("works %.4f, idle %.4f, broken %.4f\n", shares[0], shares[1], shares[2])
	// Output: works 0.5660, idle 0.3774, broken 0.0566
}

// M/M/1 as a quasi-birth-and-death process with blocks of one number: the level decays by ρ = 0.8, and its mean is
// ρ/(1 − ρ) = 4.
func ExampleQBD_Solve() {
	rate := func(v float64) mat.Matrix { return mat.NewDense(1, 1, []float64{v}) }
	q := &markov.QBD{
		Boundary:  []markov.Level{{Up: rate(0.8), Local: rate(0)}},
		Repeating: markov.Level{Up: rate(0.8), Local: rate(0), Down: rate(1)},
	}
	s, err := q.Solve(markov.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("P(0) = %.4f, decay rate %.4f, mean %.4f\n", s.Probability(0), s.DecayRate(), s.Mean())
	// Output: P(0) = 0.2000, decay rate 0.8000, mean 4.0000
}

// Two servers that stop for a switch-over of mean 0.1 whenever one of two jobs has left or a second one has come.
// Without switch-overs p_0 = 1/2.2 and the mean is 2.4·p_0, by hand.
func ExampleMultiserver_Solve() {
	rate := func(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }
	exponential := func(mean float64) markov.Phases {
		return markov.Phases{Alpha: []float64{1}, T: rate(-1 / mean)}
	}
	q := &markov.Multiserver{
		D0: rate(-1), D1: rate(1),
		Servers:     2,
		Service:     []markov.Phases{exponential(0.6), exponential(1)},
		OnArrival:   []markov.Phases{{}, exponential(0.1)},
		OnDeparture: []markov.Phases{exponential(0.1)},
	}
	s, err := q.Solve(markov.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	free := *q
	free.OnArrival, free.OnDeparture = nil, nil
	t, err := free.Solve(markov.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("mean number of jobs %.4f, without switch-overs %.4f\n", s.Mean(), t.Mean())
	// Output: mean number of jobs 1.2436, without switch-overs 1.0909
}
