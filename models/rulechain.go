package models

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/internal/counts"
	"github.com/partwise/partwise/models/internal/levels"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
)

// rulePhase is a state of the machine and of the rule, without the level.
type rulePhase struct {
	Shared
	timer   int // phase of the cooldown from 1; 0 when it is over
	changes int // arrivals and departures since the last division, as far as they matter
}

// ruleChain is the chain of a [Sharing] that a rule divides. The rule decides after every arrival and departure and at
// the end of a cooldown. A cooldown begins when running jobs are resized, and continues while the machine is empty.
//
// The chain is written out state by state: the phase of arrivals, the shares, the occupancy of the running jobs, the
// repartition, the cooldown, and the changes since the last division. A level has about N·K·(1 + 3·phases of C)·phases of
// the cooldown, with K the occupancies of N jobs. When jobs queue up, the rule divides the machine into as many shares as
// it may. So the chain is solved one number of shares after the other ([markov.Regimes]), in a time that grows like
// (N·K)³. If that would take minutes, the error wraps [markov.ErrTooLarge].
type ruleChain struct {
	*Sharing
	what     string
	rule     policy.Resize
	cooldown phasetype.Dist
	patient  bool // repartitions are not cut short
	levels   *levels.Chain[rulePhase]
}

// ruledChain returns the chain of a policy with a rule. The error comes from newRuled, or wraps [ErrNoChain] if only
// resized jobs stop.
func ruledChain(s *System, p policy.Ruled) (Model, error) {
	if err := s.stopsAll(p.String()); err != nil {
		return nil, err
	}
	return newRuled(s, p.Rule())
}

// newRuled returns the chain of a rule. The error wraps [ErrNoChain] if the cooldown has a fixed length, or if only
// resized jobs stop.
func newRuled(s *System, rule policy.Resize) (*ruleChain, error) {
	c := &ruleChain{what: rule.String(), rule: rule}
	switch {
	case rule.Cooldown > 0 && rule.SCV == 0:
		return nil, fmt.Errorf("models: %s: a cooldown of a fixed length: %w; give its scv, 1 if it is exponential", rule, ErrNoChain)
	case rule.Cooldown > 0:
		var err error
		if c.cooldown, err = rule.CooldownTime(); err != nil {
			return nil, err
		}
	}
	return c.of(s)
}

// of sets the system of the chain.
func (c *ruleChain) of(s *System) (*ruleChain, error) {
	var err error
	if c.Sharing, err = NewSharing(s); err != nil {
		return nil, err
	}
	if err := c.rule.Check(s.Machine()); err != nil {
		return nil, err
	}
	return c, s.checkSharing(c.rule.Shares(math.MaxInt, c.n))
}

// Solve returns the measures of the system under the rule.
func (c *ruleChain) Solve(ctx context.Context, st markov.Settings) (Measures, error) {
	most := c.rule.Shares(math.MaxInt, c.n)
	c.levels = c.chainOfLevels()
	m, err := solveRegimes(ctx, c.levels, c.sys, float64(most)/c.sys.Service[most-1].Mean(), c.measure, st)
	switch {
	case errors.Is(err, markov.ErrTooLarge) && (c.levels.Repeats > most || c.counted() > 0):
		return m, fmt.Errorf("models: %s: %w; smaller values of batch, hysteresis or wait make the chain smaller", c.what, err)
	case err != nil:
		return m, fmt.Errorf("models: %s: %w", c.what, err)
	}
	return m, nil
}

// chainOfLevels returns the chain before its states are found.
func (c *ruleChain) chainOfLevels() *levels.Chain[rulePhase] {
	all := &levels.Chain[rulePhase]{Repeats: c.repeats(), Moves: c.moves, MostPhases: levels.MostRegimePhases,
		Regime: func(s rulePhase) int { return s.Shares }}
	for _, s := range c.Empty() {
		all.Empty = append(all.Empty, rulePhase{Shared: s})
	}
	return all
}

// repeats returns a number of jobs from which on the rule divides the machine into as many shares as it may, if it
// divides it.
func (c *ruleChain) repeats() int {
	most := c.rule.Shares(math.MaxInt, c.n)
	repeats := max(float64(most), float64(most-1)+float64(c.rule.Wait), math.Ceil(float64(most-1)*c.rule.Hysteresis))
	return int(min(repeats, levels.MostLevels))
}

