package sched

import (
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
)

// View is what a policy sees of the machine. Nothing can be changed through it.
type View struct{ s *State }

// Waiting is a job in the queue.
type Waiting struct {
	Job      JobID
	Nodes    int     // that it asks for; 0 if it asks for no number
	Estimate float64 // of its run time on them
}

// Ending is a job that runs, with the time at which it is expected to end and the nodes that are free then.
type Ending struct {
	At    float64
	Job   JobID
	Nodes int
}

// Now returns the time.
func (v View) Now() float64 { return v.s.now }

// Nodes returns the number P of nodes of the machine.
func (v View) Nodes() int { return v.s.nodes }

// Unit returns the number M of nodes that the partitions of moldable and malleable jobs are multiples of.
func (v View) Unit() int { return v.s.unit }

// units returns the number N of the smallest partitions of the machine.
func (v View) units() int { return v.s.nodes / v.s.unit }

// Free returns the number of nodes that no job holds.
func (v View) Free() int { return v.s.free }

// Load returns the offered load, if the policy is told it; 0 otherwise.
func (v View) Load() float64 { return v.s.load }

// Random returns the random numbers of the policy, a stream of its own.
func (v View) Random() *des.Stream { return v.s.random }

// Waiting returns the number of jobs that have not been started.
func (v View) Waiting() int { return v.s.queue.Len() }

// Queued returns the i-th of the waiting jobs, in the order in which they came.
func (v View) Queued(i int) Waiting { return *v.s.queue.At(i) }

// Running returns the number of jobs that have been started, suspended ones among them.
func (v View) Running() int { return len(v.s.running) }

// Started returns the i-th of the running jobs, in the order in which they were started.
func (v View) Started(i int) JobID { return v.s.running[i] }

// Ending returns the i-th of the running jobs by the time at which they are expected to end; of the same time, in the
// order in which they were started. Suspended jobs, which are expected to end never, come last.
func (v View) Ending(i int) Ending {
	if !v.s.ordered {
		v.s.order()
	}
	return v.s.endings[i]
}

// Job returns a copy of a job as it came. A policy that looks at its Work or Run knows what schedulers seldom know.
func (v View) Job(j JobID) workload.Job { return v.s.jobs[j].Job }

// kind returns who decides on the number of nodes of job j.
func (v View) kind(j JobID) workload.Kind { return v.s.jobs[j].Job.Kind }

// Number returns the number of jobs that came before job j.
func (v View) Number(j JobID) int { return v.s.jobs[j].Number }

// Asked returns the number of nodes that job j asks for, within the bounds Least and Most; 0 if it asks for no number.
func (v View) Asked(j JobID) int { return v.s.jobs[j].Asked }

// Least returns the fewest nodes on which job j can run.
func (v View) Least(j JobID) int { return v.s.jobs[j].Least }

// Most returns the most nodes on which job j can run.
func (v View) Most(j JobID) int { return v.s.jobs[j].Most }

// bounded reports whether any job in the system, one that has just ended among them, needs more than a unit of nodes,
// cannot use all nodes, or cannot be resized.
func (v View) bounded() bool { return v.s.bounded > 0 }

// Begun returns the time at which job j was started.
func (v View) Begun(j JobID) float64 { return v.s.jobs[j].Start }

// Expected returns the time at which job j is expected to end, by its estimate.
func (v View) Expected(j JobID) float64 { return v.s.jobs[j].Expected }

// Held returns the number of nodes that job j was given, or had been given when it ended; 0 if it waits.
func (v View) Held(j JobID) int { return v.s.jobs[j].Held }

// Occupied returns the number of nodes that job j is on. Where jobs are resized at their scheduling points only, that is
// another one than Held until it has come to such a point.
func (v View) Occupied(j JobID) int { return v.s.jobs[j].Occupied }

// Offset returns the first of the nodes of job j, −1 if it was not placed.
func (v View) Offset(j JobID) int { return v.s.jobs[j].Offset }

// Working reports whether job j makes progress: it runs and does not stand still for a reconfiguration.
func (v View) Working(j JobID) bool { return v.s.jobs[j].Working }

// whole returns the largest multiple of the unit that is at most a number of nodes.
func whole(v View, nodes int) int {
	if v.s.unit == 1 {
		return nodes
	}
	return nodes - nodes%v.s.unit
}
