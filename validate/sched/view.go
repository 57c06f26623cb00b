package sched

import (
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
)

// View is the read-only view that a policy has of the machine.
type View struct{ s *State }

// Waiting is a job in the queue.
type Waiting struct {
	Job      JobID
	Nodes    int     // nodes that it asks for; 0 if it asks for no number
	Estimate float64 // estimated run time on these nodes
}

// Ending is a running job with its expected end and the nodes that become free then.
type Ending struct {
	At    float64
	Job   JobID
	Nodes int
}

// Now returns the simulated time in seconds.
func (v View) Now() float64 { return v.s.now }

// Nodes returns the number of nodes of the machine.
func (v View) Nodes() int { return v.s.nodes }

// Unit returns the unit: partitions of moldable and malleable jobs are multiples of so many nodes.
func (v View) Unit() int { return v.s.unit }

// units returns the number N of the smallest partitions of the machine.
func (v View) units() int { return v.s.nodes / v.s.unit }

// Free returns the number of nodes that no job holds.
func (v View) Free() int { return v.s.free }

// Load returns the offered load, 0 if the policy does not know it.
func (v View) Load() float64 { return v.s.load }

// Random returns the random stream of the policy. It is the only source of chance for decisions, so that runs can be repeated.
func (v View) Random() *des.Stream { return v.s.random }

// Waiting returns the number of jobs that have not been started.
func (v View) Waiting() int { return v.s.queue.Len() }

// Queued returns the i-th waiting job, in the order of arrival.
func (v View) Queued(i int) Waiting { return *v.s.queue.At(i) }

// Running returns the number of jobs that have been started and have not ended, suspended jobs included.
func (v View) Running() int { return len(v.s.running) }

// Started returns the i-th running job, in the order of the starts.
func (v View) Started(i int) JobID { return v.s.running[i] }

// Ending returns the i-th running job by expected end; at the same time, by the order of the starts. Suspended jobs,
// which have no expected end, come last.
func (v View) Ending(i int) Ending {
	if !v.s.ordered {
		v.s.order()
	}
	return v.s.endings[i]
}

// Job returns a copy of a job as it arrived. Real schedulers seldom know its Work and Run.
func (v View) Job(j JobID) workload.Job { return v.s.jobs[j].Job }

// kind returns whether job j is rigid, moldable or malleable.
func (v View) kind(j JobID) workload.Kind { return v.s.jobs[j].Job.Kind }

// Number returns the number of jobs that arrived before job j.
func (v View) Number(j JobID) int { return v.s.jobs[j].Number }

// Asked returns the number of nodes that job j asks for, within the bounds Least and Most; 0 if it asks for no number.
func (v View) Asked(j JobID) int { return v.s.jobs[j].Asked }

// Least returns the fewest nodes on which job j can run.
func (v View) Least(j JobID) int { return v.s.jobs[j].Least }

// Most returns the most nodes on which job j can run.
func (v View) Most(j JobID) int { return v.s.jobs[j].Most }

// bounded reports whether the bounds of jobs matter. They do if a job in the system, or one that has just ended, needs
// more than a unit of nodes, cannot use all nodes, or cannot be resized.
func (v View) bounded() bool { return v.s.bounded > 0 }

// Begun returns the time at which job j was started.
func (v View) Begun(j JobID) float64 { return v.s.jobs[j].Start }

// Expected returns the time at which job j is expected to end, by its estimate.
func (v View) Expected(j JobID) float64 { return v.s.jobs[j].Expected }

// Held returns the number of nodes that job j was given, or had been given when it ended; 0 if it waits.
func (v View) Held(j JobID) int { return v.s.jobs[j].Held }

// Occupied returns the number of nodes that job j occupies. If jobs are resized at their scheduling points only, it
// differs from Held until the job reaches a point.
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
