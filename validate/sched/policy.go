package sched

// Policy decides which job runs on how many nodes. It is called after all events of a time, and appends its actions to
// do. It may keep state between calls, but not the list of events. A Policy is used for one run.
//
// There is at least one event. Arrivals come first, in the order of the queue, whose last jobs they are. Then come
// departures in the order in which the jobs were started, then alarms. Events that a decision causes at the same time,
// such as the end of a job that takes no time, come in another call.
//
// The machine ends a run with a *machine.PolicyError if the actions cannot be carried out:
//
//   - if jobs would have more nodes than there are,
//   - if a rigid job would have other nodes than it asks for, or another job nodes outside of [View.Least] to
//     [View.Most],
//   - if the nodes of a running job that is not malleable would change,
//   - if jobs are never started.
type Policy interface {
	Name() string
	Decide(v View, events []Event, do []Action) []Action
}

// Promiser is a policy that promises every arriving job a time by which it will have started.
type Promiser interface {
	Policy
	// Promised returns the start that is promised to a waiting job, by the present state of the policy.
	Promised(j JobID) float64
}

// Failing is a policy whose decisions can fail.
type Failing interface {
	Policy
	// Err returns the error of the last call of Decide, nil if it succeeded.
	Err() error
}

// withoutEnds is a policy of this package that never asks a [View] when running jobs are expected to end.
type withoutEnds interface{ ignoresEnds() }

// PlansWithEnds reports whether a policy may ask a [View] when running jobs are expected to end, by [View.Expected] or
// [View.Ending]. It is true for all policies of other packages. For other policies a machine need not keep expected
// ends, which saves a tenth of the time of a run. A policy of [NewPolled] plans with ends if the policy that it polls does.
func PlansWithEnds(p Policy) bool {
	if q, is := p.(*polled); is {
		p = q.Policy
	}
	_, without := p.(withoutEnds)
	return !without
}

// JobID identifies a job while it is in the system. The ID of a job that has left may be given to a later job. IDs are
// small numbers, so that a policy can keep its data about jobs in a slice.
type JobID int32

// EventKind is the kind of an event.
type EventKind uint8

// The kinds of event.
const (
	Arrival   EventKind = iota // Job has come and waits, as the last in the queue
	Departure                  // Job has ended and its Nodes are free; the JobID is still valid
	Alarm                      // the time of a Wake has come
	Resume                     // a reconfiguration has ended; policies are not called if there are no other events
)

// Event is an event that a policy decides on.
type Event struct {
	Kind  EventKind
	Job   JobID
	Nodes int // of a departure: the nodes that become free
}

// count returns how many of the events are of a kind, such as arrivals.
func count(events []Event, kind EventKind) (n int) {
	for i := range events {
		if events[i].Kind == kind {
			n++
		}
	}
	return n
}

// ActionKind is the kind of an action.
type ActionKind uint8

// The kinds of action.
const (
	Allocating ActionKind = iota // gives a job Nodes nodes
	Waking                       // requests an Alarm at time At
)

// Action is a request of a policy; see [Allocate], [Place], [Suspend] and [Wake].
type Action struct {
	Kind   ActionKind
	Job    JobID
	Nodes  int // that the job gets, in place of its present nodes; 0 suspends it
	Offset int // first of the nodes, counted from 0; −1 if the machine only counts nodes
	At     float64
}

// Allocate returns the action that gives job j so many nodes instead of its present nodes. The first allocation starts
// the job.
func Allocate(j JobID, nodes int) Action { return Action{Job: j, Nodes: nodes, Offset: -1} }

// Place returns the action that gives job j the contiguous nodes from offset on, counted from 0, instead of its present
// nodes. Jobs that a decision moves give up their nodes before any of them takes other nodes, so that they can exchange
// places.
func Place(j JobID, offset, nodes int) Action { return Action{Job: j, Nodes: nodes, Offset: offset} }

// Suspend returns the action that takes all nodes from job j, a running malleable job. The job continues when it gets
// nodes again.
func Suspend(j JobID) Action { return Action{Job: j, Offset: -1} }

// Wake returns the action that requests an event Alarm at the given time, which must not be in the past.
func Wake(at float64) Action { return Action{Kind: Waking, At: at} }
