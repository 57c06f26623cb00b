package decide

import (
	"context"
	"errors"
	"math"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide/internal/decisionprocess"
	"github.com/partwise/partwise/phasetype"
)

// aggregate returns the best policy for exponential times of the same means, evaluated with the true times. Such a policy depends on
// no phase, and its evaluation needs only the states that it reaches.
func aggregate(ctx context.Context, s *models.System, most int, st OptimumSettings) (*Optimum, error) {
	simple, err := memoryless(s)
	if err != nil {
		return nil, err
	}
	p, err := decisionprocess.New(ctx, simple, most, math.MaxInt, nil)
	if err != nil {
		return nil, err
	}
	pol := p.First()
	if _, err := p.Best(ctx, pol, false, st.Settings); err != nil {
		return nil, err
	}
	decided := p.Shares(pol)
	const evaluated = 4 // factor of the largest number of states: there is one evaluation, not a dozen
	one, err := decisionprocess.New(ctx, s, p.Most, evaluated*st.States, func(now decisionprocess.Situation) int {
		if q, ok := decided[now]; ok {
			return q
		}
		return max(now.Shares, now.Running, 1)
	})
	if err != nil {
		return nil, err
	}
	mean, err := one.Best(ctx, one.First(), false, st.Settings)
	if err != nil {
		return nil, err
	}
	lower, err := freeBound(ctx, s, p.Most, st)
	return &Optimum{MeanResponseTime: mean, Lower: min(lower, mean), Most: one.Most, States: one.States, Aggregated: true}, err
}

// freeBound returns a lower bound of the mean response time for a process that is too large: the mean response time if
// repartitions are free.
func freeBound(ctx context.Context, s *models.System, most int, st OptimumSettings) (float64, error) {
	free, err := freeRepartitions(s)
	if err != nil {
		return 0, err
	}
	p, err := decisionprocess.New(ctx, free, most, st.States, nil)
	if errors.Is(err, markov.ErrTooLarge) {
		least := math.Inf(1)
		for _, b := range s.Service {
			least = min(least, b.Mean())
		}
		return least, nil
	}
	if err != nil {
		return 0, err
	}
	return p.Best(ctx, p.First(), true, st.Settings)
}

// memoryless returns the system with exponential times and Poisson arrivals of the same means.
func memoryless(s *models.System) (*models.System, error) {
	bare := *s
	bare.PhaseMap, bare.Speedup, bare.Demand, bare.Classes = nil, nil, phasetype.Dist{}, nil
	exponential := func(d phasetype.Dist) (phasetype.Dist, error) { return phasetype.Exponential(1 / d.Mean()) }
	simple, err := bare.With(models.Changes{Run: exponential, Shrink: exponential, Expand: exponential})
	if err != nil {
		return nil, err
	}
	between, err := phasetype.Exponential(s.Arrivals.Rate())
	if err != nil {
		return nil, err
	}
	simple.Arrivals, err = phasetype.Renewal(between)
	return simple, err
}
