package models

import (
	"context"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/phasetype"
)

// visits is what the others see of a class.
type visits struct {
	mean   float64 // how long the machine stays
	square float64 // the second moment of that
	empty  float64 // probability that no job is left then
	fill   float64 // rate at which a job comes while there is none
}

// saturated returns the visits of a class that always has jobs: a switch-over and a whole quantum.
func saturated(c TimeSharedClass) visits {
	mean := c.SwitchOver.Mean() + c.Quantum.Mean()
	return visits{mean, c.SwitchOver.Variance() + c.Quantum.Variance() + mean*mean, 0, c.Arrivals.Rate()}
}

// visits returns how the machine visits the class. The second moment of a visit is twice its mean times the mean of what
// is left of it at a random moment of visits.
func (c *classChain) visits(ctx context.Context, sol *markov.QBDSolution) (visits, error) {
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
	left, err := c.left(ctx, sol, v.mean)
	v.square = 2 * left / ended
	return v, err
}

// What is written out of visits: levels until the probability of those above is negligible, in a bounded number of states.
const (
	visitRest   = 1e-16
	visitStates = 2_000_000
)

// left returns Σ π(s)·m(s) over the states of visits, m(s) being the mean time until a visit in state s ends. That is the
// transform of the probability that the visit goes on, at a time that is long beside the visits.
func (c *classChain) left(ctx context.Context, sol *markov.QBDSolution, shortest float64) (float64, error) {
	type state struct {
		level int
		phase
	}
	var start []state
	probability := map[state]complex128{}
	top := 0
	sol.Each(func(level int, pi []float64, above float64) bool {
		top = level
		for i, s := range c.levels.States(min(level, c.Partitions)) {
			if !s.visiting() {
				continue
			}
			s.busy = 0 // what is known of other classes does not matter to a visit
			at := state{level, s}
			if _, met := probability[at]; !met {
				start = append(start, at)
			}
			probability[at] += complex(pi[i], 0)
		}
		return above > visitRest && ctx.Err() == nil
	})
	alone := *c
	alone.others = nil
	chain, states, err := markov.Explore(ctx, start, visitStates, func(s state, add func(to state, rate float64), leave func(rate float64)) {
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

// leastSCV is the least squared coefficient of variation of a fitted visit: one of less would have more phases than its
// second moment is worth.
const leastSCV = 0.05

// other returns what another class sees, by the first two moments of visits.
func (v visits) other() (other, error) {
	d, err := phasetype.TwoMoments(v.mean, max(leastSCV, v.square/(v.mean*v.mean)-1))
	return other{d, v.empty, v.fill}, err
}
