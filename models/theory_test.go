package models_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"

	"gonum.org/v1/gonum/mat"
)

// demandOf returns demands of mean 1 with a squared coefficient of variation.
func demandOf(scv float64) phasetype.Dist { return must(phasetype.TwoMoments(1, scv)) }

// Where hardly any job waits, the machine that is divided for nothing is processor sharing whose rate depends on the
// number of jobs: the mean response time knows only the mean of the demands.
//
// Reference: F. P. Kelly, Reversibility and Stochastic Networks, Wiley, 1979, ch. 3, for symmetric queues.
func TestStateDependentProcessorSharingIsInsensitive(t *testing.T) {
	const n, load = 64, 0.4
	speedup := must(workload.NewSpeedup("amdahl", 0.05))
	rate := load * n
	// births at the rate of arrivals, deaths at i·S(N/i); at light loads no job waits
	p, sum, jobs := 1.0, 0.0, 0.0
	for i := range 4 * n {
		sum, jobs = sum+p, jobs+float64(i)*p
		running := float64(min(i+1, n))
		p *= rate / (running * speedup.At(n/running))
	}
	want := jobs / sum / rate
	near(t, "birth and death", want, 0.104586693548387, 1e-14)
	for _, scv := range []float64{0.5, 1, 2, 4, 8, 16} {
		m := dynamic(t, machine(n, poisson(rate), demandOf(scv), speedup.At))
		near(t, "mean response time", m.MeanResponseTime, want, 1e-12)
	}
}

// Limited processor sharing in heavy traffic: T·(1 − ρ) → E[S²]/(2·E[S]), whatever the number of jobs that share.
//
// Reference: I. Grosof, M. Harchol-Balter, A. Scheller-Wolf, WCFS: a new framework for analyzing multiserver systems,
// Queueing Systems 102 (2022) 143–174.
func TestLimitedProcessorSharingInHeavyTraffic(t *testing.T) {
	const gap = 1e-6
	for _, n := range []int{1, 2, 4, 8} {
		for _, scv := range []float64{0.5, 1, 4, 16} {
			// demands on one node have mean 1: n nodes do n of them in a unit of time
			m := dynamic(t, machine(n, poisson((1-gap)*float64(n)), demandOf(scv), linear))
			mean := 1 / float64(n)
			want := mean * (scv + 1) / 2
			// the limit is left by a constant, of the order of the largest time that one of n jobs takes, times 1 − ρ
			tol := 8 * float64(n) * (1 + scv) * gap
			near(t, "T·(1−ρ)", m.MeanResponseTime*gap, want, tol)
		}
	}
}

// A machine of 100,000 nodes under a concave speedup is a birth and death chain, which a few lines solve.
func TestBirthAndDeathOfAHundredThousandJobs(t *testing.T) {
	const n, load = 100_000, 0.9
	speedup := must(workload.NewSpeedup("amdahl", 1e-4))
	rate := load * n
	q := &multiserver.Queue{
		D0: mat.NewDense(1, 1, []float64{-rate}), D1: mat.NewDense(1, 1, []float64{rate}), Servers: n,
		Service: make([]multiserver.Phases, n),
	}
	largest, logs := 0.0, make([]float64, n+1) // logarithms of the probabilities
	for i := 1; i <= n; i++ {
		each := speedup.At(float64(n) / float64(i))
		q.Service[i-1] = multiserver.Phases{
			Alpha: []float64{1}, T: mat.NewDense(1, 1, []float64{-each}), Exit: []float64{each},
		}
		logs[i] = logs[i-1] + math.Log(rate/(float64(i)*each))
		largest = max(largest, logs[i])
	}
	mass, jobs := 0.0, 0.0
	for i, v := range logs {
		p := math.Exp(v - largest)
		mass, jobs = mass+p, jobs+float64(i)*p
	}
	// above n the probabilities are geometric
	first := math.Exp(logs[n]-largest) * load
	mass += first / (1 - load)
	jobs += first * ((n+1)/(1-load) + load/(1-load)/(1-load))
	s, err := q.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	// sums of 1e5 logarithms of up to 1e4 are known to some 1e-9
	near(t, "mean jobs", s.Mean(), jobs/mass, 1e-8)
	near(t, "throughput", s.Throughput(), rate, 1e-11)
}
