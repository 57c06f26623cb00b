package models_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

// explicitRigid is the chain of rigid jobs with the classes of all jobs known from their arrival, and no more than a number of jobs in
// the system. A state is the jobs in the order of their arrival, two bytes each: the class, and the phase of the run time from 1 on,
// 0 while the job waits.
type explicitRigid struct {
	system     *models.System
	tried, cut int
}

// moves adds the transitions of a state.
func (e *explicitRigid) moves(s string, add func(to string, rate float64), _ func(float64)) {
	if len(s)/2 < e.cut {
		for k, c := range e.system.Classes {
			e.starts(s+string([]byte{byte(k), 0}), e.system.Arrivals.Rate()*c.Share, add)
		}
	}
	for i := 0; i < len(s); i += 2 {
		if s[i+1] == 0 {
			continue
		}
		run, phase := e.system.Classes[s[i]].Demand, int(s[i+1])-1
		for to := range run.Phases() {
			if to != phase && run.Rate(phase, to) > 0 {
				add(s[:i+1]+string([]byte{byte(to + 1)})+s[i+2:], run.Rate(phase, to))
			}
		}
		if exit := run.Exit()[phase]; exit > 0 {
			e.starts(s[:i]+s[i+2:], exit, add)
		}
	}
}

// starts starts the first job that fits among the first waiting jobs until none fits, and adds the states that follow.
func (e *explicitRigid) starts(s string, rate float64, add func(to string, rate float64)) {
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
					e.starts(s[:i+1]+string([]byte{byte(j + 1)})+s[i+2:], rate*p, add)
				}
			}
			return
		}
	}
	add(s, rate)
}

// TestRigidExplicit compares the chain with one that knows the class of every job. The cut changes mean numbers of jobs by no more
// than the jobs of the levels from the cut on, below 1e-8.
func TestRigidExplicit(t *testing.T) {
	needs.Concurrency(t)
	for _, tried := range []int{1, 2, 3} {
		s := rigidSystem(t, 3, poisson(0.02), rigidClass{0.7, 1, must(phasetype.Erlang(2, 4))}, rigidClass{0.3, 2, must(phasetype.Erlang(1, 5))})
		e := &explicitRigid{s, tried, 8}
		chain, states, err := markov.Explore(t.Context(), []string{""}, 5000, e.moves)
		if err != nil {
			t.Fatal(err)
		}
		pi, _, err := chain.Stationary(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		jobs, waiting := 0.0, make([]float64, 2)
		for i, state := range states {
			jobs += pi[i] * float64(len(state)/2)
			for j := 0; j < len(state); j += 2 {
				if state[j+1] == 0 {
					waiting[state[j]] += pi[i]
				}
			}
		}
		var p policy.Policy = policy.FirstFit{Window: tried}
		if tried == 1 {
			p = policy.FCFS{}
		}
		m := chained(t, s, p)
		levels, err := m.LevelProbabilities(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		lost := 0.0
		for l := e.cut; l < len(levels); l++ {
			lost += float64(l) * levels[l]
		}
		if off := math.Abs(m.MeanJobs - jobs); !(off <= lost && lost < 1e-8) {
			t.Errorf("%s: %v jobs, want %v; the cut explains %.2g", p, m.MeanJobs, jobs, lost)
		}
		for k, w := range waiting {
			got := m.Classes[k].MeanWaitingTime * 0.02 * s.Classes[k].Share // by Little's law
			if !(math.Abs(got-w) <= lost) {
				t.Errorf("%s: %v waiting jobs of class %d, want %v; the cut explains %.2g", p, got, k, w, lost)
			}
		}
	}
}
