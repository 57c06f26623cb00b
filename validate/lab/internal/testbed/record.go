package testbed

import (
	"time"

	"github.com/partwise/partwise/models/workload"
)

// Job is a job for the testbed. Times are real, in seconds from the beginning of the run.
type Job struct {
	workload.Job
	Cancel float64 // when its user cancels it; 0: never
}

// Workload is what is run.
type Workload struct {
	Jobs []Job // in the order of their submission
	// Phase is how long a phase is to take, a positive time: sleep, as long as its work takes with the speedup of the job.
	Phase time.Duration
	// Elements is the length of the array of a job, at least one for each node.
	Elements int
}

// Record is what became of a job. Times are seconds from the beginning of the run.
type Record struct {
	Submit, Start, End float64
	Phases             int
	Cancelled          bool // before it was done
}

// Why says what made the scheduler repartition the machine.
type Why string

// The reasons.
const (
	Arrival   Why = "arrival"   // jobs came, and none left
	Departure Why = "departure" // none came
	Both      Why = "both"
)

// Reconfiguration is a change of partitions that stopped or started jobs, with the times of its steps in seconds.
type Reconfiguration struct {
	At      float64 // seconds from the beginning of the run
	Why     Why
	Running int // jobs afterwards
	Resized int // of them
	Moved   int // nodes that changed hands
	// Notify is the time from the decision until all resized jobs have stopped at the end of a phase. Data is the time
	// from then until their arrays are in place, and Start the time from then until all of them run.
	Notify, Data, Start float64
}

// Total returns how long it took.
func (r *Reconfiguration) Total() float64 { return r.Notify + r.Data + r.Start }

// Outcome is what a run came to.
type Outcome struct {
	Jobs             []Record // in the order of the jobs
	Reconfigurations []Reconfiguration
	End              float64 // of the run
}
