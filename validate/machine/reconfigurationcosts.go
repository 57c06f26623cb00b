package machine

import (
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/sched"
)

// Stops tells which jobs stand still during a reconfiguration.
type Stops uint8

// The jobs that stand still.
const (
	ResizedJobs Stops = iota // jobs that a change started or resized
	AllJobs                  // all jobs on the machine
	NoJobs                   // none: the change takes time, but all jobs continue
	// AllJobsAlways means all jobs on the machine whenever the number of running jobs changes, even if no job is resized. The
	// analytic models assume it. It is for [NewOverheads].
	AllJobsAlways
)

// Change describes what a decision does to the jobs on the machine.
type Change struct {
	// Why is the event to which the change is attributed; see [causeOf].
	Why              sched.EventKind
	Started, Resized int // jobs that got their first nodes; running jobs whose nodes changed, suspended jobs included
	Departed         int // jobs that have left
	Moved            int // nodes that jobs lost, plus nodes that they gained
	Running          int // jobs on the machine afterwards
}

// Pause is the cost of a change.
type Pause struct {
	// Reconfigures tells that the change is a reconfiguration. It then replaces a reconfiguration under way, and the jobs that
	// stand still for that one go on standing still for this one. Otherwise the started jobs begin at once.
	Reconfigures bool
	// Time is how long the reconfiguration takes, in the unit of time of the machine.
	Time float64
	Kind int // as what the change is counted if Time is positive: [ShrinkPause] or [ExpandPause]
	// Stops tells which jobs stand still during that time.
	Stops Stops
}

// The kinds of pauses: repartitions after an arrival, and repartitions after a departure.
const (
	ShrinkPause = simulation.Shrinks
	ExpandPause = simulation.Expands
)

// Costs determine the costs of changes. A run does not modify them, so several runs may use the same Costs at a time.
type Costs interface {
	// Pause returns the cost of a change, which it must neither modify nor keep. Random times are drawn from s.
	Pause(c *Change, s *des.Ahead) Pause
}

// overheads are the costs of the analytic models.
//
//   - A change is a repartition if it resizes jobs, or if a job arrives at the empty machine. Otherwise it only gives
//     free nodes to waiting jobs. If AllJobsAlways stop, a change is a repartition if it changes the number of running
//     jobs.
//   - A repartition takes a time of the list shrink if it happens on an arrival, or if an alarm starts jobs. Otherwise it
//     takes one of the list expand.
//   - The entry of the list is the number of jobs that run afterwards.
type overheads struct {
	shrink, expand []*des.Times
	stops          Stops
}

// NewOverheads returns the costs of repartitions that the chains assume. shrink[i-1] and expand[i-1] are the
// distributions of the time of a repartition that leaves i jobs running: after an arrival and after a departure.
// Entries that are missing or zero cost nothing. stops tells which jobs stand still.
func NewOverheads(shrink, expand []phasetype.Dist, stops Stops) Costs {
	n := max(len(shrink), len(expand))
	return &overheads{des.NewTimesList(shrink, n), des.NewTimesList(expand, n), stops}
}

// Pause returns whether the change is a repartition, which jobs stand still during it, and how long. A change is a
// repartition if it resizes jobs, or if jobs arrive at the empty machine. If AllJobsAlways stop, it is one whenever the
// number of running jobs changes and is not 0 afterwards; Stops of the result is then AllJobs.
//
// The time is drawn from s, from the distribution for the number of jobs that run afterwards: of the list shrink or of
// the list expand. The time is 0 if the change is no repartition, or if the entry is missing or zero.
func (o *overheads) Pause(c *Change, s *des.Ahead) Pause {
	first := c.Why == sched.Arrival && c.Running == c.Started
	p := Pause{Reconfigures: first || c.Resized > 0, Kind: c.kind(), Stops: o.stops}
	if o.stops == AllJobsAlways {
		p.Reconfigures, p.Stops = c.Started != c.Departed && c.Running > 0, AllJobs
	}
	times := o.expand
	if p.Kind == simulation.Shrinks {
		times = o.shrink
	}
	if p.Reconfigures && c.Running < len(times) {
		p.Time = times[c.Running].DrawAhead(s)
	}
	return p
}

// kind returns the component of the tally that counts the change if it takes time: simulation.Shrinks if jobs arrived
// or an alarm started jobs, else simulation.Expands. It also selects the list of times of [NewOverheads].
func (c *Change) kind() int {
	if c.Why == sched.Arrival || c.Why == sched.Alarm && c.Started > 0 {
		return simulation.Shrinks
	}
	return simulation.Expands
}

// Standstill are costs of one constant time: all jobs stand still for it after every decision that resizes a job. The
// time is in the unit of time of the machine.
type Standstill float64

// Pause returns a reconfiguration of time t, in which all jobs stand still, if the change resizes a job. Otherwise the
// change is no reconfiguration, and the time of the result is not used. The stream of random numbers is not used.
func (t Standstill) Pause(c *Change, _ *des.Ahead) Pause {
	return Pause{Reconfigures: c.Resized > 0, Time: float64(t), Kind: c.kind(), Stops: AllJobs}
}

// Resizing are costs that each resized job pays for itself: it stands still while the others work. If a decision takes
// nodes from jobs, a job that it starts or enlarges also stands still until these nodes are free.
type Resizing interface {
	Costs
	// Stop returns how long a job stands still that occupied had nodes before (0 if it was suspended) and occupies has
	// nodes afterwards. The time is in the unit of time of the machine.
	Stop(had, has int) float64
}

// AtLeast returns the costs c with lower bounds on the time of a resize of running jobs. The bounds are the shortest times
// in which all processes of a job stop and start again, in the unit of time of the machine. c is not changed.
//
// If c is a [Resizing], or nil, each resized job pays for itself: at least shrink for fewer nodes, and at least expand for
// more nodes. With nil, a resize takes just these times. Other costs are the costs of a whole change. Their bound is
// shrink if the pause counts as a [ShrinkPause], as after an arrival, and expand otherwise.
func AtLeast(c Costs, shrink, expand float64) Costs {
	least := Resizes{{Nodes: 1, Shrink: shrink, Expand: expand}}
	switch c := c.(type) {
	case nil:
		return least
	case Resizing:
		return resizingAtLeast{c, least}
	}
	return costsAtLeast{c, shrink, expand}
}

// costsAtLeast are costs of reconfigurations with lower bounds on the time of a shrink and of an expansion.
type costsAtLeast struct {
	Costs
	shrink, expand float64
}

// Pause returns the pause of the underlying costs for a change. If the change is a reconfiguration that resizes a
// running job, its time is raised to a lower bound. The bound is c.shrink if the pause counts as a shrink, else
// c.expand. Random times are drawn from s.
func (c costsAtLeast) Pause(change *Change, s *des.Ahead) Pause {
	p := c.Costs.Pause(change, s)
	switch {
	case !p.Reconfigures || change.Resized == 0:
	case p.Kind == simulation.Shrinks:
		p.Time = max(p.Time, c.shrink)
	default:
		p.Time = max(p.Time, c.expand)
	}
	return p
}

// resizingAtLeast are costs that each resized job pays for itself, with lower bounds on its time.
type resizingAtLeast struct {
	Resizing
	least Resizes
}

// Stop returns how long a job stands still that is resized from had to has nodes. It is the larger of the time of the
// underlying costs and of the lower bound.
func (c resizingAtLeast) Stop(had, has int) float64 {
	return max(c.Resizing.Stop(had, has), c.least.Stop(had, has))
}
