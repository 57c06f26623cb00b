package models

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models/internal/jobtimes"
	"github.com/partwise/partwise/phasetype"
)

// phases returns a distribution in the form of package multiserver.
func phases(d phasetype.Dist) multiserver.Phases {
	if d.IsZero() {
		return multiserver.Phases{}
	}
	return multiserver.Phases{Alpha: d.Alpha(), T: d.T(), Exit: d.Exit()}
}

func phasesOf(list []phasetype.Dist) []multiserver.Phases {
	out := make([]multiserver.Phases, len(list))
	for i, d := range list {
		out[i] = phases(d)
	}
	return out
}

// levelRest is the remaining probability at which LevelProbabilities end.
const levelRest = 1e-12

// readLevels sets the measures that follow from the distribution of the level: numbers of jobs and, by Little's law,
// times. waiting is the mean number of waiting jobs.
func (m *Measures) readLevels(sol markov.Solution, lambda, waiting float64) {
	m.Stable = true
	m.MeanJobs, m.VarianceJobs = sol.Mean(), sol.Variance()
	m.MeanResponseTime = m.MeanJobs / lambda
	m.MeanWaitingJobs = waiting
	m.MeanWaitingTime = waiting / lambda
	m.ProbabilityEmpty = sol.Probability(0)
	m.levels = func(ctx context.Context) ([]float64, error) {
		return markov.LevelProbabilities(ctx, sol, levelRest)
	}
	m.times = noTimes // unless the chain of the policy follows jobs
	m.Diagnostics = sol.Diagnostics()
}

// noTimes returns the error of a chain that follows no job, so that only means of times are known.
func noTimes(context.Context, string) (jobtimes.Distributions, error) {
	return jobtimes.Distributions{}, fmt.Errorf("response times of jobs under this policy: %w", ErrNoChain)
}
