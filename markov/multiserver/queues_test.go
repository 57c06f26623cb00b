package multiserver_test

import (
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/testdata/qbdtest"
)

// closedQueue is a queue with a closed-form answer.
type closedQueue struct {
	Name  string
	Queue *multiserver.Queue
	// Mean number of jobs, P(level = 0), decay rate, and P(an arrival waits); NaN where the formula does not give it.
	Mean, Empty, Decay, Wait float64
}

// poissonQueue returns a queue with Poisson arrivals and nothing else yet.
func poissonQueue(lambda float64) *multiserver.Queue {
	return &multiserver.Queue{D0: mat.NewDense(1, 1, []float64{-lambda}), D1: mat.NewDense(1, 1, []float64{lambda})}
}

// exponential returns the exponential distribution.
func exponential(rate float64) multiserver.Phases {
	return multiserver.Phases{Alpha: []float64{1}, T: mat.NewDense(1, 1, []float64{-rate})}
}

// erlang returns the Erlang distribution of k phases.
func erlang(k int, mean float64) multiserver.Phases {
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

// mmc returns M/M/c with its answer by Erlang's second formula.
func mmc(lambda, mu float64, c int) closedQueue {
	q := poissonQueue(lambda)
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
	return closedQueue{"M/M/c", q, a + wait*rho/(1-rho), 1 / (sum + tail), rho, wait}
}

// referenceQueue returns the PH/PH/c instance.
func referenceQueue(r qbdtest.Reference) *multiserver.Queue {
	if strings.HasPrefix(r.Name, "M/") {
		rate := -r.Arr.T[0][0]
		return &multiserver.Queue{
			D0: mat.NewDense(1, 1, []float64{-rate}), D1: mat.NewDense(1, 1, []float64{rate}),
			Servers: r.C, Service: []multiserver.Phases{{Alpha: r.Svc.Beta, T: dense(r.Svc.S)}},
		}
	}
	q := renewalQueue(r.Arr.Alpha, dense(r.Arr.T))
	q.Servers = r.C
	q.Service = []multiserver.Phases{{Alpha: r.Svc.Beta, T: dense(r.Svc.S)}}
	return q
}

func dense(rows [][]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		m.SetRow(i, r)
	}
	return m
}

// renewalQueue returns a queue with phase-type interarrival times PH(alpha, T) and nothing else yet.
func renewalQueue(alpha []float64, t *mat.Dense) *multiserver.Queue {
	n := len(alpha)
	d1 := mat.NewDense(n, n, nil)
	for i := range n {
		exit := -mat.Sum(t.Slice(i, i+1, 0, n))
		for j, a := range alpha {
			d1.Set(i, j, exit*a)
		}
	}
	return &multiserver.Queue{D0: t, D1: d1}
}

// hyperexponential2 returns PH(alpha, T) of the two-phase hyperexponential distribution with balanced means.
func hyperexponential2(mean, scv float64) (alpha []float64, t *mat.Dense) {
	p := (1 + math.Sqrt((scv-1)/(scv+1))) / 2
	return []float64{p, 1 - p}, mat.NewDense(2, 2, []float64{-2 * p / mean, 0, 0, -2 * (1 - p) / mean})
}

// h2h2 returns the H2/H2/c queue of the recipes: arrivals of mean 1/(0.8c) and scv 4, service of mean 1 and scv 9.
func h2h2(c int) *multiserver.Queue {
	alpha, t := hyperexponential2(1/(0.8*float64(c)), 4)
	q := renewalQueue(alpha, t)
	beta, s := hyperexponential2(1, 9)
	q.Servers, q.Service = c, []multiserver.Phases{{Alpha: beta, T: s}}
	return q
}

// h2h returns the H2/H3/c or H2/H4/c queue of the recipes.
func h2h(m, c int) *multiserver.Queue {
	alpha, t := hyperexponential2(1/(0.8*float64(c)), 4)
	q := renewalQueue(alpha, t)
	beta, rates := []float64{.5, .3, .2}, []float64{2, 1, .445}
	if m == 4 {
		beta, rates = []float64{.4, .3, .2, .1}, []float64{2, 1.5, .8, .25}
	}
	s := mat.NewDense(m, m, nil)
	for i, r := range rates {
		s.Set(i, i, -r)
	}
	q.Servers, q.Service = c, []multiserver.Phases{{Alpha: beta, T: s}}
	return q
}
