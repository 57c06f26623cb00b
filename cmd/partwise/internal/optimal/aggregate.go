package optimal

import (
	"context"
	"errors"
	"math"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/phasetype"
)

// aggregate finds the best policy for exponential times, which looks at no phase, and evaluates it with the times as
// they are; only the states that it comes to are then needed.
func aggregate(ctx context.Context, s *models.System, most int, st Settings) (*Optimum, error) {
	simple, err := memoryless(s)
	if err != nil {
		return nil, err
	}
	p, err := newProcess(ctx, simple, most, math.MaxInt, nil)
	if err != nil {
		return nil, err
	}
	_, pol, err := p.optimum(ctx, simple, st)
	if err != nil {
		return nil, err
	}
	decided := map[seen]int{}
	for l, choices := range pol {
		for d, k := range choices {
			arrived := p.levels[l].arrived[d]
			decided[see(l, arrived.state)] = arrived.options[k].shares
		}
	}
	const evaluated = 4 // times as many states as are solved: this is one evaluation, not a dozen
	one, err := newProcess(ctx, s, p.most, evaluated*st.States, func(now seen) int {
		if q, ok := decided[now]; ok {
			return q
		}
		return max(now.shares, now.running, 1)
	})
	if err != nil {
		return nil, err
	}
	o, _, err := one.optimum(ctx, s, st)
	if err != nil {
		return nil, err
	}
	o.Aggregated = true
	o.Lower, err = freeBound(ctx, s, p.most, st)
	o.Lower = min(o.Lower, o.MeanResponseTime)
	return o, err
}

// freeBound returns a lower bound for a process that is too large.
func freeBound(ctx context.Context, s *models.System, most int, st Settings) (float64, error) {
	free, err := free(s)
	if err != nil {
		return 0, err
	}
	p, err := newProcess(ctx, free, most, st.States, nil)
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
	return p.best(ctx, s, p.first(), true, st)
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