// moves adds the transitions of a state.
func (c *ruleChain) moves(level int, s rulePhase, add func(by int, to rulePhase, rate float64)) {
	c.Events(level, s.Shared, func(by int, to Shared, rate float64) {
		next := rulePhase{to, s.timer, s.changes}
		// over: a repartition ends. The rule is asked after arrivals and departures. If repartitions are not cut short, the
		// rule is also asked when one ends while no cooldown runs.
		over := s.Kind != executing && to.Kind == executing && by == 0
		switch {
		case level+by == 0:
			add(by, rulePhase{Shared: to, timer: s.timer}, rate)
		case by == 0 && (!over || !c.patient || s.timer > 0):
			add(by, next, rate)
		default:
			if by < 0 || by > 0 && !c.rule.Departures {
				next.changes = min(s.changes+1, c.counted())
			}
			c.ask(level+by, by > 0, next, func(to rulePhase, p float64) { add(by, to, rate*p) })
		}
	})
	if s.timer == 0 {
		return
	}
	eachMove(c.cooldown, s.timer-1, func(phase int, rate float64) {
		to := s
		to.timer = phase + 1
		if phase != ended || level == 0 { // the end of the cooldown leads to timer 0, because ended is −1
			add(0, to, rate)
			return
		}
		c.ask(level, false, to, func(to rulePhase, p float64) { add(0, to, rate*p) })
	})
}

// counted returns the number up to which changes are counted.
func (c *ruleChain) counted() int {
	if c.rule.Batch > 1 {
		return c.rule.Batch
	}
	return 0
}

// ask adds the states that the rule makes of a state to which an event has led.
func (c *ruleChain) ask(jobs int, arrival bool, s rulePhase, add func(to rulePhase, p float64)) {
	running := s.Running()
	if s.Shares == 0 || running == 0 && !c.patient {
		s.changes = 0
	}
	now := policy.Situation{Units: c.n, Running: running, Waiting: jobs - running, Shares: s.Shares,
		Changes: s.changes, Quiet: s.timer > 0, Arrival: arrival}
	// The rule does not count changes: any number means that there were some.
	if c.counted() == 0 {
		now.Changes = 1
	}
	shares := s.Shares
	if !c.patient || s.timer == 0 && s.Kind == 0 || s.Shares == 0 {
		shares, _ = c.rule.Next(now)
	}
	resizes := shares != s.Shares && running > 0
	c.Divide(jobs, s.Shared, shares, func(to Shared, p float64) {
		next := rulePhase{to, s.timer, s.changes}
		if !resizes {
			add(next, p)
			return
		}
		next.timer, next.changes = 0, 0
		eachStart(c.cooldown, func(phase int, p2 float64) {
			next.timer = phase + 1
			add(next, p*p2)
		})
		if c.cooldown.IsZero() {
			add(next, p)
		}
	})
}

// measure reads the measures off the solution.
func (c *ruleChain) measure(m *Measures, sol levels.Solution) {
	waiting := sol.MeanAbove(c.levels.Repeats + 1)
	m.Repartitions = &Repartitions{}
	jobs := make([]float64, c.sys.Service[0].Phases())
	c.levels.Each(sol, func(level int, s rulePhase, p float64) {
		running := float64(s.Running())
		for j := range counts.Phases(s.Jobs) {
			jobs[j] += p * float64(counts.At(s.Jobs, j))
		}
		waiting += p * (float64(level) - running)
		if s.Kind != executing {
			m.Repartitions.Probability += p
		} else {
			m.MeanExecuting += p * running
			m.Utilization += p * running / float64(max(s.Shares, 1)) // shares without a job are idle
		}
	})
	m.readLevels(sol, c.sys.Arrivals.Rate(), waiting)
	c.levels.EachMove(sol, func(level int, s rulePhase, by int, to rulePhase, flow float64) {
		c.read(m, level, s.Shared, by, to.Shared, flow)
	})
	m.Repartitions.sum()
	if c.patient { // a repartition begins only where another ends, so none is abandoned
		m.Repartitions.AbandonedRate = 0
	}
	m.readClasses(c.sys, inPhases(jobs))
}
