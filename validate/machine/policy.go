package machine

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

// Entry is a line of the table of policies.
type Entry struct {
	Name string
	// New returns a policy for one run; partitions is the number it is to use, for those that need one.
	New func(partitions int) Policy
}

// Policies is the table of all policies.
var Policies = []Entry{
	{"dynamic", func(int) Policy { return &Dynamic{} }},
	{"static", func(k int) Policy { return Static{Partitions: k} }},
}
