package sched

import (
	"fmt"

	"github.com/partwise/partwise/models/policy"
)

// Policy decides which job runs on how many nodes. It is asked when all events of a moment have happened, and answers
// with actions, appended to do. Between calls it may keep what it likes, but for the events; it is used for one run.
//
// Of the events, at least one, arrivals come first, in the order of the queue, whose last jobs they are; then departures
// in the order in which the jobs were started, then alarms. What a decision brings about at the same moment, such as the
// end of a job that takes no time, is told in another call.
//
// The machine ends a run with a *machine.PolicyError if the actions cannot be carried out: if jobs would have more nodes than there
// are, if a rigid job would have other nodes than it asks for or another job nodes outside of [View.Least] to [View.Most], if the
// nodes of a job that runs and is not malleable would change, or if jobs are never started.
type Policy interface {
	Name() string
	Decide(v View, events []Event, do []Action) []Action
}

// Promiser is a policy that promises every job, when it comes, a time by which it will have started.
type Promiser interface {
	Policy
	// Promised returns the latest start promised so far to a job that waits.
	Promised(j JobID) float64
}

// Failing is a policy that may fail to decide.
type Failing interface {
	Policy
	// Err returns why the last call of Decide has no answer, nil if it has one.
	Err() error
}

// Maker is a policy.Policy that makes its own scheduler.
type Maker interface {
	policy.Policy
	// Scheduler returns the scheduler of one run. Runs may be at the same time: what the scheduler remembers is not shared with
	// the scheduler of another run.
	Scheduler() (Policy, error)
}

// New returns the scheduler of a policy for one run.
func New(p policy.Policy) (Policy, error) {
	switch p := p.(type) {
	case nil:
		return nil, fmt.Errorf("sched: no policy")
	case Maker:
		if s, err := p.Scheduler(); s != nil || err != nil {
			return s, err
		}
	case policy.Dynamic:
		return &dynamic{}, nil
	case policy.Capped:
		return &dynamic{Cap: p.Jobs}, nil
	case policy.Static:
		return static{p.Partitions}, nil
	case policy.Smoothing:
		return newResize(p.Name(), policy.Resize{Cooldown: p.Mean, SCV: p.SCV})
	case policy.Resize:
		return newResize(p.Name(), p)
	case policy.Folding:
		return &folding{}, nil
	case policy.Limited:
		return &limited{Small: p.Demand}, nil
	case policy.FCFS:
		return fcfs{}, nil
	case policy.EASY:
		return &easy{}, nil
	case policy.EASYMalleable:
		return &easyMalleable{}, nil
	case policy.Conservative:
		return &conservative{Compress: p.Compress}, nil
	case policy.Molding:
		return newMolding(p, p.Share)
	case policy.Epochs:
		return newEpochs(p)
	case policy.Fraction:
		return newMolding(p, 1)
	}
	return nil, fmt.Errorf("sched: policy %s has no scheduler", p)
}

// JobID names a job while it is in the system; the name may be given again to a later one. Names are small numbers, so
// that a policy can keep what it knows of jobs in a slice.
type JobID int32

// EventKind says what happened.
type EventKind uint8

// The kinds of event.
const (
	Arrival   EventKind = iota // Job has come and waits, as the last in the queue
	Departure                  // Job has ended and its Nodes are free; the name is still good
	Alarm                      // the time of a Wake
	Resume                     // a reconfiguration has ended; a policy is not asked if there is nothing else
)

// Event is what a policy is told.
type Event struct {
	Kind  EventKind
	Job   JobID
	Nodes int
}

// count returns the number of events of a kind.
func count(events []Event, kind EventKind) (n int) {
	for i := range events {
		if events[i].Kind == kind {
			n++
		}
	}
	return n
}

// ActionKind says what a policy wants.
type ActionKind uint8

// The kinds of action.
const (
	Allocating ActionKind = iota // a job is to have Nodes nodes
	Waking                       // there is to be an Alarm at the time At
)

// Action is what a policy wants; see [Allocate], [Place], [Suspend] and [Wake].
type Action struct {
	Kind   ActionKind
	Job    JobID
	Nodes  int
	Offset int // the first of the nodes, counted from 0; −1 if it does not matter which they are
	At     float64
}

// Allocate gives job j the number of nodes, in place of those it has. The first allocation starts the job.
func Allocate(j JobID, nodes int) Action { return Action{Job: j, Nodes: nodes, Offset: -1} }

// Place gives job j the contiguous nodes from offset on, in place of those it has. Jobs that are moved by one decision
// give up their nodes before any of them takes others, so that they can exchange places.
func Place(j JobID, offset, nodes int) Action { return Action{Job: j, Nodes: nodes, Offset: offset} }

// Suspend takes its nodes from a malleable job that runs; it goes on when it is given nodes again.
func Suspend(j JobID) Action { return Action{Job: j, Offset: -1} }

// Wake asks for an Alarm at a time that is not past.
func Wake(at float64) Action { return Action{Kind: Waking, At: at} }
