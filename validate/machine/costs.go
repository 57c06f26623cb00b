package machine

import (
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/sched"
)

// Stops says which jobs stand still during a reconfiguration.
type Stops uint8

// Who stands still.
const (
	ResizedJobs Stops = iota // those that a change started or resized
	AllJobs                  // all jobs on the machine
	NoJobs                   // none: the change takes time, and everybody works on
	// AllJobsAlways is all jobs on the machine, as in the analytic models: of [NewOverheads], whenever the number of running jobs
	// changes, even if no job is resized.
	AllJobsAlways
)

// Change is what a decision does to the jobs on the machine.
type Change struct {
	Why              sched.EventKind
	Started, Resized int // jobs given their first nodes; jobs that ran and were given other nodes, or none
	Departed         int // jobs that have left
	Moved            int // nodes that jobs gained or lost
	Running          int // jobs on the machine afterwards
}

// Pause is what a change costs.
type Pause struct {
	// Reconfigures says that the change is a reconfiguration: it replaces one that is under way, and the jobs that
	// stand still for that stand still for this one, too. Otherwise the jobs that were started just begin.
	Reconfigures bool
	Time         float64
	Kind         int // the component of the tally that counts it, des.Shrinks or des.Expands, if Time is positive
	Stops        Stops
}

// Costs says what changes cost. An implementation is not changed by a run: several may use it at a time.
type Costs interface {
	// Pause returns what a change costs; random times are drawn from s.
	Pause(c Change, s *des.Ahead) Pause
}

// overheads are the costs of the models: a change is a repartition if it resizes jobs, and otherwise just hands free nodes
// to waiting jobs; or, if AllJobsAlways stop, it is one if it changes the number of running jobs. On an arrival, or if an alarm starts jobs as well, it is Shrink, otherwise Expand. A job that comes to
// the empty machine pays for shrinking to one job. A repartition takes the time of the number of jobs that run afterwards.
type overheads struct {
	shrink, expand []*des.Times
	stops          Stops
}

// NewOverheads returns the costs of repartitions: shrink[i-1] and expand[i-1] leave i jobs running. What is missing or
// zero costs nothing.
func NewOverheads(shrink, expand []phasetype.Dist, stops Stops) Costs {
	n := max(len(shrink), len(expand))
	return &overheads{des.NewTimesList(shrink, n), des.NewTimesList(expand, n), stops}
}

// Pause returns the time of the repartition, if the change is one.
func (o *overheads) Pause(c Change, s *des.Ahead) Pause {
	first := c.Why == sched.Arrival && c.Running == c.Started
	p := Pause{Reconfigures: first || c.Resized > 0, Kind: c.kind(), Stops: o.stops}
	if o.stops == AllJobsAlways {
		p.Reconfigures, p.Stops = c.Started != c.Departed && c.Running > 0, AllJobs
	}
	times := o.expand
	if p.Kind == des.Shrinks {
		times = o.shrink
	}
	if p.Reconfigures && c.Running < len(times) {
		p.Time = times[c.Running].DrawAhead(s)
	}
	return p
}

// kind returns the component of the tally that counts the change, if it takes time.
func (c *Change) kind() int {
	if c.Why == sched.Arrival || c.Why == sched.Alarm && c.Started > 0 {
		return des.Shrinks
	}
	return des.Expands
}

// Standstill is the time for which all jobs stand still whenever a decision resizes a job.
type Standstill float64

// Pause returns the time, if the change resizes a job.
func (t Standstill) Pause(c Change, _ *des.Ahead) Pause {
	return Pause{Reconfigures: c.Resized > 0, Time: float64(t), Kind: c.kind(), Stops: AllJobs}
}

// Resizing are costs that each resized job pays for itself: it stands still, and others work on. A job that is started,
// or grows, by a decision that takes nodes from others stands still until they have given them up, too.
type Resizing interface {
	Costs
	// Stop returns how long a job stands still that had one number of nodes, 0 if it was suspended, and has another.
	Stop(had, has int) float64
}

// AtLeast returns costs whose resizes of running jobs take the times shrink and expand or more: the shortest times in which all
// processes of a job stop and start again, on fewer nodes or on more. Where c is nil, a resize takes these times, and each
// resized job pays for itself.
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

type costsAtLeast struct {
	Costs
	shrink, expand float64
}

// Pause returns the pause of the costs, lengthened if a job that ran is resized.
func (c costsAtLeast) Pause(change Change, s *des.Ahead) Pause {
	p := c.Costs.Pause(change, s)
	switch {
	case !p.Reconfigures || change.Resized == 0:
	case p.Kind == des.Shrinks:
		p.Time = max(p.Time, c.shrink)
	default:
		p.Time = max(p.Time, c.expand)
	}
	return p
}

type resizingAtLeast struct {
	Resizing
	least Resizes
}

// Stop returns the time of the costs, lengthened if the job had other nodes.
func (c resizingAtLeast) Stop(had, has int) float64 {
	return max(c.Resizing.Stop(had, has), c.least.Stop(had, has))
}
