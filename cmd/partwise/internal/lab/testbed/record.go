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
	// Told, if not nil, is told what has become of a job whenever that changes, so that every job is accounted for whatever happens to
	// the scheduler.
	Told func(Record)
}

// Status says what became of a job.
type Status uint8

// The statuses.
const (
	Completed Status = iota
	Cancelled
	Waiting // when the run was given up
	Running
)

// Record is what became of a job. Times are seconds from the beginning of the run; those that have not come are 0.
type Record struct {
	ID                 int
	Status             Status
	Submit, Start, End float64
	Phases             int
	Resized, Restarted int
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
	Started int
	Moved   int // nodes that changed hands
	Bytes   int // that were sent between processes
	// Notify is from the decision until all jobs that are resized have stopped at the end of a phase, Data until their arrays
	// are where they are to be, Start until all of them run.
	Notify, Data, Start float64
}

// Total returns how long it took.
func (r *Reconfiguration) Total() float64 { return r.Notify + r.Data + r.Start }

// Outcome is what a run came to.
type Outcome struct {
	Jobs             []Record // in the order of the jobs
	Reconfigurations []Reconfiguration
	Lost             int     // nodes that were replaced
	End              float64 // of the run
	// Late is the part by which jobs took longer for their phases than they should.
	Late float64
}
