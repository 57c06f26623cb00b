package models

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/internal/levels"
	"github.com/partwise/partwise/phasetype"
)

// visits is what other classes know of a class.
type visits struct {
	mean   float64 // mean length of a visit of the machine
	square float64 // second moment of the length of a visit
	empty  float64 // probability that no job is left after a visit
	fill   float64 // rate at which a job arrives while the class has no job
}

// saturated returns the visits of a class that always has jobs: each is a switch-over and a whole quantum.
func saturated(c TimeSharedClass) visits {
	mean := c.SwitchOver.Mean() + c.Quantum.Mean()
	return visits{mean, c.SwitchOver.Variance() + c.Quantum.Variance() + mean*mean, 0, c.Arrivals.Rate()}
}

// visits returns the visits of the machine to the class. By renewal theory the second moment of a visit is twice its mean
// times the mean rest of a visit at a random time within visits.
func (c *classChain) visits(ctx context.Context, sol *markov.QBDSolution, memory *markov.Memory) (visits, error) {
	var inVisits, ended, emptied, filled float64
	c.levels.Each(sol, func(level int, s phase, p float64) {
		if level == 0 {
			c.arrivals(level, s, func(by int, _ phase, rate float64) { filled += p * rate * float64(by) })
		}
		if !s.visiting() {
			return
		}
		inVisits += p
		c.during(level, s, func(int, phase, float64) {}, func(by int, _ phase, rate float64) {
			ended += p * rate
			if level+by == 0 {
				emptied += p * rate
			}
		})
	})
	v := visits{mean: inVisits / ended, empty: emptied / ended, fill: filled / sol.Probability(0)}
	if c.hold {
		v.square = saturated(c.TimeSharedClass).square
		return v, nil
	}
	left, err := c.left(ctx, sol, v.mean, memory)
	v.square = 2 * left / ended
	return v, err
}

// The levels of visits are written out until the probability of the levels above is at most visitRest. They have at
// most visitStates states, and as many as fit into the memory allowed. A state takes visitBytes: the chain of 2,000,000
// states and what finds them took 6.6 GB.
const (
	visitRest   = 1e-16
	visitStates = 2_000_000
	visitBytes  = 3300
)

// left returns Σ π(s)·m(s) over the states s of visits, where m(s) is the mean time until a visit in state s ends. It is
// the transform of the probability that the visit continues, at an s so small that 1/s is long beside the visits.
// The error wraps [markov.ErrTooLarge] if there are too many states.
func (c *classChain) left(ctx context.Context, sol *markov.QBDSolution, shortest float64, memory *markov.Memory) (float64, error) {
	type state struct {
		level int
		phase
	}
	var start []state
	probability := map[state]complex128{}
	top, most := 0, min(visitStates, parallel.MostInMemory(visitBytes, memory.Limit()))
	sol.Each(func(level int, pi []float64, above float64) bool {
		top = level
		for i, s := range c.levels.States(min(level, c.Partitions)) {
			if !s.visiting() {
				continue
			}
			s.busy = 0 // a visit does not depend on the other classes
			at := state{level, s}
			if _, met := probability[at]; !met {
				start = append(start, at)
			}
			probability[at] += complex(pi[i], 0)
		}
		return above > visitRest && len(start) <= most && ctx.Err() == nil
	})
	if len(start) > most {
		return 0, fmt.Errorf("models: %w", levels.TakesTooLong("visits have more than %d states, up to level %d", most, top))
	}
	alone := *c
	alone.others = nil
	chain, states, err := markov.Explore(ctx, start, most, func(s state, add func(to state, rate float64), leave func(rate float64)) {
		alone.during(s.level, s.phase, func(by int, to phase, rate float64) {
			if level := s.level + by; level <= top && rate > 0 {
				add(state{level, to}, rate)
			}
		}, func(_ int, _ phase, rate float64) { leave(rate) })
	})
	if err != nil {
		return 0, err
	}
	x := make([]complex128, len(states))
	for i, s := range states {
		x[i] = probability[s]
	}
	y, _, err := chain.Resolvent(ctx, complex(1e-12/shortest, 0), x)
	total := 0.0
	for _, v := range y {
		total += real(v)
	}
	return total, err
}

// leastSCV is the least squared coefficient of variation of a fitted visit. A smaller one would need many phases, for
// little gain in accuracy.
const leastSCV = 0.05

// other returns what another class knows, with a distribution that has the first two moments of visits.
func (v visits) other() (other, error) {
	d, err := phasetype.TwoMoments(v.mean, max(leastSCV, v.square/(v.mean*v.mean)-1))
	return other{d, v.empty, v.fill}, err
}
