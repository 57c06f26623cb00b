package machine

import "github.com/partwise/partwise/models/workload"

// Record is what happened to a job.
type Record struct {
	workload.Job
	Number     int // jobs that came before it
	Start, End float64
	Held       int     // nodes, at its end
	First      int     // nodes that it was started on
	Fewest     int     // fewest nodes that it had
	Widest     int     // most nodes that it had
	Resized    int     // how often the number of its nodes was changed after the start
	Paused     float64 // time that it stood still, or was suspended
	NodeTime   float64 // ∫ nodes held
	// Node-time within the window of the machine: Busy, held while it did not stand still, and Useful, what one node
	// would have needed for the work that was done.
	Busy, Useful float64
	Overtook     bool    // it was started before a job that had come earlier: it was backfilled
	Killed       bool    // at its limit, before it was done
	Promised     float64 // the start promised to it when it came; NaN if the policy promises nothing
}

// Response returns the time from submission to end.
func (r *Record) Response() float64 { return r.End - r.Submit }

// Wait returns the time from submission to the first start.
func (r *Record) Wait() float64 { return r.Start - r.Submit }
