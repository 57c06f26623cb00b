package machine

import "github.com/partwise/partwise/models/workload"

// Record describes the execution of a job.
type Record struct {
	workload.Job
	Number     int // number of jobs that arrived before it
	Start, End float64
	Held       int     // nodes at its end
	First      int     // nodes on which it was started
	Fewest     int     // fewest nodes that it had
	Widest     int     // most nodes that it had
	Resized    int     // how often the number of its nodes changed after the start
	Paused     float64 // time during which it stood still or was suspended
	NodeTime   float64 // ∫ nodes held
	// Node-time within the window of the machine: Busy is the node-time held while the job did not stand still. Useful is the
	// time that one node would have needed for the work done.
	Busy, Useful float64
	Overtook     bool    // it was started before a job that arrived earlier: it was backfilled
	Killed       bool    // it was ended at its limit, before its work was done
	Promised     float64 // start that the policy promised at its arrival; NaN if the policy promises nothing
}

// Response returns the time from submission to end, that in which the job was held included.
func (r *Record) Response() float64 { return r.End - r.Submit + r.HeldFor }

// Wait returns the time from submission to the first start, that in which the job was held included.
func (r *Record) Wait() float64 { return r.Start - r.Submit + r.HeldFor }
