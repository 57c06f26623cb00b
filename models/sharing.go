package models

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/phasetype"
)

// Sharing is a machine that is divided into equal shares, of which each job that runs has one, the first in the system
// first. The number of shares is not part of it: a rule chooses it ([policy.Resize]), or the best of these rules is looked
// for (cmd/partwise/internal/optimal). The machine is described state by state:
//
//   - With q shares every running job is served as B_q says; jobs of several classes divide the shares that they have by
//     water-filling. A job that comes takes an idle share or waits.
//   - While jobs run, dividing the machine anew starts the repartition C_q' of the new number q', a shrink if that is
//     larger and an expand if it is smaller, and cuts short the one under way. No job makes progress until it ends.
//   - Among jobs none of which runs yet, dividing is free; but on a machine that was empty it takes C_1, whatever q'.
//
// So it is the machine of dynamic equi-partitioning wherever the machine is divided among all jobs, up to N, and that of
// static partitioning where it never is divided anew and C_1 is zero.
type Sharing struct {
	sys     *System
	n       int           // the largest number of shares
	filling *waterFilling // nil if all jobs are alike
	alike   []float64     // their speeds by phase then, 1
}

// Shared is a state of a [Sharing] without the number of jobs. Either Shares is 0 and the machine empty, or the first
// jobs run.
type Shared struct {
	Arrival int    // phase of the arrivals
	Shares  int    // q
	Kind    byte   // of the repartition under way: 's' shrinks, 'e' expands, 'l' launches; 0 if there is none
	Phase   int    // of the repartition
	Jobs    string // counts of the service phases of the jobs that run, two bytes each, the higher first
}

// The kinds of repartitions, and 0 where there is none.
const (
	executing = 0
	shrinking = 's'
	expanding = 'e'
	launching = 'l' // the empty machine, into any number of shares
)

// Running returns the number of jobs that run, or would if there were no repartition.
func (s Shared) Running() int { return countTotal(s.Jobs) }

// during returns the state in a phase of a repartition.
func (s Shared) during(kind byte, phase int) Shared {
	s.Kind, s.Phase = kind, phase
	return s
}

// with returns the state with other jobs running.
func (s Shared) with(jobs string) Shared {
	s.Jobs = jobs
	return s
}

// NewSharing returns the machine of a system in which all jobs stop during a repartition. The error is a *[SystemError],
// or wraps [ErrNoChain] where only resized jobs stop.
func NewSharing(s *System) (*Sharing, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := s.stopsAll("a machine that is resized by rules"); err != nil {
		return nil, err
	}
	return newSharing(s, s.Partitions()), nil
}

// newSharing returns the machine of a system that is divided into at most n shares.
func newSharing(s *System, n int) *Sharing {
	return &Sharing{s, n, s.waterFilling(), slices.Repeat([]float64{1}, s.Service[0].Phases())}
}

// newQueue returns the machine of so many equal partitions on which jobs take the service time.
func newQueue(arrivals phasetype.MAP, service phasetype.Dist, partitions int) *Sharing {
	return newSharing(&System{Nodes: partitions, MinNodes: 1, Arrivals: arrivals,
		Service: slices.Repeat([]phasetype.Dist{service}, partitions)}, partitions)
}

// Empty returns the states of the empty machine.
func (c *Sharing) Empty() (all []Shared) {
	for a := range c.sys.Arrivals.Phases() {
		all = append(all, Shared{Arrival: a})
	}
	return all
}

// Events adds what may happen in a state with so many jobs, by how many jobs that changes their number, and the state it
// leads to, in which [Sharing.Divide] has still to say who runs.
func (c *Sharing) Events(jobs int, s Shared, add func(by int, to Shared, rate float64)) {
	speed := 0.0
	if s.Kind == executing && s.Shares > 0 {
		speed = 1
	}
	c.events(jobs, s, speed, add)
}

