package models

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/phasetype"
)

// Smoothed is dynamic equi-partitioning with a minimum time between the starts of repartitions. While it lasts the
// machine keeps its q partitions of P/q nodes: a job that comes takes one that a departure has left idle, or waits; a
// departure hands its partition to the job that has waited longest. When it is over the nodes are divided among all
// jobs, N at most, if that is another division; otherwise the next arrival or departure that makes it another one
// repartitions at once. A repartition under way is not cut short. A job that finds the machine empty gets all of it for
// C_1.
//
// The chain is written out state by state: phases of arrivals, q, the minimum time, the repartition, and the occupancy
// of the jobs that hold partitions. A level has some N·K·(1 + 4·phases of C)·phases of the minimum time; but q changes
// only when the minimum time is over, so that it is solved one q after the other ([markov.Regimes]), in a time that grows
// like (N·K)³, K being the occupancies of N jobs. It is refused with [ErrTooLarge] where that takes minutes.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, JSSPP 1996, LNCS 1162, section 7.
type Smoothed struct {
	System  *System
	Minimum phasetype.Dist // time between repartitions
}

// smoothPhase is a state of the smoothed machine without its level.
type smoothPhase struct {
	arrival int
	q       int    // partitions; 0 when the machine is empty
	timer   int    // phase of the minimum time from 1; 0 when it is over
	kind    byte   // 's' or 'e' while repartitioning, shrinking or expanding; 0 when not
	c       int    // phase of the repartition
	jobs    string // counts of the service phases of the jobs that hold partitions
}

// smoothChain knows the rates. Jobs are served and repartitions last as without smoothing.
type smoothChain struct {
	depStates
	minimum phasetype.Dist
	levels  *levelChain[smoothPhase]
}

// check returns what is wrong with the system or the minimum time.
func (d *Smoothed) check() error {
	if d == nil {
		return wrong("", "there is none")
	}
	if d.Minimum.IsZero() || d.Minimum.Atom() > 0 {
		return errors.New("models: smoothed partitioning: the minimum time between repartitions must not be zero")
	}
	if err := d.System.Check(); err != nil {
		return err
	}
	return d.System.stopsAll("smoothed partitioning")
}

// Solve returns the measures of the system under smoothed equi-partitioning.
func (d *Smoothed) Solve(ctx context.Context, st markov.Settings) (Measures, error) {
	if err := d.check(); err != nil {
		return Measures{}, err
	}
	s := d.System
	m := Measures{MaxArrivalRate: s.Capacity(), TrafficIntensity: s.Load()}
	if m.TrafficIntensity >= 1-unstableMargin {
		m.warnUnstable()
		return m, nil
	}
	c := &smoothChain{depStates: depStates{s, s.Partitions()}, minimum: d.Minimum}
	sol, err := c.solve(ctx, st)
	if err != nil {
		return m, fmt.Errorf("models: smoothed partitioning: %w", err)
	}
	if m.DecayRate, err = sol.DecayRate(ctx); err != nil {
		return m, fmt.Errorf("models: smoothed partitioning: %w", err)
	}
	c.measure(&m, sol)
	return m, checkConservation(&m, s)
}

func (c *smoothChain) solve(ctx context.Context, st markov.Settings) (*markov.RegimesSolution, error) {
	c.levels = &levelChain[smoothPhase]{repeats: c.n, moves: c.moves, regime: smoothRegime}
	for a := range c.sys.Arrivals.Phases() {
		c.levels.empty = append(c.levels.empty, smoothPhase{arrival: a})
	}
	q, err := c.levels.regimes(ctx)
	if err != nil {
		return nil, err
	}
	return q.Solve(ctx, st)
}

// smoothRegime makes a regime of every division, with repartitions of either kind for parts: none begins among N jobs or
// more but that into N partitions, which ends a regime.
func smoothRegime(s smoothPhase) markov.Regime {
	part := 0
	switch s.kind {
	case shrinking:
		part = 1
	case expanding:
		part = 2
	}
	return markov.Regime{Number: s.q, Part: part}
}

