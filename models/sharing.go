package models

import (
	"math"
	"slices"

	"github.com/partwise/partwise/models/internal/counts"
	"github.com/partwise/partwise/models/internal/division"
	"github.com/partwise/partwise/models/internal/levels"
	"github.com/partwise/partwise/phasetype"
)

// Sharing is a machine that is divided into equal shares, one for each running job. The jobs that have been in the system
// longest run. The number of shares is not part of the Sharing: a rule chooses it ([policy.Resize]), or a search for the
// best rule does (decide.Optimal). The machine is described state by state:
//
//   - With q shares every running job has the service time B_q. Jobs of several classes divide their shares by
//     water-filling. An arriving job takes an idle share or waits.
//   - While jobs run, dividing the machine into q' shares starts the repartition C_q': a shrink if q' is larger than
//     before, an expand if it is smaller. It cuts short a repartition under way. No job makes progress until it ends.
//   - If no job runs yet, dividing is free, except that on a machine that was empty it takes C_1, for any q'.
//
// If the machine is always divided among all jobs, up to N, this is dynamic equi-partitioning. If it is never divided
// again and C_1 is zero, it is static partitioning.
type Sharing struct {
	sys     *System
	n       int                    // largest number of shares
	filling *division.WaterFilling // nil if all jobs are alike
	alike   []float64              // speeds by phase if all jobs are alike: ones
}

// Shared is a state of a [Sharing] without the number of jobs. If Shares is 0, the machine is empty; otherwise the first
// jobs run.
type Shared struct {
	Arrival int    // phase of the arrivals
	Shares  int    // q
	Kind    byte   // of the repartition under way: 's' shrink, 'e' expand, 'l' launch; 0 without a repartition
	Phase   int    // of the repartition
	Jobs    string // numbers of running jobs by service phase, two bytes each, the higher first
}

// The kinds of repartitions; 0 means that no repartition is under way.
const (
	executing = 0
	shrinking = 's'
	expanding = 'e'
	launching = 'l' // on an empty machine, into any number of shares
)

// Running returns the number of running jobs. Jobs that stand still during a repartition count.
func (s Shared) Running() int { return counts.Total(s.Jobs) }

// during returns the state with a repartition in a phase.
func (s Shared) during(kind byte, phase int) Shared {
	s.Kind, s.Phase = kind, phase
	return s
}

// with returns the state with other numbers of running jobs.
func (s Shared) with(jobs string) Shared {
	s.Jobs = jobs
	return s
}

// NewSharing returns the machine of a system on which all jobs stop during a repartition. The error is a *[SystemError],
// or wraps [ErrNoChain] if only resized jobs stop.
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

// newQueue returns a machine of so many equal partitions on which jobs have the given service time.
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

// Events calls add for each event that can happen in a state with so many jobs: the change of the number of jobs, the
// state that follows, and the rate. After a change of the number of jobs, [Sharing.Divide] determines which jobs run.
func (c *Sharing) Events(jobs int, s Shared, add func(by int, to Shared, rate float64)) {
	speed := 0.0
	if s.Kind == executing && s.Shares > 0 {
		speed = 1
	}
	c.events(jobs, s, speed, add)
}

// events is Events with jobs that run at the given speed, also during a repartition.
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

// arrivals adds the transitions of the arrival process.
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

// Divide adds the states that follow when the machine is divided into so many shares, with so many jobs present, after an
// event that has led to s. Waiting jobs take idle shares. If the number of shares does not change, nothing else happens.
// There must be a share for each running job.
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
	// The machine was empty: it costs as much as shrinking to one share.
	case s.Shares == 0:
		s.Jobs, kind = counts.None(c.sys.Service[0].Phases()), launching
	// No job runs, so none stops.
	case running == 0:
		kind = executing
	case shares < s.Shares:
		kind = expanding
	}
	phi := c.sys.PhaseMap[Change{s.Shares, shares}]
	s.Shares = shares
	counts.EachMapped(s.Jobs, phi, func(mapped string, p float64) {
		c.joined(s.with(mapped), idle, func(s Shared, p2 float64) {
			c.begin(s, kind, func(to Shared, p3 float64) { add(to, p*p2*p3) })
		})
	})
}