// events is Events where jobs run at a speed, also during a repartition.
func (c *Sharing) events(jobs int, s Shared, speed float64, add func(by int, to Shared, rate float64)) {
	c.arrivals(s, add)
	if s.Kind != executing {
		c.reshape(s, func(to Shared, rate float64) { add(0, to, rate) })
	}
	if speed == 0 {
		return
	}
	c.serve(s, func(by int, to Shared, rate float64) {
		if jobs+by == 0 {
			to = Shared{Arrival: s.Arrival}
		}
		add(by, to, rate*speed)
	})
}

// arrivals adds what the arrival process does in a state.
func (c *Sharing) arrivals(s Shared, add func(by int, to Shared, rate float64)) {
	process, to := c.sys.Arrivals, s
	for to.Arrival = range process.Phases() {
		if r := process.Rate0(s.Arrival, to.Arrival); to.Arrival != s.Arrival && r > 0 {
			add(0, to, r)
		}
		if r := process.Rate1(s.Arrival, to.Arrival); r > 0 {
			add(1, to, r)
		}
	}
}

// Divide adds the states that dividing the machine into so many shares makes of one to which an event has led, where
// so many jobs are present: waiting jobs take the shares that are idle. The number it has already changes nothing else.
// There must be a share for each job that runs.
func (c *Sharing) Divide(jobs int, s Shared, shares int, add func(to Shared, p float64)) {
	running := s.Running()
	idle := min(jobs, shares) - running
	kind := byte(shrinking)
	switch {
	case jobs == 0:
		add(s, 1)
		return
	case s.Shares == shares:
		c.joined(s, idle, add)
		return
	case s.Shares == 0:
		s.Jobs, kind = noCounts(c.sys.Service[0].Phases()), launching
	case running == 0:
		kind = executing
	case shares < s.Shares:
		kind = expanding
	}
	phi := c.sys.PhaseMap[Change{s.Shares, shares}]
	s.Shares = shares
	mapPhases(s.Jobs, phi, func(mapped string, p float64) {
		c.joined(s.with(mapped), idle, func(s Shared, p2 float64) {
			c.begin(s, kind, func(to Shared, p3 float64) { add(to, p*p2*p3) })
		})
	})
}

// even is the chain of the machine that is divided evenly among all jobs, up to n of them, whenever their number changes.
func (c *Sharing) even() *levelChain[Shared] {
	moves := func(level int, s Shared, add func(by int, to Shared, rate float64)) {
		c.Events(level, s, func(by int, to Shared, rate float64) {
			if by == 0 {
				add(0, to, rate)
				return
			}
			c.Divide(level+by, to, min(level+by, c.n), func(to Shared, p float64) { add(by, to, rate*p) })
		})
	}
	return &levelChain[Shared]{Repeats: c.n, Empty: c.Empty(), Moves: moves}
}

// cost returns the repartition of a kind into so many shares.
func (c *Sharing) cost(kind byte, shares int) phasetype.Dist {
	switch kind {
	case launching:
		return c.sys.ShrinkTo(1)
	case shrinking:
		return c.sys.ShrinkTo(shares)
	case expanding:
		return c.sys.ExpandTo(shares)
	}
	return phasetype.Dist{}
}

// begin adds the states in which a repartition of a kind into the shares of s begins; one that takes no time is over.
func (c *Sharing) begin(s Shared, kind byte, add func(to Shared, p float64)) {
	d := c.cost(kind, s.Shares)
	eachStart(d, func(phase int, p float64) { add(s.during(kind, phase), p) })
	if p := d.Atom(); p > 0 {
		add(s.during(executing, 0), p)
	}
}

// reshape adds the moves of the repartition under way.
func (c *Sharing) reshape(s Shared, add func(to Shared, rate float64)) {
	eachMove(c.cost(s.Kind, s.Shares), s.Phase, func(phase int, rate float64) {
		if phase == ended {
			add(s.during(executing, 0), rate)
		} else {
			add(s.during(s.Kind, phase), rate)
		}
	})
}

