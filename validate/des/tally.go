package des

import (
	"fmt"
)

// Tally holds sums over a period of simulated time. Sums of several periods are added component by component, and every
// measure is a function of the sums.
type Tally [Sums]float64

// The components of a Tally. Integrals are over time.
const (
	Elapsed       = iota // time
	JobTime              // ∫ jobs in the system
	JobSquareTime        // ∫ (jobs in the system)²
	QueueTime            // ∫ jobs without a partition
	ExecutingTime        // ∫ jobs that make progress; busy partitions under static partitioning
	BusyTime             // ∫ share of the nodes held by jobs that are not paused
	BlockedTime          // ∫ share of the nodes that are idle while a job waits; not known for chains
	UsefulTime           // ∫ share of the nodes that does useful work: speedup(n) of n nodes; not known for chains
	EmptyTime            // ∫ 1{no jobs}
	PausedTime           // ∫ 1{a repartition is under way}
	Arrived              // jobs that arrived
	Queued               // arrivals that found all partitions taken
	Departed             // jobs that departed
	ResponseSum          // Σ over departed jobs of departure − arrival
	WaitSum              // Σ over started jobs of start − arrival
	Started              // jobs that were given their first partition
	EmptyPeriods         // departures that left no job
	Repartitions         // repartitions begun that cost time
	Shrinks              // repartitions begun by an arrival
	Expands              // repartitions begun by a departure
	Abandoned            // repartitions that another one replaced
	Events               // arrivals, departures, ends of repartitions and of set-ups
	Sums                 // number of components
)

// Sums for the jobs of a class. A simulation of a chain counts the first three only.
const (
	ClassTime     = iota // ∫ jobs of the class in service, jobs that stand still included
	ClassDeparted        // jobs that departed
	ClassResponse        // Σ over departed jobs of departure − arrival
	ClassArrived         // jobs that arrived
	ClassQueued          // arrivals that did not start at once
	ClassStarted         // jobs that started
	ClassWait            // Σ over started jobs of start − arrival
	ClassSums            // number of sums
)

// Purposes of the streams of a replication.
const (
	ArrivalStream  = iota // the arrival process
	OverheadStream        // repartitions and set-ups
	JobStream             // one stream below it for each job, by order of arrival
	PolicyStream          // what the policy draws
)

// Simulator is a machine that can be simulated any number of times.
type Simulator interface {
	// Start returns a run from the empty machine at time 0. Its random numbers come from keys below key.
	Start(key Key) Run
}

// Run is a simulation in progress.
type Run interface {
	// Advance simulates until at least n more jobs have departed and adds the sums of that time to t. More than n depart if
	// several depart at once. If a policy returns an action that is not possible, Advance returns an error and the run is over.
	Advance(n int, t *Tally) error
	// Watch replaces the Observer of the run.
	Watch(o Observer)
}

// Observer determines what a run reports and when it ends early. The zero value reports nothing and never ends a run.
// Runs check the end now and then, so there may be a few more jobs than allowed.
type Observer struct {
	// Response, if not nil, is called for every job that departs, with its class (0 if there are no classes) and response time.
	Response func(class int, response float64)
	// Wait, if not nil, is called for every job that starts, with its class and its waiting time.
	Wait func(class int, wait float64)
	// ByClass, if not nil, has [ClassSums] entries for each class of the machine. The sums of class k are added to
	// ByClass[k*ClassSums:].
	ByClass []float64
	Most    int          // largest number of jobs in the system; more are a *[TooManyError]. 0: any number
	Stop    func() error // returns the reason why the run should end, or nil; a nil Stop never ends it
}

// Watch replaces the Observer of a run that embeds o.
func (o *Observer) Watch(other Observer) { *o = other }

// TooManyError tells that more jobs are in the system than allowed.
type TooManyError struct {
	Most int
	Time float64 // arrival of the last of them
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("more than %d jobs wait or run at time %g", e.Most, e.Time)
}

// TooOftenError tells that alarms and scheduling points come so often that a run would hardly end.
type TooOftenError struct {
	Events int     // alarms and scheduling points so far
	Jobs   int     // jobs that had arrived by then
	Time   float64 // of the last of these events
}

func (e *TooOftenError) Error() string {
	return fmt.Sprintf("%d alarms and scheduling points for %d jobs by time %g: let them come less often", e.Events, e.Jobs, e.Time)
}
