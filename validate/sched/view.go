package sched

import (
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
)

// View is the read-only view that a policy has of the machine. Times are in the unit of the jobs. Methods with the
// number of a job in a list count from 0.
type View struct{ s *State }

// Waiting is a job in the queue, with what policies compare most often.
type Waiting struct {
	Job      JobID
	Nodes    int     // nodes that it asks for; 0 if it asks for no number
	Estimate float64 // estimated run time on these nodes
}

// waiting is a job in the queue of a state: a [Waiting], with the fewest nodes that the job may be given; see [nodeBounds].
type waiting struct {
	job      JobID
	fewest   int32
	nodes    int
	estimate float64
	onFewest float64 // estimated run time on the fewest nodes, kept by [State.estimateOn]; 0: not known yet
}

// Ending is a running job with its expected end At and the number of nodes that become free then.
type Ending struct {
	At    float64
	Job   JobID
	Nodes int
}

// Now returns the simulated time, in the unit of the jobs: seconds for a log.
func (v View) Now() float64 { return v.s.now }

// Nodes returns the number of nodes of the machine.
func (v View) Nodes() int { return v.s.nodes }

// Unit returns the unit: partitions of moldable and malleable jobs are multiples of so many nodes.
func (v View) Unit() int { return v.s.unit }

// units returns the number N of units of the machine: of its smallest partitions.
func (v View) units() int { return v.s.units }

// Free returns the number of nodes that no job holds. Nodes of a job that will take them over later are not free.
func (v View) Free() int { return v.s.free }

// Load returns the offered load, work over capacity; 0 if the policy does not know it. Some rules choose sizes of jobs
// by it.
func (v View) Load() float64 { return v.s.load }

// Random returns the random stream of the policy. It is the only source of chance for decisions, so that runs can be
// repeated. Drawing from it changes it.
func (v View) Random() *des.Stream { return v.s.random }

// Waiting returns the number of jobs in the queue: jobs that have not been started.
func (v View) Waiting() int { return v.s.queue.Len() }

// Queued returns the i-th waiting job, in the order of arrival, with the nodes that it asks for and its estimate. i
// counts from 0.
func (v View) Queued(i int) Waiting {
	w := v.s.queue.At(i)
	return Waiting{w.job, w.nodes, w.estimate}
}

// Running returns the number of jobs that have been started and have not ended, suspended jobs included.
func (v View) Running() int { return len(v.s.running) }

// Started returns the i-th running job, in the order of the starts, from 0.
func (v View) Started(i int) JobID { return v.s.running[i] }

// Ending returns the i-th running job by expected end, from 0; jobs with the same end are in the order of their starts.
// Suspended jobs, which have no expected end, come last. The first call sorts the running jobs; from then on the state
// keeps them sorted. i must be below [View.Running]; otherwise the call panics.
func (v View) Ending(i int) Ending {
	e := &v.endings()[i]
	return Ending{e.at, e.job, v.s.jobs[e.job].Held}
}

// endings returns the running jobs by expected end, in the order of [View.Ending]. The list is valid until the state
// changes. Policies must not change it.
func (v View) endings() []ending {
	if !v.s.endingsKept {
		v.s.sortEndings()
	}
	return v.s.endings
}

// Job returns a copy of job j as it arrived. Its Work and Run are the true demand and run time, which real schedulers
// seldom know.
func (v View) Job(j JobID) workload.Job { return v.s.jobs[j].Job }

// Number returns the number of jobs that arrived before job j.
func (v View) Number(j JobID) int { return v.s.jobs[j].Number }

// Asked returns the number of nodes that job j asks for, within the bounds Least and Most; 0 if it asks for no number.
func (v View) Asked(j JobID) int { return v.s.jobs[j].Asked }

// Least returns the fewest nodes on which job j can run, by its own bound and its memory. It is not rounded to units.
func (v View) Least(j JobID) int { return v.s.jobs[j].Least }

// Most returns the most nodes on which job j can run, at most all nodes of the machine. It is not rounded to units.
func (v View) Most(j JobID) int { return v.s.jobs[j].Most }

// anyLimited reports whether the bounds of jobs matter, which takes policies longer. They matter if some job is
// limited: it needs more than a unit of nodes, cannot use all nodes, or cannot be resized. Jobs in the system count,
// and jobs that have just ended.
func (v View) anyLimited() bool { return v.s.limited > 0 }

// Begun returns the time at which job j was started, in the unit of the jobs. For a waiting job it has no meaning.
func (v View) Begun(j JobID) float64 { return v.s.jobs[j].Start }

// Expected returns the time at which running job j is expected to end, by its estimate; +Inf if it is suspended. For a
// job that has just ended, it is the time at which it was expected to end. For a waiting job it has no meaning.
func (v View) Expected(j JobID) float64 { return v.s.jobs[j].Expected }

// Held returns the number of nodes that the policy gave to job j, or had given it when it ended. It is 0 for a job that
// waits or is suspended.
func (v View) Held(j JobID) int { return v.s.jobs[j].Held }

// Occupied returns the number of nodes that job j runs on. It differs from Held only if jobs are resized at their
// scheduling points: from the decision until the job reaches a point.
func (v View) Occupied(j JobID) int { return v.s.jobs[j].Occupied }

// Offset returns the first of the nodes on which the policy placed job j, counted from 0. It is −1 if the job was not
// placed on certain nodes, or waits.
func (v View) Offset(j JobID) int { return v.s.jobs[j].Offset }

// Working reports whether job j makes progress: it runs and does not stand still for a reconfiguration.
func (v View) Working(j JobID) bool { return v.s.jobs[j].Working }

// wholeUnits rounds a number of nodes down to a multiple of the unit of the machine.
func wholeUnits(v View, nodes int) int {
	if v.s.unit == 1 {
		return nodes
	}
	return nodes - nodes%v.s.unit
}