func (c *smoothChain) measure(m *Measures, sol *markov.RegimesSolution) {
	lambda := c.sys.Arrivals.Rate()
	m.Stable = true
	m.MeanJobs, m.VarianceJobs = sol.Mean(), sol.Variance()
	m.MeanResponseTime = m.MeanJobs / lambda
	m.ProbabilityEmpty = sol.Probability(0)
	running := func(_ int, s smoothPhase) float64 {
		if s.kind != 0 {
			return 0
		}
		return float64(total(s.jobs))
	}
	m.MeanExecuting = c.levels.mean(sol, running)
	m.Utilization = c.levels.mean(sol, func(l int, s smoothPhase) float64 { return min(1, running(l, s)) })
	held := func(_ int, s smoothPhase) float64 { return float64(total(s.jobs)) }
	m.MeanWaitingJobs = m.MeanJobs - c.levels.mean(sol, held)
	m.MeanWaitingTime = m.MeanWaitingJobs / lambda
	m.Throughput = c.levels.mean(sol, c.departures)
	m.ProbabilityWait = c.levels.mean(sol, func(l int, s smoothPhase) float64 {
		if c.takesAtOnce(l, s) {
			return 0
		}
		return c.arrivals(s.arrival)
	}) / lambda
	r := &Repartitions{
		Probability: c.levels.mean(sol, func(_ int, s smoothPhase) float64 {
			if s.kind != 0 {
				return 1
			}
			return 0
		}),
	}
	c.levels.each(sol, func(l int, s smoothPhase, p float64) {
		shrinks, expands := c.starts(l, s)
		r.ShrinkRate += p * shrinks
		r.ExpandRate += p * expands
	})
	r.Rate = r.ShrinkRate + r.ExpandRate
	m.Repartitions = r
	m.levels = func(ctx context.Context) ([]float64, error) {
		return markov.LevelProbabilities(ctx, sol, levelRest)
	}
	m.Diagnostics = sol.Diagnostics()
}

// takesAtOnce reports whether a job that arrives gets a partition then and there.
func (c *smoothChain) takesAtOnce(level int, s smoothPhase) bool {
	switch {
	case s.q == 0:
		return true
	case s.kind != 0:
		return false
	case s.timer == 0:
		return level < c.n
	}
	return level < s.q
}

func (c *smoothChain) departures(_ int, s smoothPhase) float64 {
	if s.kind != 0 || s.q == 0 {
		return 0
	}
	rate := 0.0
	exit := c.sys.Service[s.q-1].Exit()
	for j, k := range []byte(s.jobs) {
		rate += float64(k) * exit[j]
	}
	return rate
}

// starts returns the rates at which repartitions that take time are started in a state.
func (c *smoothChain) starts(level int, s smoothPhase) (shrinks, expands float64) {
	c.moves(level, s, func(_ int, to smoothPhase, r float64) {
		switch { // a repartition begins where one was not, or where one of another division or kind was
		case s.kind == to.kind && s.q == to.q:
		case to.kind == shrinking:
			shrinks += r
		case to.kind == expanding:
			expands += r
		}
	})
	return shrinks, expands
}

// moves adds the transitions of a state.
func (c *smoothChain) moves(level int, s smoothPhase, add func(by int, to smoothPhase, rate float64)) {
	arr := c.sys.Arrivals
	for b := range arr.Phases() {
		if r := arr.Rate0(s.arrival, b); b != s.arrival && r > 0 {
			to := s
			to.arrival = b
			add(0, to, r)
		}
		if r := arr.Rate1(s.arrival, b); r > 0 {
			to := s
			to.arrival = b
			c.arrive(level, to, func(to smoothPhase, p float64) { add(1, to, r*p) })
		}
	}
	if s.q == 0 {
		return
	}
	stay := func(to smoothPhase, rate float64) { add(0, to, rate) }
	if s.timer > 0 {
		c.tick(level, s, stay)
	}
	if s.kind != 0 {
		c.reshape(level, s, stay)
	} else {
		c.serve(level, s, add)
	}
}

// arrive adds what an arrival makes of a state.
func (c *smoothChain) arrive(level int, s smoothPhase, add func(to smoothPhase, p float64)) {
	switch {
	case s.q == 0:
		s.q, s.jobs = 1, string(make([]byte, c.sys.Service[0].Phases()))
		c.joined(s, 1, func(s smoothPhase, p float64) {
			c.begin(s, 's', func(to smoothPhase, q float64) { add(to, p*q) })
		})
	case s.kind == 0 && s.timer > 0 && level < s.q: // an idle partition
		c.joined(s, 1, add)
	case s.kind == 0 && s.timer == 0 && level < c.n:
		c.divide(level+1, s, add)
	default:
		add(s, 1)
	}
}

