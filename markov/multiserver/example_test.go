package multiserver_test

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/markov"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/multiserver"
)

// Two servers, Poisson arrivals, service by one of two exponential distributions.
func ExampleQueue() {
	q := &multiserver.Queue{
		D0:      mat.NewDense(1, 1, []float64{-1.4}),
		D1:      mat.NewDense(1, 1, []float64{1.4}),
		Servers: 2,
		Service: []multiserver.Phases{{Alpha: []float64{0.9, 0.1}, T: mat.NewDense(2, 2, []float64{-1.8, 0, 0, -0.2})}},
	}
	s, err := q.Solve(context.Background(), markov.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	d := s.Diagnostics()
	fmt.Printf("mean %.6f jobs, %.6f waiting\n", s.Mean(), s.MeanWaiting())
	fmt.Printf("P(empty) %.6f, P(an arrival waits) %.6f, decay rate %.6f\n", s.Probability(0), s.ArrivalWaits(), s.DecayRate())
	fmt.Printf("by %s, 12 digits or more: %v\n", d.Method, d.Digits() >= 12)
	// Output:
	// mean 4.896205 jobs, 3.496205 waiting
	// P(empty) 0.186078, P(an arrival waits) 0.586078, decay rate 0.886978
	// by spectral-expansion, 12 digits or more: true
}
