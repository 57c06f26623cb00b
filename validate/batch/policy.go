package batch

import (
	"fmt"
	"strings"
)

// Policy decides which waiting jobs start, and on how many nodes. It is asked after every event and answers with
// actions, appended to do; it sees the machine through v and changes nothing itself. Between calls it may keep what it
// likes; it is used for one run.
//
// Of events of the same time arrivals are told first, then departures in the order in which the jobs were started, then
// alarms, each on its own.
type Policy interface {
	Name() string
	Decide(v View, why Event, do []Action) []Action
}

// Guarantor is a policy that promises every job, when it comes, a time by which it will have started.
type Guarantor interface {
	Policy
	// Promised returns the latest start promised so far to a job that waits.
	Promised(j Job) float64
}

// Job names a job while it is in the system; the name may be given again to a later one. Names are small numbers, so
// that a policy can keep what it knows of jobs in a slice.
type Job int32

// EventKind says what happened.
type EventKind uint8

// The kinds of event.
const (
	Arrival   EventKind = iota // Job has come and waits, as the last in the queue
	Departure                  // Job has ended and its nodes are free; the name is still good
	Alarm                      // the time of a Wake
)

// Event is what a policy is told.
type Event struct {
	Kind EventKind
	Job  Job
}

// Action is what a policy wants; see [Start] and [Wake].
type Action struct {
	wake  bool
	job   Job
	nodes int
	at    float64
}

// Start starts the waiting job j on the given number of nodes, which it keeps to its end.
func Start(j Job, nodes int) Action { return Action{job: j, nodes: nodes} }

// Wake asks for an Alarm at the given time.
func Wake(at float64) Action { return Action{wake: true, at: at} }

// View is what a policy sees of the machine.
type View struct{ r *run }

// Now returns the time.
func (v View) Now() float64 { return v.r.now }

// Nodes returns the number P of nodes of the machine.
func (v View) Nodes() int { return v.r.Nodes }

// Free returns the number of nodes that no job holds.
func (v View) Free() int { return v.r.free }

// Load returns the offered load as the policy is told it; see [Config].
func (v View) Load() float64 { return v.r.Load }

// Running returns the number of jobs that run.
func (v View) Running() int { return len(v.r.running) }

// Started returns the i-th of the running jobs, by the time at which they are expected to end.
func (v View) Started(i int) Job { return v.r.running[i].job }

// Expected returns the time at which the running job j is expected to end: its start and its estimate.
func (v View) Expected(j Job) float64 { return v.r.jobs[j].expected }

// Held returns the number of nodes that job j has, or had when it ended; 0 if it waits.
func (v View) Held(j Job) int { return v.r.jobs[j].nodes }

// Waiting returns the number of jobs that wait.
func (v View) Waiting() int { return v.r.queue.len() }

// Queued returns the i-th of the waiting jobs, in the order in which they came.
func (v View) Queued(i int) Job { return v.r.queue.at(i).job }

// Request returns the job as it came, its estimate no less than its run time. A policy that looks at Run or Lifetime
// knows what schedulers seldom know.
func (v View) Request(j Job) *Request { return &v.r.jobs[j].Request }

// Number returns the number of jobs that came before job j.
func (v View) Number(j Job) int { return v.r.jobs[j].number }

// Begun returns the time at which the running job j was started.
func (v View) Begun(j Job) float64 { return v.r.jobs[j].start }

// Entry is a line of the table of policies.
type Entry struct {
	Name      string
	Parameter string // what New takes, for messages; empty if nothing
	// New returns a maker of policies, one for each run, from the parameter as text.
	New func(parameter string) (func() Policy, error)
}

// Policies is the table of all policies.
var Policies = []Entry{
	{"fcfs", "", plain(func() Policy { return FCFS{} })},
	{"easy", "", plain(func() Policy { return &EASY{} })},
	{"conservative", "when reservations are compressed: early, always or never", newConservative},
	{"avg", shareParameter, molding("avg", AVG)},
	{"pws", shareParameter, molding("pws", PWS)},
	{"max", shareParameter, molding("max", MAX)},
	{"sev", shareParameter, molding("sev", SEV)},
	{"asp", "", plain(func() Policy { return Molding{ASP, 0, "asp"} })},
	{"3/2avg", shareParameter, molding("3/2avg", Fraction(1.5))},
	{"simplified-sev", shareParameter, molding("simplified-sev", SimplifiedSEV)},
	{"k", "the fraction K of the average parallelism that a job waits for", fraction},
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

// Parse returns the maker of policies that text names, as in "easy" or "avg:stubborn": an entry of the table with or
// without a parameter.
func Parse(text string) (func() Policy, error) {
	name, parameter, _ := strings.Cut(text, ":")
	e, ok := Named(name)
	if !ok {
		return nil, fmt.Errorf("batch: unknown policy %q", name)
	}
	return e.New(parameter)
}

// plain is New of a policy without parameters.
func plain(make func() Policy) func(string) (func() Policy, error) {
	return func(parameter string) (func() Policy, error) {
		if parameter != "" {
			return nil, fmt.Errorf("batch: %q: the policy takes no parameter", parameter)
		}
		return make, nil
	}
}
