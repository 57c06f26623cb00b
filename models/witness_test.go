package models

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/models/internal/levels"
	"github.com/partwise/partwise/testdata/markovtest"
)

// Witness returns the measures of a model whose chain is written out state by state, by a solution with 31 digits, and that
// solution. Of a chain with more than so many phases of a level it returns none; where all jobs stop, only some measures.
func Witness(ctx context.Context, m Model, phases int) (Measures, *markovtest.Solution, error) {
	switch m := m.(type) {
	case *DEP:
		if m.System.Stops != ResizedStop {
			c := newSharing(m.System, m.jobs()).even()
			return witness(ctx, c, func(to *Measures, sol levels.Solution) { readQueue(to, c, sol, m.System) }, phases)
		}
		c, err := newResizedChain(m.System, m.jobs())
		if err != nil {
			return Measures{}, nil, err
		}
		c.levels = c.chainOfLevels()
		return witness(ctx, c.levels, c.measure, phases)
	case interface{ chain() (*ruleChain, error) }:
		c, err := m.chain()
		if err != nil {
			return Measures{}, nil, err
		}
		c.levels = c.chainOfLevels()
		return witness(ctx, c.levels, c.measure, phases)
	}
	return Measures{}, nil, fmt.Errorf("%T has no chain that is written out", m)
}

func witness[S comparable](ctx context.Context, c *levels.Chain[S], measure func(*Measures, levels.Solution), phases int) (
	m Measures, sol *markovtest.Solution, err error) {
	if err := c.Explore(ctx, nil); err != nil || c.Largest() > phases {
		return m, nil, err
	}
	q, err := c.QBD(ctx, nil)
	if err != nil {
		return m, nil, err
	}
	sol = markovtest.Solve(q)
	measure(&m, sol)
	m.DecayRate = sol.DecayRate()
	return m, sol, nil
}

// readQueue reads those measures off a solution of the chain in which all jobs stop that need no more than its levels and who stops.
func readQueue(m *Measures, c *levels.Chain[Shared], sol levels.Solution, s *System) {
	lambda := s.Arrivals.Rate()
	m.MeanJobs, m.VarianceJobs, m.ProbabilityEmpty = sol.Mean(), sol.Variance(), sol.Probability(0)
	m.MeanWaitingJobs = sol.MeanAbove(s.Partitions())
	m.MeanResponseTime, m.MeanWaitingTime = m.MeanJobs/lambda, m.MeanWaitingJobs/lambda
	m.Repartitions = &Repartitions{}
	c.Each(sol, func(_ int, s Shared, p float64) {
		if s.Kind != executing {
			m.Repartitions.Probability += p
		}
	})
}