// joined adds the phases in which k jobs join those that hold partitions, so many to each phase with the probability of
// the multinomial distribution.
func (c *smoothChain) joined(s smoothPhase, k int, add func(to smoothPhase, p float64)) {
	if k == 0 {
		add(s, 1)
		return
	}
	alpha := c.sys.Service[s.q-1].Alpha()
	last := len(alpha) - 1
	for last > 0 && alpha[last] == 0 {
		last--
	}
	var draw func(jobs string, j, left int, p float64)
	draw = func(jobs string, j, left int, p float64) {
		if j == last {
			s.jobs = changed(jobs, j, left)
			add(s, p*math.Pow(alpha[j], float64(left)))
			return
		}
		ways := p // p·(left choose n)·α_j^n
		for n := 0; n <= left && ways > 0; n++ {
			draw(changed(jobs, j, n), j+1, left-n, ways)
			ways *= alpha[j] * float64(left-n) / float64(n+1)
		}
	}
	draw(s.jobs, 0, k, 1)
}

// divide starts a repartition among the jobs of the level, with a new minimum time, if that changes the division.
func (c *smoothChain) divide(level int, s smoothPhase, add func(to smoothPhase, p float64)) {
	q := min(level, c.n)
	if q == s.q {
		add(s, 1)
		return
	}
	kind := byte('s')
	if q < s.q {
		kind = 'e'
	}
	held := total(s.jobs)
	phi := c.sys.PhaseMap[Change{s.q, q}]
	s.q = q
	mapPhases(s.jobs, phi, func(jobs string, p float64) {
		s.jobs = jobs
		c.joined(s, q-held, func(s smoothPhase, p2 float64) {
			for t, p3 := range c.minimum.Alpha() {
				if p3 > 0 {
					s.timer = t + 1
					c.begin(s, kind, func(to smoothPhase, p4 float64) { add(to, p*p2*p3*p4) })
				}
			}
		})
	})
}

// begin starts the repartition C of a division that has just been made.
func (c *smoothChain) begin(s smoothPhase, kind byte, add func(to smoothPhase, p float64)) {
	c.depStates.begin(kind, s.q, func(kind byte, phase int, p float64) {
		s.kind, s.c = kind, phase
		add(s, p)
	})
}

// tick adds the moves of the minimum time.
func (c *smoothChain) tick(level int, s smoothPhase, add func(to smoothPhase, rate float64)) {
	at := s.timer - 1
	for t := range c.minimum.Phases() {
		if r := c.minimum.Rate(at, t); t != at && r > 0 {
			s.timer = t + 1
			add(s, r)
		}
	}
	if r := c.minimum.Exit()[at]; r > 0 {
		s.timer = 0
		c.settle(level, s, r, add)
	}
}

// reshape adds the moves of the repartition under way.
func (c *smoothChain) reshape(level int, s smoothPhase, add func(to smoothPhase, rate float64)) {
	c.depStates.reshape(s.q, s.kind, s.c, func(kind byte, phase int, rate float64) {
		s.kind, s.c = kind, phase
		c.settle(level, s, rate, add)
	})
}

// settle adds a move to a state, in which the machine is divided if neither the minimum time nor a repartition lasts.
func (c *smoothChain) settle(level int, s smoothPhase, rate float64, add func(to smoothPhase, rate float64)) {
	if s.timer > 0 || s.kind != 0 {
		add(s, rate)
		return
	}
	c.divide(level, s, func(to smoothPhase, p float64) { add(to, rate*p) })
}

// serve adds the moves of the running jobs.
func (c *smoothChain) serve(level int, s smoothPhase, add func(by int, to smoothPhase, rate float64)) {
	c.depStates.serve(s.q, s.jobs, func(jobs string, left bool, rate float64) {
		s.jobs = jobs
		if !left {
			add(0, s, rate)
			return
		}
		c.depart(level, s, func(to smoothPhase, p float64) { add(-1, to, rate*p) })
	})
}

// depart adds what follows when a job has left a level.
func (c *smoothChain) depart(level int, s smoothPhase, add func(to smoothPhase, p float64)) {
	switch {
	case level == 1:
		add(smoothPhase{arrival: s.arrival}, 1)
	case level > s.q: // someone waits
		c.joined(s, 1, add)
	case s.timer == 0:
		c.divide(level-1, s, add)
	default: // the partition stays idle
		add(s, 1)
	}
}
