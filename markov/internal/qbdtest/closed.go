package qbdtest

import (
	"math"

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

func poisson(lambda float64) *multiserver.Queue {
	return &multiserver.Queue{D0: mat.NewDense(1, 1, []float64{-lambda}), D1: mat.NewDense(1, 1, []float64{lambda})}
}

func exponential(rate float64) multiserver.Phases {
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
	q := poisson(lambda)
	q.Servers, q.Service = c, []multiserver.Phases{exponential(mu)}
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

// MPH1 returns M/PH/1 with its answer by the formula of Pollaczek and Khinchine; moments of the service are taken from
// its phases by solving with −S.
func MPH1(lambda float64, service multiserver.Phases) Closed {
	q := poisson(lambda)
	q.Servers, q.Service = 1, []multiserver.Phases{service}
	m1, m2 := moments(service)
	rho := lambda * m1
	return Closed{"M/PH/1", q, rho + lambda*lambda*m2/(2*(1-rho)), 1 - rho, math.NaN(), rho}
}

func moments(p multiserver.Phases) (m1, m2 float64) {
	n := len(p.Alpha)
	var inv, sq mat.Dense
	if err := inv.Inverse(p.T); err != nil {
		panic(err)
	}
	sq.Mul(&inv, &inv)
	for i, a := range p.Alpha {
		m1 -= a * mat.Sum(inv.Slice(i, i+1, 0, n))
		m2 += 2 * a * mat.Sum(sq.Slice(i, i+1, 0, n))
	}
	return m1, m2
}

// EkM1 returns E_k/M/1: the decay rate σ is the root of σ = f_A(μ(1−σ)), E[N] = ρ/(1−σ), arrivals wait with probability
// σ.
func EkM1(k int, lambda, mu float64) Closed {
	inter := Erlang(k, 1/lambda)
	q := Renewal(inter.Alpha, mat.DenseCopyOf(inter.T))
	q.Servers, q.Service = 1, []multiserver.Phases{exponential(mu)}
	rate := float64(k) * lambda
	sigma := 0.5
	for range 10000 {
		sigma = math.Pow(rate/(rate+mu*(1-sigma)), float64(k))
	}
	rho := lambda / mu
	return Closed{"E_k/M/1", q, rho / (1 - sigma), 1 - rho, sigma, sigma}
}

// All returns a list of instances of all kinds.
func All() []Closed {
	h2alpha, h2 := Hyperexponential2(1, 9)
	return []Closed{
		MMc(0.5, 1, 1), MMc(0.99, 1, 1), MMc(3, 1, 4), MMc(7.6, 1, 8), MMc(0.1, 1, 8), MMc(60, 1, 64),
		MPH1(0.8, multiserver.Phases{Alpha: h2alpha, T: h2}), MPH1(0.9, Erlang(5, 1)), MPH1(0.01, Erlang(2, 1)),
		EkM1(2, 0.7, 1), EkM1(4, 0.95, 1), EkM1(1, 0.3, 1),
	}
}
