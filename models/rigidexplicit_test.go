package models_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

// explicitRigid is the chain of rigid jobs with the classes of all jobs known from their arrival, and no more than a number of
// jobs in the system. A state is the phase of the arrivals, a byte, and the jobs in the order of their arrival, two bytes each:
// the class, and the phase of the run time from 1 on, 0 while the job waits.
type explicitRigid struct {
	system     *models.System
	tried, cut int
}

// moves adds the transitions of a state.
func (e *explicitRigid) moves(state string, add func(to string, rate float64), _ func(float64)) {
	arrivals, s := e.system.Arrivals, state[1:]
	for to := range arrivals.Phases() {
		phase := string([]byte{byte(to)})
		if to != int(state[0]) {
			add(phase+s, arrivals.Rate0(int(state[0]), to))
		}
		for k, c := range e.system.Classes {
			if len(s)/2 < e.cut {
				e.starts(phase, s+string([]byte{byte(k), 0}), arrivals.Rate1(int(state[0]), to)*c.Share, add)
			}
		}
	}
	for i := 0; i < len(s); i += 2 {
		if s[i+1] == 0 {
			continue
		}
		run, phase := e.system.Classes[s[i]].Demand, int(s[i+1])-1
		for to := range run.Phases() {
			if to != phase && run.Rate(phase, to) > 0 {
				add(state[:1]+s[:i+1]+string([]byte{byte(to + 1)})+s[i+2:], run.Rate(phase, to))
			}
		}
		if exit := run.Exit()[phase]; exit > 0 {
			e.starts(state[:1], s[:i]+s[i+2:], exit, add)
		}
	}
}

// starts starts the first job that fits among the first waiting jobs until none fits, and adds the states that follow.
func (e *explicitRigid) starts(arrival, s string, rate float64, add func(to string, rate float64)) {
	free := e.system.Nodes
	for i := 0; i < len(s); i += 2 {
		if s[i+1] > 0 {
			free -= e.system.Classes[s[i]].Nodes
		}
	}
	seen := 0
	for i := 0; i < len(s) && seen < e.tried; i += 2 {
		if s[i+1] > 0 {
			continue
		}
		seen++
		if class := e.system.Classes[s[i]]; class.Nodes <= free {
			for j, p := range class.Demand.Alpha() {
				if p > 0 {
					e.starts(arrival, s[:i+1]+string([]byte{byte(j + 1)})+s[i+2:], rate*p, add)
				}
			}
			return
		}
	}
	add(arrival+s, rate)
}

// rigidVariants are machines in which something is degenerate: common divisors, unusable nodes, classes of one size, jobs on all
// nodes, one class, and arrivals that are not Poisson.
func rigidVariants(t *testing.T) map[string]*models.System {
	exponential, regular := must(phasetype.Erlang(1, 5)), must(phasetype.Erlang(2, 4))
	variable := must(phasetype.BalancedHyperexponential(3, 4))
	bursty := must(phasetype.NewMAP(mat.NewDense(2, 2, []float64{-0.9, 0.4, 0.1, -0.2}), mat.NewDense(2, 2, []float64{0.3, 0.2, 0, 0.1})))
	return map[string]*models.System{
		"two sizes":             rigidSystem(t, 3, poisson(1), rigidClass{0.7, 1, regular}, rigidClass{0.3, 2, exponential}),
		"a common divisor of 3": rigidSystem(t, 9, poisson(1), rigidClass{0.7, 3, regular}, rigidClass{0.3, 6, exponential}),
		"unusable nodes":        rigidSystem(t, 7, poisson(1), rigidClass{0.5, 2, exponential}, rigidClass{0.5, 4, variable}),
		"two classes of one size": rigidSystem(t, 4, poisson(1), rigidClass{0.4, 2, regular}, rigidClass{0.3, 2, variable},
			rigidClass{0.3, 3, exponential}),
		"classes that merge": rigidSystem(t, 4, poisson(1), rigidClass{0.4, 1, exponential}, rigidClass{0.3, 1, exponential},
			rigidClass{0.3, 3, exponential}),
		"all jobs on all nodes":     rigidSystem(t, 4, poisson(1), rigidClass{0.6, 4, regular}, rigidClass{0.4, 4, variable}),
		"one or all":                rigidSystem(t, 3, poisson(1), rigidClass{0.6, 1, variable}, rigidClass{0.4, 3, regular}),
		"one class on half of it":   rigidSystem(t, 4, poisson(1), rigidClass{1, 2, variable}),
		"arrivals of two phases":    rigidSystem(t, 3, bursty, rigidClass{0.7, 1, exponential}, rigidClass{0.3, 3, regular}),
		"a rare class of all nodes": rigidSystem(t, 3, poisson(1), rigidClass{0.999, 1, exponential}, rigidClass{0.001, 3, must(phasetype.Erlang(1, 500))}),
	}
}

