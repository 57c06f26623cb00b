package chain

import (
	"errors"
	"fmt"
	"math"
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
	// Setup precedes the service of every job; it occupies the job's partition.
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
}

// Chain is a machine with N equal partitions at model fidelity. While i jobs are in the system, min(i, N) of them have
// a partition and run, each in a phase of its own; the others wait first come, first served. An arrival that finds
// fewer than N jobs and a departure that leaves fewer than N, but some, begin a repartition, during which nobody runs.
// A repartition is abandoned when an arrival begins the next one.
//
// A running job carries what is left of a unit exponential, its hazard, used up at the rate of its phase at the present
// number of jobs, and moves on when nothing is left. A job that is stopped, and one whose rate changes, keeps the rest.
// So every job is the same job under any policy: its numbers come from its own stream.
//
// A Chain is immutable; Start makes one machine after another from it.
type Chain struct {
	places         int
	service        []*des.Times // by the number of running jobs
	shrink, expand []*des.Times
	remap          [][]des.Choice // by to·(places+1)+from; nil keeps the phases
	setup          *des.Times
	arrivals       des.Arrivals
	separate       bool
	filling        *filling // nil if jobs are served as service says
	class          []int32  // by phase; nil if there are no classes
	level          bool     // all service alike, no repartitions, no maps: a change of the number of jobs touches no job
	ahead          int      // jobs that are drawn at a time: 1 if in which phase they start depends on how many run
}

// chainRun is a [Chain] at a moment of its life.
type chainRun struct{ population }

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
		class:    des.ByPhase(c.Classes),
	}
	if c.Nodes > 0 {
		m.filling = newFilling(c.Nodes, c.Classes)
	}
	m.service[0] = &des.Times{} // of nobody
	m.setRemap(c.Remap, 1)
	m.ahead = 1
	if startAlike(c.Service) {
		m.ahead = jobsAhead
	}
	m.level = m.filling == nil && c.Remap == nil && len(c.Shrink)+len(c.Expand) == 0 && alike(c.Service)
	if m.setup != nil && !m.level {
		return nil, errors.New("chain: set-ups need one service time for all, and no repartitions")
	}
	return m, nil
}

// Start returns the empty machine at time 0, its random numbers below key.
func (c *Chain) Start(key des.Key) des.Run { return &chainRun{c.population(key)} }

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

// Advance simulates until n more jobs have departed and adds what happened to t.
func (c *chainRun) Advance(n int, t *des.Tally) error {
	for n > 0 {
		if c.looks() {
			if err := c.interrupted(); err != nil {
				return err
			}
		}
		switch {
		case c.arrivalAt <= c.nextDue && c.arrivalAt <= c.resumeAt:
			c.elapse(c.arrivalAt, t)
			c.arrive(t)
			c.arrivalAt = c.now + c.arrivals.Gap()
		case c.nextDue <= c.resumeAt:
			c.elapse(c.nextDue, t)
			if c.advance(t) {
				c.depart(c.next, t)
				n--
			}
		default:
			c.elapse(c.resumeAt, t)
			c.resume()
			t[des.Events]++
		}
	}
	return nil
}

// Renew simulates to the next arrival that finds the machine empty; see [des.Run].
func (c *chainRun) Renew(limit int, t *des.Tally) (renewed bool, err error) {
	return c.renew(limit, t, c.Advance)
}

func (c *chainRun) arrive(t *des.Tally) {
	t[des.Events]++
	t[des.Arrived]++
	i := len(c.running)
	if i == c.places {
		t[des.Queued]++
		c.queue.Push(c.now)
		return
	}
	if !c.level {
		c.interrupt(t)
		c.mapPhases(i, i+1)
	}
	c.running = c.running[:i+1]
	c.partition(i + 1)
	c.start(i, c.now, t)
	if c.level {
		c.begin(i)
		c.seek()
		return
	}
	c.pause(c.shrink[i+1], des.Shrinks, t)
}

// depart frees place k, for the head of the queue if there is one.
func (c *chainRun) depart(k int, t *des.Tally) {
	if c.queue.Len() > 0 {
		c.replace(k, t)
		return
	}
	i := len(c.running)
	c.vacate(k)
	if !c.level {
		c.interrupt(t)
	}
	c.partition(i - 1)
	if i == 1 {
		t[des.EmptyPeriods]++
	}
	if c.level || i == 1 {
		c.seek()
		return
	}
	c.mapPhases(i, i-1)
	c.pause(c.expand[i-1], des.Expands, t)
}

// interrupt stops the running jobs, or gives up the repartition during which they stand still.
func (c *chainRun) interrupt(t *des.Tally) {
	if c.executing() {
		c.stop()
		return
	}
	t[des.Abandoned]++
	c.resumeAt = math.Inf(1)
}