// even returns the chain of the machine that is divided evenly among all jobs, up to n, whenever their number changes.
func (c *Sharing) even() *levels.Chain[Shared] {
	moves := func(level int, s Shared, add func(by int, to Shared, rate float64)) {
		c.Events(level, s, func(by int, to Shared, rate float64) {
			if by == 0 {
				add(0, to, rate)
				return
			}
			c.Divide(level+by, to, min(level+by, c.n), func(to Shared, p float64) { add(by, to, rate*p) })
		})
	}
	return &levels.Chain[Shared]{Repeats: c.n, Empty: c.Empty(), Moves: moves}
}

// cost returns the time of a repartition of a kind into so many shares.
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

// begin adds the states in which a repartition of a kind into the shares of s begins. If it takes no time, it is over.
func (c *Sharing) begin(s Shared, kind byte, add func(to Shared, p float64)) {
	d := c.cost(kind, s.Shares)
	eachStart(d, func(phase int, p float64) { add(s.during(kind, phase), p) })
	if p := d.Atom(); p > 0 {
		add(s.during(executing, 0), p)
	}
}

// reshape adds the transitions of the repartition under way.
func (c *Sharing) reshape(s Shared, add func(to Shared, rate float64)) {
	eachMove(c.cost(s.Kind, s.Shares), s.Phase, func(phase int, rate float64) {
		if phase == ended {
			add(s.during(executing, 0), rate)
		} else {
			add(s.during(s.Kind, phase), rate)
		}
	})
}

// joined adds the states in which k more jobs run. The numbers of these jobs by phase have a multinomial distribution.
func (c *Sharing) joined(s Shared, k int, add func(to Shared, p float64)) {
	if k == 0 {
		add(s, 1)
		return
	}
	b := c.sys.Service[s.Shares-1]
	if k == 1 {
		eachStart(b, func(j int, p float64) { add(s.with(counts.Changed(s.Jobs, j, 1)), p) })
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
			add(s.with(counts.Changed(jobs, j, left)), p*math.Pow(alpha[j], float64(left)))
			return
		}
		// n of the left jobs begin in phase j. The probabilities come from a multinomial distribution, phase by phase.
		ways := p // p·(left choose n)·α_j^n
		for n := 0; n <= left && ways > 0; n++ {
			draw(counts.Changed(jobs, j, n), j+1, left-n, ways)
			ways *= alpha[j] * float64(left-n) / float64(n+1)
		}
	}
	draw(s.Jobs, 0, k, 1)
}

// serve adds the transitions of running jobs: a change of phase, or a departure (by −1).
func (c *Sharing) serve(s Shared, add func(by int, to Shared, rate float64)) {
	b, speed := c.sys.Service[s.Shares-1], c.speeds(s)
	for j := range counts.Phases(s.Jobs) {
		k := counts.At(s.Jobs, j)
		if k == 0 {
			continue
		}
		rest := counts.Changed(s.Jobs, j, -1)
		eachMove(b, j, func(to int, rate float64) {
			rate = float64(k) * rate * speed[j]
			if to == ended {
				add(-1, s.with(rest), rate)
			} else {
				add(0, s.with(counts.Changed(rest, to, 1)), rate)
			}
		})
	}
}

// speeds returns the speed of a job by phase, relative to B_q.
func (c *Sharing) speeds(s Shared) []float64 {
	if c.filling == nil {
		return c.alike
	}
	occupancy, speed := make([]int32, counts.Phases(s.Jobs)), make([]float64, counts.Phases(s.Jobs))
	for j := range occupancy {
		occupancy[j] = int32(counts.At(s.Jobs, j))
	}
	c.filling.Speed(occupancy, s.Shares, speed)
	return speed
}

// ended is the target of a transition that ends a time.
const ended = -1

// eachStart calls f for the phases in which a time may begin, with their probabilities.
func eachStart(d phasetype.Dist, f func(phase int, p float64)) {
	for j, p := range d.Alpha() {
		if p > 0 {
			f(j, p)
		}
	}
}

// eachMove calls f for the transitions out of a phase of a time, with their rates; the end of the time is the target
// ended.
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
