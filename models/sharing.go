package models

import (
	"math"
)

// Sharing is a machine that is divided into equal shares, of which each job that runs has one, the first in the system
// first; what says into how many is not part of it. It is described state by state, for chains of rules that resize and
// for the best of these ([policy.Resize], package models/optimal):
//
//   - With q shares every running job is served as B_q says; jobs of several classes divide the shares that they have by
//     water-filling. A job that comes takes an idle share or waits.
//   - While jobs run, dividing the machine anew starts the repartition C_q' of the new number q', a shrink if that is
//     larger and an expand if it is smaller, and cuts short the one under way. No job makes progress until it ends.
//   - Among jobs none of which runs yet, dividing is free; but on a machine that was empty it takes C_1, whatever q'.
//
// So it is the machine of [DEP] wherever the machine is divided among all jobs, up to N, and that of [SP] where it never
// is divided anew and C_1 is zero. Its zero value has no states.
type Sharing struct{ depStates }

// Shared is a state of a [Sharing] without the number of jobs. Either Shares is 0 and the machine empty, or the first
// jobs run.
type Shared struct {
	Arrival int    // phase of the arrivals
	Shares  int    // q
	Kind    byte   // of the repartition under way: 's' shrinks, 'e' expands, 'l' launches; 0 if there is none
	Phase   int    // of the repartition
	Jobs    string // counts of the service phases of the jobs that run: [JobCounts]
}

// JobCounts returns the counts of jobs in phases, each at most 65,535, as the states of a [Sharing] have them.
func JobCounts(jobs ...int) string { return countsOf(jobs...) }

// Running returns the number of jobs that run, or would if there were no repartition.
func (s Shared) Running() int { return countTotal(s.Jobs) }

// SharingEvent is what leads from one state of a [Sharing] to another.
type SharingEvent byte

// The events: Silent ones are changes of a phase that nobody sees.
const (
	Silent SharingEvent = iota
	JobArrives
	JobDeparts
	RepartitionEnds
)

// NewSharing returns the machine of a system in which all jobs stop during a repartition. The error is a *[SystemError],
// or wraps [ErrNoChain] where only resized jobs stop.
func NewSharing(s *System) (*Sharing, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := s.stopsAll("a machine that is resized by rules"); err != nil {
		return nil, err
	}
	return &Sharing{newDepStates(s, s.Partitions())}, nil
}

// Empty returns the states of the empty machine.
func (c *Sharing) Empty() (all []Shared) {
	if c == nil || c.sys == nil {
		return nil
	}
	for a := range c.sys.Arrivals.Phases() {
		all = append(all, Shared{Arrival: a})
	}
	return all
}

// Events adds what may happen in a state with so many jobs, and the state it leads to, in which [Sharing.Divide] has
// still to say who runs.
func (c *Sharing) Events(jobs int, s Shared, add func(e SharingEvent, to Shared, rate float64)) {
	if c == nil || c.sys == nil {
		return
	}
	arr := c.sys.Arrivals
	for b := range arr.Phases() {
		to := s
		to.Arrival = b
		if r := arr.Rate0(s.Arrival, b); b != s.Arrival && r > 0 {
			add(Silent, to, r)
		}
		if r := arr.Rate1(s.Arrival, b); r > 0 {
			add(JobArrives, to, r)
		}
	}
	switch {
	case s.Shares == 0:
	case s.Kind != 0:
		c.reshape(s.Shares, s.Kind, s.Phase, func(kind byte, phase int, rate float64) {
			e := Silent
			if kind == 0 {
				e = RepartitionEnds
			}
			to := s
			to.Kind, to.Phase = kind, phase
			add(e, to, rate)
		})
	default:
		c.serve(s.Shares, s.Jobs, nobody, func(left string, departs bool, rate float64) {
			to := s
			to.Jobs = left
			switch {
			case departs && jobs == 1:
				add(JobDeparts, Shared{Arrival: s.Arrival}, rate)
			case departs:
				add(JobDeparts, to, rate)
			default:
				add(Silent, to, rate)
			}
		})
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
	case jobs == 0 || c == nil || c.sys == nil:
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
		s.Jobs = mapped
		c.joined(s, idle, func(s Shared, p2 float64) {
			c.begin(kind, shares, func(kind byte, phase int, p3 float64) {
				s.Kind, s.Phase = kind, phase
				add(s, p*p2*p3)
			})
		})
	})
}

// joined adds the phases in which k jobs join those that hold partitions, so many to each phase with the probability of
// the multinomial distribution.
func (c *Sharing) joined(s Shared, k int, add func(to Shared, p float64)) {
	if k == 0 {
		add(s, 1)
		return
	}
	alpha := c.sys.Service[s.Shares-1].Alpha()
	last := len(alpha) - 1
	for last > 0 && alpha[last] == 0 {
		last--
	}
	var draw func(jobs string, j, left int, p float64)
	draw = func(jobs string, j, left int, p float64) {
		if j == last {
			s.Jobs = countChanged(jobs, j, left)
			add(s, p*math.Pow(alpha[j], float64(left)))
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
