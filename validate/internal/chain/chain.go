package chain

import (
	"errors"
	"fmt"
	"slices"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/des"
	"gonum.org/v1/gonum/mat"
)

// Config describes a machine at model fidelity. Times are in one unit.
type Config struct {
	Arrivals phasetype.MAP
	// Service[i-1] is the run time of a job while i jobs have a partition, i = 1..N; one order for all. Its length is
	// the number N of partitions.
	Service []phasetype.Dist
	// Remap returns the stochastic matrix by which running jobs re-draw their phases when their number changes, or nil
	// if they keep them. Remap itself may be nil.
	Remap func(from, to int) *mat.Dense
	// Shrink[i-1] and Expand[i-1] are the repartitions that leave i jobs running, begun by an arrival and by a
	// departure. What is missing or zero costs nothing.
	Shrink, Expand []phasetype.Dist
	// Setup precedes the service of every job; it occupies the job's partition. It needs one service time for all, and no
	// repartitions.
	Setup phasetype.Dist
	// Separate says that a partition is one N-th of the machine whoever else runs (static partitioning); otherwise the
	// running jobs share all nodes. It matters for nothing but BusyTime.
	Separate bool
	// Classes, if there are any, are the kinds of jobs, whose phases lie side by side in the service times.
	Classes []des.Class
	// Nodes, if positive, are divided among the running jobs by water-filling: a job of class k has min(m_k, w) nodes,
	// m_k being its MaxNodes, with w such that all nodes are in use or every job has its m_k. Service is then the run time on
	// one node, whatever the number of jobs. Where only q of the partitions are in use, so are their nodes.
	Nodes float64
	// Resizing, if it has entries, describes the machine on whole nodes, where a repartition stops the jobs that it resizes
	// and the newcomer, and no others. There are then no set-ups, no fixed sizes, no water-filling and no smoothing.
	Resizing Resizing
	// Minimum, if it is not zero, is the minimum time between the starts of repartitions under smoothing, which has no set-ups,
	// and no partitions of a fixed size.
	Minimum phasetype.Dist
}

// Going says what the jobs amount to that make progress at a number of jobs.
type Going struct {
	Speed float64 // of every job if they all shared it, over that of the service times
	Jobs  float64 // how many they are
	Nodes float64 // their share of the machine
	// Shrink and Expand are the probabilities that a repartition begun by an arrival or by a departure now is a partial
	// one.
	Shrink, Expand float64
}

// Resizing describes a machine of whole nodes that stops those jobs that are resized, by the number k of running jobs:
// while all make progress, entry k−1 of Executing, and in a partial repartition, that of Shrinking or Expanding. The
// latter have no entry that is used where no repartition is partial.
type Resizing struct{ Executing, Shrinking, Expanding []Going }

// Chain is a machine with N equal partitions at model fidelity. While i jobs are in the system, min(i, N) of them have
// a partition and run, each in a phase of its own; the others wait first come, first served. An arrival that finds
// fewer than N jobs and a departure that leaves fewer than N, but some, begin a repartition, during which nobody runs.
// A repartition is abandoned when an arrival begins the next one.
//
// A running job carries what is left of a unit exponential, its hazard, used up at the rate of its phase at the present
// number of jobs, and moves on when nothing is left. A job that is stopped, and one whose rate changes, keeps the rest.
// So every job is the same job under any policy: its numbers come from its own stream.
//
// Resizing makes a repartition partial, so that some jobs make progress, or full. A repartition that begins while all
// make progress, or that interrupts a partial one, is partial with the probability that [Going] says. A repartition that
// interrupts a full one is full. Which jobs go on is not looked at: in a partial repartition all do, at the speed that
// those would make together. A job that is done then leaves, which is the next repartition, or with jobs waiting hands
// its partition to the first of them, who begins at once.
//
// Smoothing keeps a minimum time between the starts of repartitions. The machine is divided into q partitions of P/q
// nodes on average, of which some may be idle. While the minimum time lasts, an arrival takes an idle partition or
// waits, and a departure hands its partition to the head of the queue or leaves it idle. When it is over, and when a
// repartition ends after that, the machine is divided among all jobs, N at most, if that is another division; from then
// on so does any arrival or departure at once. A repartition stops everybody and is not cut short: who comes meanwhile
// waits. A job that finds the machine empty gets all of it at once, for the cost of shrinking to one job, and that begins
// no minimum time.
//
// A Chain is immutable; Start makes one machine after another from it.
type Chain struct {
	places         int
	service        []*des.Times // by the number of running jobs
	shrink, expand []*des.Times
	remap          [][]des.Choice // by to·(places+1)+from; nil keeps the phases
	setup          *des.Times
	arrivals       des.Arrivals
	minimum        *des.Times // nil without smoothing
	resizing       Resizing
	separate       bool
	filling        *filling // nil if jobs are served as service says
	class          []int32  // by phase; nil if there are no classes
	level          bool     // all service alike, no repartitions, no maps: a change of the number of jobs touches no job
	ahead          int      // jobs that are drawn at a time: 1 if in which phase they start depends on how many run
}