// joined adds the phases in which k jobs join those that hold partitions, so many to each phase with the probability of
// the multinomial distribution.
func (c *Sharing) joined(s Shared, k int, add func(to Shared, p float64)) {
	if k == 0 {
		add(s, 1)
		return
	}
	b := c.sys.Service[s.Shares-1]
	if k == 1 {
		eachStart(b, func(j int, p float64) { add(s.with(countChanged(s.Jobs, j, 1)), p) })
		return
	}
	alpha := b.Alpha()
	last := len(alpha) - 1
	for last > 0 && alpha[last] == 0 {
		last--
	}
	var draw func(jobs string, j, left int, p float64)
	draw = func(jobs string, j, left int, p float64) {
		if j == last {
			add(s.with(countChanged(jobs, j, left)), p*math.Pow(alpha[j], float64(left)))
			return
		}
		ways := p // p·(left choose n)·α_j^n
		for n := 0; n <= left && ways > 0; n++ {
			draw(countChanged(jobs, j, n), j+1, left-n, ways)
			ways *= alpha[j] * float64(left-n) / float64(n+1)
		}
	}
	draw(s.Jobs, 0, k, 1)
}

// serve adds the moves of running jobs: a change of phase, or by −1 one job fewer.
func (c *Sharing) serve(s Shared, add func(by int, to Shared, rate float64)) {
	b, speed := c.sys.Service[s.Shares-1], c.speeds(s)
	for j := range countPhases(s.Jobs) {
		k := countAt(s.Jobs, j)
		if k == 0 {
			continue
		}
		rest := countChanged(s.Jobs, j, -1)
		eachMove(b, j, func(to int, rate float64) {
			if rate = float64(k) * rate * speed[j]; to == ended {
				add(-1, s.with(rest), rate)
			} else {
				add(0, s.with(countChanged(rest, to, 1)), rate)
			}
		})
	}
}

// speeds returns the speed of a job by its phase over that of B_q.
func (c *Sharing) speeds(s Shared) []float64 {
	if c.filling == nil {
		return c.alike
	}
	occupancy, speed := make([]int32, countPhases(s.Jobs)), make([]float64, countPhases(s.Jobs))
	for j := range occupancy {
		occupancy[j] = int32(countAt(s.Jobs, j))
	}
	c.filling.speed(occupancy, s.Shares, speed)
	return speed
}

// ended is where a time that ends goes.
const ended = -1

// eachStart calls f for the phases in which a time may begin, with their probabilities.
func eachStart(d phasetype.Dist, f func(phase int, p float64)) {
	for j, p := range d.Alpha() {
		if p > 0 {
			f(j, p)
		}
	}
}

// eachMove calls f for the phases to which a time may go from a phase, with the rates, and for its end.
func eachMove(d phasetype.Dist, from int, f func(to int, rate float64)) {
	for j := range d.Phases() {
		if r := d.Rate(from, j); j != from && r > 0 {
			f(j, r)
		}
	}
	if r := d.Exit()[from]; r > 0 {
		f(ended, r)
	}
}

// mapPhases adds what becomes of the phases of jobs that draw them from the rows of phi; nil keeps them.
func mapPhases(jobs string, phi *mat.Dense, add func(jobs string, p float64)) {
	if phi == nil {
		add(jobs, 1)
		return
	}
	var draw func(from, to string, p float64)
	draw = func(from, to string, p float64) {
		for j := range countPhases(from) {
			if countAt(from, j) == 0 {
				continue
			}
			for k := range countPhases(to) {
				if v := phi.At(j, k); v > 0 {
					draw(countChanged(from, j, -1), countChanged(to, k, 1), p*v)
				}
			}
			return
		}
		add(to, p)
	}
	draw(jobs, noCounts(countPhases(jobs)), 1)
}
