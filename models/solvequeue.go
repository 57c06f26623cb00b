package models

import (
	"context"
	"errors"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models/internal/levels"
)

// newMeasures returns the measures of a policy whose largest stable arrival rate is capacity. If the policy is not
// stable, they have a warning.
func newMeasures(s *System, capacity float64) (m Measures, stable bool) {
	m = Measures{MaxArrivalRate: capacity, TrafficIntensity: s.Arrivals.Rate() / capacity}
	stable = markov.Stable(m.TrafficIntensity)
	if !stable {
		m.warnUnstable()
	}
	return m, stable
}

// solveQueue solves the queue of a policy whose largest stable arrival rate is capacity, and sets the measures that all
// queues have. It returns no solution if the queue is unstable.
func solveQueue(ctx context.Context, s *System, capacity float64, q *multiserver.Queue, st markov.Settings) (
	Measures, *multiserver.Solution, error) {
	m, stable := newMeasures(s, capacity)
	if !stable {
		return m, nil, nil
	}
	sol, err := q.Solve(ctx, st)
	if errors.Is(err, markov.ErrUnstable) {
		m.warnUnstable()
		return m, nil, nil
	}
	if err != nil {
		return m, nil, err
	}
	m.readLevels(sol, sol.ArrivalRate(), sol.MeanWaiting())
	m.ProbabilityWait = sol.ArrivalWaits()
	m.MeanExecuting = sol.MeanInService()
	m.Utilization = m.MeanExecuting / float64(q.Servers)
	m.Throughput = sol.Throughput()
	m.DecayRate = sol.DecayRate()
	return m, sol, nil
}

// solveRegimes returns the measures of a policy whose largest stable arrival rate is capacity, from a chain whose phases are in
// regimes. measure computes them from the solution.
func solveRegimes[S comparable](ctx context.Context, c *levels.Chain[S], s *System, capacity float64,
	measure func(*Measures, levels.Solution), st markov.Settings) (Measures, error) {
	m, stable := newMeasures(s, capacity)
	if !stable {
		return m, nil
	}
	q, err := c.Regimes(ctx, st.Memory)
	if err != nil {
		return m, err
	}
	sol, err := q.Solve(ctx, st)
	if err == nil {
		m.DecayRate, err = sol.DecayRate(ctx)
	}
	if err != nil {
		return m, err
	}
	measure(&m, sol)
	return m, checkConservation(&m, s)
}

func (m *Measures) warnUnstable() {
	m.Diagnostics.Warnings = append(m.Diagnostics.Warnings, m.Unstable())
}
