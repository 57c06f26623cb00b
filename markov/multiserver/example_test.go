package multiserver_test

import (
	"context"
	"fmt"
	"strings"

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
	fmt.Printf("P(empty) %.6f, P(an arrival waits) %.6f, decay rate %.6f\n",
		s.Probability(0), s.ArrivalWaits(), s.DecayRate())
	fmt.Printf("by %s, 12 digits or more: %v\n", d.Method, d.Digits() >= 12)
	// Output:
	// mean 4.896205 jobs, 3.496205 waiting
	// P(empty) 0.186078, P(an arrival waits) 0.586078, decay rate 0.886978
	// by spectral-expansion, 12 digits or more: true
}

// The tail of a queue of three servers at a load of 9/10: each further job is as likely as 9 in 10 times the one before.
func ExampleQueue_DecayRate() {
	q := &multiserver.Queue{
		D0:      mat.NewDense(1, 1, []float64{-2.7}),
		D1:      mat.NewDense(1, 1, []float64{2.7}),
		Servers: 3,
		Service: []multiserver.Phases{{Alpha: []float64{1}, T: mat.NewDense(1, 1, []float64{-1})}},
	}
	decay, err := q.DecayRate(context.Background())
	fmt.Printf("%.4f %v\n", decay, err)
	q.Servers = 2
	_, err = q.DecayRate(context.Background())
	fmt.Println(err)
	// Output:
	// 0.9000 <nil>
	// multiserver: traffic intensity 1.35: unstable: work arrives at least as fast as it can be done
}

// A machine that two jobs share: alone a job takes 1 on average, beside another 2; a change takes a tenth, and an
// arrival cuts it short.
func ExampleQueue_switchOvers() {
	times := func(mean float64) multiserver.Phases {
		return multiserver.Phases{Alpha: []float64{1}, T: mat.NewDense(1, 1, []float64{-1 / mean})}
	}
	q := &multiserver.Queue{
		D0: mat.NewDense(1, 1, []float64{-0.6}), D1: mat.NewDense(1, 1, []float64{0.6}),
		Servers: 2, Service: []multiserver.Phases{times(1), times(2)},
		OnArrival: []multiserver.Phases{{}, times(0.1)}, OnDeparture: []multiserver.Phases{times(0.1)},
	}
	s, err := q.Solve(context.Background(), markov.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	byArrival, byDeparture, cut := s.SwitchRates()
	fmt.Printf("mean response time %.4f, %.4f jobs in service, %.4f waiting\n",
		s.Mean()/s.ArrivalRate(), s.MeanInService(), s.MeanWaiting())
	fmt.Printf("switching %.4f of the time, by arrivals at rate %.4f, by departures %.4f, %.4f cut short\n",
		s.Switching(), byArrival, byDeparture, cut)
	fmt.Printf("P(more than 5 jobs) %.4f\n", s.Tail(5))
	// Output:
	// mean response time 2.6778, 0.9766 jobs in service, 0.5883 waiting
	// switching 0.0276 of the time, by arrivals at rate 0.1421, by departures 0.1421, 0.0080 cut short
	// P(more than 5 jobs) 0.0508
}

// Percentiles of waiting and response times.
func ExampleSolution_Delays() {
	q := &multiserver.Queue{
		D0: mat.NewDense(1, 1, []float64{-3}), D1: mat.NewDense(1, 1, []float64{3}), Servers: 4,
		Service: []multiserver.Phases{{Alpha: []float64{1, 0}, T: mat.NewDense(2, 2, []float64{-2, 2, 0, -2})}},
	}
	ctx := context.Background()
	s, err := q.Solve(ctx, markov.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	waiting, response, err := s.Delays(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	wait, err := waiting.Survival(ctx, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	mean, err := response.Mean(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	late, err := response.Quantile(ctx, 0.95)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("jobs wait with probability %.4f, take %.4f on average, %.4f or less in 95 %% of all cases\n",
		wait, mean, late)
	// Output:
	// jobs wait with probability 0.5042, take 1.3897 on average, 3.2448 or less in 95 % of all cases
}

// Static partitioning into four and dynamic partitioning among four are one queue once four jobs run; what they share
// is solved once.
func ExampleQueue_shared() {
	settings := markov.Settings{Method: markov.CyclicReduction, Shared: &markov.Shared{}}
	static := h2h2(4)
	dynamic := h2h2(4)
	dynamic.OnArrival = []multiserver.Phases{{}, {}, {}, erlang(2, 0.05)}
	for _, q := range []*multiserver.Queue{static, dynamic} {
		s, err := q.Solve(context.Background(), settings)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("mean %.4f\n", s.Mean())
	}
	fmt.Println(strings.Join(multiserver.Methods(), ", "))
	// Output:
	// mean 18.4953
	// mean 18.8524
	// auto, cyclic-reduction, spectral-expansion, subtraction-free
}
