package chain

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
)

// Config describes a machine at model fidelity. Times are in one unit.
type Config struct {
	Arrivals phasetype.MAP
	// Service[i-1] is the run time of a job while i jobs have a partition, i = 1..N. All have the same order. The
	// length of the list is the number N of partitions.
	Service []phasetype.Dist
	// Remap returns the stochastic matrix from the old to the new phases of running jobs when their number changes from
	// from to to. It returns nil if jobs keep their phases. Remap itself may be nil.
	Remap func(from, to int) *mat.Dense
	// Shrink[i-1] and Expand[i-1] are the times of repartitions that leave i jobs running, begun by an arrival and by a
	// departure. Entries that are missing or zero cost nothing.
	Shrink, Expand []phasetype.Dist
	// Setup precedes the service of every job and occupies the job's partition. It requires one service time for all
	// numbers of jobs, and no repartitions.
	Setup phasetype.Dist
	// Separate says that a partition is one N-th of the machine however many jobs run (static partitioning). Otherwise
	// the running jobs share all nodes, or those of the partitions in use under smoothing. Only BusyTime depends on it.
	Separate bool
	// Classes, if there are any, are the kinds of jobs, whose phases lie side by side in the service times.
	Classes []simulation.Class
	// Nodes, if positive, are divided among the running jobs by water-filling. A job of class k has min(m_k, w) nodes,
	// where m_k is its MaxNodes. The level w is such that all nodes are in use or every job has its m_k. Service is then
	// the run time on one node, whatever the number of jobs. If only q of the N partitions are in use, only the nodes of
	// these are divided.
	Nodes float64
	// Resizing, if it has entries, describes the machine on whole nodes. A repartition then stops the jobs that it
	// resizes and the new job, and no others. Resizing excludes set-ups, fixed sizes, water-filling and smoothing.
	Resizing Resizing
	// Minimum, if not zero, is the minimum time between the starts of repartitions under smoothing. Smoothing excludes
	// set-ups and partitions of a fixed size.
	Minimum phasetype.Dist
}

// Going describes the jobs that make progress at a number of running jobs.
type Going struct {
	Speed float64 // their total speed per running job, relative to the speed of the service times
	Jobs  float64 // their number
	Nodes float64 // their share of the nodes
	// Shrink and Expand are the probabilities that a repartition which an arrival or a departure begins now is a
	// partial one.
	Shrink, Expand float64
}

// Resizing describes a machine of whole nodes that stops only the resized jobs, by the number k of running jobs. Entry
// k−1 of Executing holds while all jobs make progress. Entry k−1 of Shrinking or Expanding holds during a partial
// repartition; it is not used if no repartition is partial.
type Resizing struct{ Executing, Shrinking, Expanding []Going }

// Chain is a machine with N equal partitions at model fidelity. While i jobs are in the system, min(i, N) of them have
// a partition and run, each in a phase of its own. The others wait first come, first served. An arrival that finds
// fewer than N jobs begins a repartition, during which no job runs. So does a departure that leaves fewer than N jobs,
// unless it leaves none. A repartition under way is abandoned when the next one begins.
//
// A running job carries the rest of a unit exponential, its hazard. The hazard is used up at the rate of the job's
// phase at the present number of jobs. When nothing is left, the job moves to its next phase. A job keeps the rest when
// it is stopped, or when its rate changes. So every job is the same under any policy: its random numbers come from its
// own stream.
//
// Resizing makes a repartition partial, so that some jobs make progress, or full. A repartition that begins while all
// jobs make progress, or that interrupts a partial one, is partial with the probability that [Going] says. A
// repartition that interrupts a full one is full. The chain does not say which jobs make progress. In a partial
// repartition all jobs do, at the speed that the jobs which go on would have together. A job that completes departs.
// Its departure begins the next repartition, or, if jobs wait, gives its partition to the first of them, which begins
// at once.
//
// Smoothing keeps a minimum time between the starts of repartitions. The machine is divided into q partitions of P/q
// nodes on average, some of which may be idle. While the minimum time lasts, an arrival takes an idle partition or
// waits. A departure gives its partition to the head of the queue or leaves it idle. When the time is over and no
// repartition is under way, the machine is divided among all jobs, at most N, if the division changes. From then on,
// any arrival or departure divides the machine at once. A repartition stops all jobs and runs to its end: jobs that
// arrive during it wait. A job that finds the machine empty gets all nodes at once, at the cost of shrinking to one
// job. Such a start begins no minimum time.
//
// A Chain is immutable; Start makes any number of runs from it.
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
	level          bool     // all service alike, no repartitions: a change of the number of jobs touches no other job
	onePhase       bool     // every job departs at the end of its first phase, so that it needs no random numbers after its start
	ahead          int      // jobs that are drawn at a time: 1 if in which phase they start depends on how many run
}

// New returns the machine of a configuration, prepared for simulation. The error says what is wrong with the
// configuration.
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
	if phases := len(simulation.ByPhase(c.Classes)); (phases > 0 || c.Nodes > 0) && phases != c.Service[0].Phases() {
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
		class:    simulation.ByPhase(c.Classes),
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
	m.level = m.filling == nil && m.minimum == nil && c.Remap == nil && c.Resizing.Executing == nil &&
		len(c.Shrink)+len(c.Expand) == 0 && alike(c.Service)
	m.onePhase = m.setup == nil && m.remap == nil && !slices.ContainsFunc(m.service[1:], (*des.Times).ManyPhases)
	if m.setup != nil && !m.level {
		return nil, errors.New("chain: set-ups need service times that are alike, and no repartitions")
	}
	return m, nil
}

// setRemap prepares the choices by which phases are drawn anew when the number of jobs changes by at most reach.
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

// alike reports whether all service times have the same distribution.
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
