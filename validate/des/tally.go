package des

import (
	"fmt"
)

// Tally sums what happened over a stretch of simulated time. Sums of several stretches add up component by component;
// every measure is a function of the sums.
type Tally [Sums]float64

// The components of a Tally. Integrals are over time.
const (
	Elapsed       = iota // time
	JobTime              // ∫ jobs in the system
	JobSquareTime        // ∫ (jobs in the system)²
	QueueTime            // ∫ jobs without a partition
	ExecutingTime        // ∫ jobs that make progress; under static partitioning, busy partitions
	BusyTime             // ∫ share of the nodes held by jobs that are not paused
	UsefulTime           // ∫ share of the nodes that does useful work, speedup(n) of n; of chains it is not known
	EmptyTime            // ∫ 1{no jobs}
	PausedTime           // ∫ 1{a repartition is under way}
	Arrived              // jobs that arrived
	Queued               // of them, those that found all partitions taken
	Departed             // jobs that departed
	ResponseSum          // Σ over departed jobs of departure − arrival
	WaitSum              // Σ over started jobs of start − arrival
	Started              // jobs that were given their first partition
	EmptyPeriods         // departures that left no job
	Repartitions         // repartitions begun, of those that cost time
	Shrinks              // of them, those begun by an arrival
	Expands              // of them, those begun by a departure
	Abandoned            // repartitions given up for another one
	Events               // arrivals, departures, ends of repartitions and of set-ups
	Sums                 // number of components
)

// The sums of the jobs of a class.
const (
	ClassTime     = iota // ∫ jobs of the class in service, those that stand still included
	ClassDeparted        // jobs that departed
	ClassResponse        // Σ over departed jobs of departure − arrival
	ClassSums            // number of sums
)

// Purposes of the streams of a replication.
const (
	ArrivalStream  = iota // the arrival process
	OverheadStream        // repartitions and set-ups
	JobStream             // one stream below it for each job, by order of arrival
	PolicyStream          // what the policy draws
)

// Simulator is a machine that can be run over and over.
type Simulator interface {
	// Start returns the empty machine at time 0, its random numbers below key.
	Start(key Key) Run
}

// Run is a machine in the course of a simulation.
type Run interface {
	// Advance simulates until n more jobs have departed, or more if several depart at once, and adds what happened to
	// t. It returns an error if a policy asks for what cannot be; the run is then over.
	Advance(n int, t *Tally) error
	// Watch gives the run another Observer.
	Watch(o Observer)
}

// Observer says what a run tells, and when it ends early. The zero value is told nothing, and never ends a run. Runs look
// from time to time whether they should end: there may be some more jobs than allowed.
type Observer struct {
	// Response, if not nil, is called with the class of every job that departs, 0 if there are no classes, and its response
	// time.
	Response func(class int, response float64)
	// ByClass, if not nil, has room for [ClassSums] of each class of the machine: what happens to the jobs of class k is
	// added to ByClass[k*ClassSums:].
	ByClass []float64
	Most    int          // jobs in the system at a time; more are a *[TooManyError]. 0: any number
	Stop    func() error // returns why the run should end, if it should; nil: it never should
}

// Watch gives a run that contains o another Observer.
func (o *Observer) Watch(other Observer) { *o = other }

// TooManyError says that more jobs are in the system than there may be.
type TooManyError struct {
	Most int
	Time float64 // when the last of them came
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("more than %d jobs wait or run at time %g", e.Most, e.Time)
}
