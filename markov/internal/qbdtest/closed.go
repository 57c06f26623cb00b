package qbdtest

import (
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/multiserver"
)

// Closed is a queue with a closed-form answer.
type Closed struct {
	Name  string
	Queue *multiserver.Queue
	// Mean number of jobs, P(level = 0), decay rate, and P(an arrival waits); NaN where the formula does not give it.
	Mean, Empty, Decay, Wait float64
}

// Poisson returns a queue with Poisson arrivals and nothing else yet.
func Poisson(lambda float64) *multiserver.Queue {
	return &multiserver.Queue{D0: mat.NewDense(1, 1, []float64{-lambda}), D1: mat.NewDense(1, 1, []float64{lambda})}
}

// Exponential returns the exponential distribution.
func Exponential(rate float64) multiserver.Phases {
	return multiserver.Phases{Alpha: []float64{1}, T: mat.NewDense(1, 1, []float64{-rate})}
}

// Erlang returns the Erlang distribution of k phases.
func Erlang(k int, mean float64) multiserver.Phases {
	alpha := make([]float64, k)
	alpha[0] = 1
	t := mat.NewDense(k, k, nil)
	for i := range k {
		t.Set(i, i, -float64(k)/mean)
		if i+1 < k {
			t.Set(i, i+1, float64(k)/mean)
		}
	}
	return multiserver.Phases{Alpha: alpha, T: t}
}

// MMc returns M/M/c with its answer by Erlang's second formula.
func MMc(lambda, mu float64, c int) Closed {
	q := Poisson(lambda)
	q.Servers, q.Service = c, []multiserver.Phases{Exponential(mu)}
	a := lambda / mu
	term, sum := 1.0, 0.0
	for i := range c {
		sum += term
		term *= a / float64(i+1)
	}
	rho := a / float64(c)
	tail := term / (1 - rho)
	wait := tail / (sum + tail)
	return Closed{"M/M/c", q, a + wait*rho/(1-rho), 1 / (sum + tail), rho, wait}
}