// atIntensity returns the system at a share of the largest stable arrival rate of first come, first served.
func atIntensity(t *testing.T, s *models.System, intensity float64) *models.System {
	rate, err := must(s.Chain(policy.FCFS{})).(saturating).MaxArrivalRate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return must(s.WithArrivalRate(intensity * rate))
}

// TestRigidVariantsNearSaturation compares machines at .99 of their largest stable arrival rate with a chain of another
// description, solved with 113 bits.
func TestRigidVariantsNearSaturation(t *testing.T) {
	needs.Long(t, "solves chains with 113 bits")
	for name, s := range rigidVariants(t) {
		s = atIntensity(t, s, 0.99)
		c := &pairChain{system: s}
		witness := solveQuads(c.qbd())
		m := chained(t, s, policy.FCFS{})
		near(t, name+": E[jobs]", m.MeanJobs, witness.Mean(), m.Diagnostics.ErrorBound)
		for k, class := range s.Classes {
			near(t, name+": E[W]", m.Classes[k].MeanWaitingTime, c.waiting(witness, k)/(s.Arrivals.Rate()*class.Share), m.Diagnostics.ErrorBound)
		}
	}
}

// TestRigidExplicit compares the chain with one that knows the class of every job, at a light load. The cut changes mean numbers
// of jobs by no more than the jobs of the levels from the cut on, below 1e-8.
func TestRigidExplicit(t *testing.T) {
	needs.Concurrency(t)
	for name, s := range rigidVariants(t) {
		if name == "a rare class of all nodes" { // many jobs wait for one of them, however light the load
			continue
		}
		s = atIntensity(t, s, 0.01)
		for _, tried := range []int{1, 2, 3} {
			explicitly(t, fmt.Sprintf("%s, window of %d", name, tried), s, tried)
		}
	}
}

// explicitly compares a system with its explicit chain.
func explicitly(t *testing.T, name string, s *models.System, tried int) {
	var p policy.Policy = policy.FirstFit{Window: tried}
	if tried == 1 {
		p = policy.FCFS{}
	}
	m := chained(t, s, p)
	e := &explicitRigid{s, tried, 0}
	lost := math.Inf(1)
	for lost > 1e-8 {
		e.cut++
		lost = jobsFrom(t, &m, e.cut)
	}
	jobs, waiting := e.mean(t)
	if off := math.Abs(m.MeanJobs - jobs); !(off <= lost) {
		t.Errorf("%s: %v jobs, want %v; the cut explains %.2g", name, m.MeanJobs, jobs, lost)
	}
	for k, w := range waiting {
		got := m.Classes[k].MeanWaitingTime * s.Arrivals.Rate() * s.Classes[k].Share // by Little's law
		if !(math.Abs(got-w) <= lost) {
			t.Errorf("%s: %v waiting jobs of class %d, want %v; the cut explains %.2g", name, got, k, w, lost)
		}
	}
}

// jobsFrom returns the mean number of jobs in the levels from a level on.
func jobsFrom(t *testing.T, m *models.Measures, level int) (jobs float64) {
	levels, err := m.LevelProbabilities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for l := level; l < len(levels); l++ {
		jobs += float64(l) * levels[l]
	}
	return jobs
}

// mean returns the mean numbers of jobs, and of waiting jobs by class.
func (e *explicitRigid) mean(t *testing.T) (jobs float64, waiting []float64) {
	const mostStates = 30_000
	chain, states, err := markov.Explore(t.Context(), []string{"\x00"}, mostStates, e.moves)
	if err != nil {
		t.Fatal(err)
	}
	pi, _, err := chain.Stationary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	waiting = make([]float64, len(e.system.Classes))
	for i, state := range states {
		jobs += pi[i] * float64(len(state)/2)
		for j := 1; j < len(state); j += 2 {
			if state[j+1] == 0 {
				waiting[state[j]] += pi[i]
			}
		}
	}
	return jobs, waiting
}
