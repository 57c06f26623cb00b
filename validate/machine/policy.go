package machine

import (
	"fmt"

	"github.com/partwise/partwise/validate/des"
)

// Policy decides which job runs on how many nodes. It is asked after every event and answers with actions, appended to
// do; it sees the machine through v and changes nothing itself. Between calls it may keep what it likes.
type Policy interface {
	Name() string
	Decide(v View, why Event, do []Action) []Action
}

// Job names a job while it is in the system; the name may be given again to a later one.
type Job int32

// EventKind says what happened.
type EventKind uint8

// The kinds of event.
const (
	Arrival   EventKind = iota // Job has come and waits
	Departure                  // Job is gone; it held Nodes
	Alarm                      // the time of a Wake
	Resume                     // a repartition has ended; observers hear of it, policies do not
)

// Event is what a policy is told.
type Event struct {
	Kind  EventKind
	Job   Job
	Nodes int
}

// Action is what a policy wants; see [Allocate] and [Wake].
type Action struct {
	wake  bool
	job   Job
	nodes int
	at    float64
}

// Allocate gives job j the number of nodes, in place of those it has. The first allocation starts the job; none
// suspends it.
func Allocate(j Job, nodes int) Action { return Action{job: j, nodes: nodes} }

// Wake asks for an Alarm at the given time.
func Wake(at float64) Action { return Action{wake: true, at: at} }

// View is what a policy sees of the machine.
type View struct{ m *machineRun }

// Now returns the time.
func (v View) Now() float64 { return v.m.now }

// Nodes returns the number P of nodes of the machine.
func (v View) Nodes() int { return v.m.nodes }

// Unit returns the number M of nodes that partitions are multiples of.
func (v View) Unit() int { return v.m.unit }

// Free returns the number of nodes that no job holds.
func (v View) Free() int { return v.m.free }

// Running returns the number of jobs that have been started.
func (v View) Running() int { return len(v.m.running) }

// Started returns the i-th of the running jobs, in the order in which they were started.
func (v View) Started(i int) Job { return v.m.running[i] }

// Held returns the number of nodes that job j has.
func (v View) Held(j Job) int { return v.m.jobs[j].nodes }

// Waiting returns the number of jobs that have not been started.
func (v View) Waiting() int { return v.m.waiting.len() }

// Head returns the waiting job that came first; there must be one.
func (v View) Head() Job { return Job(v.m.waiting.first()) }

// Queued returns the i-th of the waiting jobs, in the order in which they came.
func (v View) Queued(i int) Job { return v.m.waiting.at(i) }

// Arrived returns the time at which job j came.
func (v View) Arrived(j Job) float64 { return v.m.jobs[j].arrived }

// Number returns the number of jobs that came before job j.
func (v View) Number(j Job) uint64 { return v.m.jobs[j].number }

// Demand returns the work that job j came with. A policy that looks at it knows what few schedulers know.
func (v View) Demand(j Job) float64 { return v.m.jobs[j].demand }

// Working reports whether job j makes progress: it runs and does not stand still for a repartition.
func (v View) Working(j Job) bool { return v.m.jobs[j].working }

// Random returns the random numbers of the policy, a stream of its own.
func (v View) Random() *des.Stream { return &v.m.random }

// Entry is a line of the table of policies.
type Entry struct {
	Name      string
	Parameter string // what New takes, for messages; empty if nothing
	// Renews says that the policy keeps nothing in mind beyond the jobs that are there: an arrival that finds the machine
	// empty meets it as the first one did.
	Renews bool
	// New returns a maker of policies, one for each run, from the parameter as text.
	New func(parameter string) (func() Policy, error)
}

// Policies is the table of all policies.
var Policies = []Entry{
	{"dynamic", "", true, plain(func() Policy { return &Dynamic{} })},
	{"capped", "the largest number of jobs that run", true, newCapped},
	{"static", "the number of partitions", true, newStatic},
	{"folding", "", true, plain(func() Policy { return Folding{} })},
	{"smoothing", "the mean of the least time between repartitions, and its scv after a comma", false, newSmoothing},
	{"limited", "the demand up to which a job is not resized", true, newLimited},
}

// Named returns the entry of the table with the given name; ok is false if there is none.
func Named(name string) (e Entry, ok bool) {
	for _, e := range Policies {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}

// plain is New of a policy without parameters.
func plain(make func() Policy) func(string) (func() Policy, error) {
	return func(parameter string) (func() Policy, error) {
		if parameter != "" {
			return nil, fmt.Errorf("machine: %q: the policy takes no parameter", parameter)
		}
		return make, nil
	}
}