// New prepares a machine for simulation.
func New(c Config) (*Chain, error) {
	n := len(c.Service)
	if n == 0 || c.Arrivals.Phases() == 0 {
		return nil, errors.New("chain: no service times or no arrivals")
	}
	for i, b := range c.Service {
		if b.Atom() > 0 || b.Phases() != c.Service[0].Phases() {
			return nil, fmt.Errorf("chain: service time %d must be positive and have as many phases as the first", i+1)
		}
	}
	if phases := len(des.ByPhase(c.Classes)); (phases > 0 || c.Nodes > 0) && phases != c.Service[0].Phases() {
		return nil, fmt.Errorf("chain: classes of %d phases, and service times of %d", phases, c.Service[0].Phases())
	}
	m := &Chain{
		places:   n,
		service:  des.NewTimesList(c.Service, n),
		shrink:   des.NewTimesList(c.Shrink, n),
		expand:   des.NewTimesList(c.Expand, n),
		setup:    des.NewTimes(c.Setup),
		arrivals: des.NewArrivals(c.Arrivals),
		separate: c.Separate,
		minimum:  des.NewTimes(c.Minimum),
		resizing: c.Resizing,
		class:    des.ByPhase(c.Classes),
	}
	if c.Nodes > 0 {
		m.filling = newFilling(c.Nodes, c.Classes)
	}
	m.service[0] = &des.Times{} // of nobody
	if m.minimum == nil {
		m.setRemap(c.Remap, 1)
	} else {
		m.setRemap(c.Remap, n) // a repartition after a minimum time is for all jobs that came or left since
	}
	m.ahead = 1
	if startAlike(c.Service) {
		m.ahead = jobsAhead
	}
	m.level = m.filling == nil && c.Remap == nil && c.Resizing.Executing == nil && len(c.Shrink)+len(c.Expand) == 0 && alike(c.Service)
	return m, nil
}

// setRemap lists how phases are drawn anew as the number of jobs changes by reach at most.
func (c *Chain) setRemap(f func(from, to int) *mat.Dense, reach int) {
	if f == nil {
		return
	}
	c.remap = make([][]des.Choice, (c.places+1)*(c.places+1))
	for from := 1; from <= c.places; from++ {
		for to := max(1, from-reach); to <= min(c.places, from+reach); to++ {
			if to != from {
				c.remap[to*(c.places+1)+from] = des.Rows(f(from, to))
			}
		}
	}
}

// alike reports whether all service times are the same distribution.
func alike(service []phasetype.Dist) bool {
	for _, b := range service[1:] {
		if !mat.Equal(b.T(), service[0].T()) {
			return false
		}
	}
	return startAlike(service)
}

// startAlike reports whether the phase in which a job starts has the same distribution whatever its service time.
func startAlike(service []phasetype.Dist) bool {
	for _, b := range service[1:] {
		if !slices.Equal(b.Alpha(), service[0].Alpha()) {
			return false
		}
	}
	return true
}
