package models

import (
	"github.com/partwise/partwise/models/internal/counts"
	"github.com/partwise/partwise/models/internal/levels"
	"github.com/partwise/partwise/phasetype"
)

// The activities of the machine, as a class sees them.
const (
	idle      byte = iota // no class has a job
	absent                // visits another class
	switching             // switch-over before a slice of the class
	serving               // slice of the class
)

// phase is a state, without the number of jobs, of the chain of a class. It contains the state of the partitions of the
// class. Kind is the activity of the machine, and Phase the phase of the visit to another class, of the switch-over or of
// the quantum.
type phase struct {
	Shared
	with int    // the other class that the machine visits, numbered in the order of turns after the class itself
	busy uint32 // bit k: other class k has jobs
}

// visiting reports whether the machine is with the class.
func (s phase) visiting() bool { return s.Kind == switching || s.Kind == serving }

// other is what a class knows of another class.
type other struct {
	visit phasetype.Dist // length of a visit of the machine
	empty float64        // probability that it has no job left after a visit
	fill  float64        // rate at which a job arrives while it has none
}

// classChain is the chain of one class.
type classChain struct {
	TimeSharedClass
	hold    bool
	others  []other
	machine *Sharing // its partitions
	levels  *levels.Chain[phase]
}

// adder adds a transition by a number of levels.
type adder = func(by int, to phase, rate float64)

func newClassChain(c TimeSharedClass, hold bool, others []other) *classChain {
	ch := &classChain{TimeSharedClass: c, hold: hold, others: others, machine: newQueue(c.Arrivals, c.Service, c.Partitions)}
	ch.levels = &levels.Chain[phase]{Repeats: c.Partitions, Moves: ch.moves}
	// Exploration starts where all other classes have jobs and this class has none, a state that always recurs.
	none := Shared{Shares: c.Partitions, Jobs: counts.None(c.Service.Phases())}
	ch.pass(0, phase{Shared: none, busy: 1<<len(others) - 1}, -1, func(s phase, p float64) {
		ch.levels.Empty = append(ch.levels.Empty, s)
	})
	return ch
}

// moves adds the transitions of a state.
func (c *classChain) moves(level int, s phase, all adder) {
	add := func(by int, to phase, rate float64) {
		if rate > 0 {
			all(by, to, rate)
		}
	}
	switch s.Kind {
	case idle:
		// The first class to get a job is visited.
		c.change(level, s, func(by int, to phase, rate float64) {
			if by == 0 && to.busy == 0 {
				add(by, to, rate)
				return
			}
			c.pass(level+by, to, -1, func(to phase, p float64) { add(by, to, rate*p) })
		})
	case absent:
		c.change(level, s, add)
		o := c.others[s.with]
		goOn(o.visit, s, add, func(r float64) {
			c.pass(level, s, s.with, func(to phase, p float64) { add(0, to, r*(1-o.empty)*p) })
			s.busy &^= 1 << s.with
			c.pass(level, s, s.with, func(to phase, p float64) { add(0, to, r*o.empty*p) })
		})
	default:
		c.during(level, s, add, func(by int, s phase, rate float64) {
			c.pass(level+by, s, -1, func(to phase, p float64) { add(by, to, rate*p) })
		})
	}
}

// change adds the transitions that do not depend on the activity of the machine: arrivals, and jobs that arrive at other
// classes without jobs.
func (c *classChain) change(level int, s phase, add adder) {
	c.arrivals(level, s, add)
	for k, o := range c.others {
		to := s
		if s.busy&(1<<k) == 0 {
			to.busy |= 1 << k
			add(0, to, o.fill)
		}
	}
}

// during adds the transitions within a visit, which is a switch-over followed by a slice. It calls end for the
// transitions that end the visit.
func (c *classChain) during(level int, s phase, add, end adder) {
	c.change(level, s, add)
	if s.Kind == switching {
		goOn(c.SwitchOver, s, add, func(r float64) {
			c.slice(s, func(to phase, p float64) { add(0, to, r*p) })
		})
		return
	}
	goOn(c.Quantum, s, add, func(r float64) { end(0, s, r) })
	c.machine.serve(s.Shared, c.taking(level, s, func(by int, to phase, rate float64) {
		if level+by == 0 && !c.hold {
			end(by, to, rate)
			return
		}
		add(by, to, rate)
	}))
}

// arrivals adds the transitions of the arrival process.
func (c *classChain) arrivals(level int, s phase, add adder) {
	c.machine.arrivals(s.Shared, c.taking(level, s, add))
}

// taking returns a function that adds transitions of the partitions. Waiting jobs and an arriving job take free
// partitions.
func (c *classChain) taking(level int, s phase, add adder) func(by int, to Shared, rate float64) {
	return func(by int, to Shared, rate float64) {
		c.machine.Divide(level+by, to, c.Partitions, func(to Shared, p float64) {
			s.Shared = to
			add(by, s, rate*p)
		})
	}
}

// pass adds the states after a visit to class from (−1 for the class itself): the machine visits the next class that has
// jobs.
func (c *classChain) pass(level int, s phase, from int, add func(to phase, p float64)) {
	turn := func(k int) bool {
		s.with = k
		busy := s.busy&(1<<k) != 0
		if busy {
			begin(c.others[k].visit, absent, s, add)
		}
		return busy
	}
	for k := from + 1; k < len(c.others); k++ {
		if turn(k) {
			return
		}
	}
	if level > 0 {
		s.with = 0
		c.visit(s, add)
		return
	}
	for k := range from + 1 {
		if turn(k) {
			return
		}
	}
	s.Kind, s.with, s.Phase = idle, 0, 0
	add(s, 1)
}

// visit adds the states in which a visit to the class begins, and slice those in which a slice begins.
func (c *classChain) visit(s phase, add func(to phase, p float64)) {
	begin(c.SwitchOver, switching, s, add)
	if none := c.SwitchOver.Atom(); none > 0 {
		c.slice(s, func(to phase, p float64) { add(to, p*none) })
	}
}

func (c *classChain) slice(s phase, add func(to phase, p float64)) { begin(c.Quantum, serving, s, add) }

// begin adds the states in which a time begins.
func begin(d phasetype.Dist, doing byte, s phase, add func(to phase, p float64)) {
	s.Kind = doing
	eachStart(d, func(i int, p float64) {
		s.Phase = i
		add(s, p)
	})
}

// goOn adds the changes of phase of a time, and calls end with the rate at which the time ends.
func goOn(d phasetype.Dist, s phase, add adder, end func(rate float64)) {
	eachMove(d, s.Phase, func(to int, rate float64) {
		if to == ended {
			end(rate)
			return
		}
		s.Phase = to
		add(0, s, rate)
	})
}
