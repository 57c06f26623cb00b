package machine

import "github.com/partwise/partwise/models/workload"

// Record describes the execution of a job that has ended. [Config].Done gets one for each job, and measures are made
// from them. Times are in the unit of the machine, node-times in nodes times that unit.
type Record struct {
	workload.Job
	Number int // number of jobs that arrived before it
	// Start is the time at which the job was started, End the time at which it left. A job that is started on nodes of a
	// shrinking job waits for them after its start. The submission is Job.Submit.
	Start, End float64
	Held       int     // nodes at its end
	First      int     // nodes on which it was started
	Fewest     int     // fewest nodes that it had
	Widest     int     // most nodes that it had
	Resized    int     // how often the number of its nodes changed after the start
	Paused     float64 // time during which it stood still or was suspended
	NodeTime   float64 // node-time that it held: the integral of the number of its nodes over time
	// Node-time within the window of the machine: Busy is the node-time held while the job did not stand still. Useful is the
	// time that one node would have needed for the work done.
	Busy, Useful float64
	Overtook     bool    // it was started before a job that arrived earlier: it was backfilled
	Killed       bool    // it was ended at its limit, before its work was done
	Promised     float64 // start that the policy promised at its arrival; NaN if the policy promises nothing
}

// Response returns the response time: from submission to end, plus the time during which the job was held back before
// it became eligible (Job.HeldFor). It is in the unit of time of the machine.
func (r *Record) Response() float64 { return r.End - r.Submit + r.HeldFor }

// Wait returns the waiting time: from submission to the first start, plus the time during which the job was held back
// before it became eligible (Job.HeldFor). It is in the unit of time of the machine.
func (r *Record) Wait() float64 { return r.Start - r.Submit + r.HeldFor }
