package workload

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// Kind says who decides on the number of nodes of a job, and when.
//
// Reference: D. G. Feitelson, L. Rudolph, Toward convergence in job schedulers for parallel supercomputers, Job
// Scheduling Strategies for Parallel Processing, LNCS 1162 (1996) 1–26.
type Kind uint8

// The kinds of jobs.
const (
	Rigid     Kind = iota // the user: it runs on the nodes that it asks for
	Moldable              // the scheduler, when the job starts
	Malleable             // the scheduler, at any time
)

// String returns "rigid", "moldable" or "malleable".
func (k Kind) String() string {
	if names := [...]string{"rigid", "moldable", "malleable"}; int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind %d", int(k))
}

// Job is a job as it comes to a machine. Times are in one unit, seconds where they come from a log.
//
// Its run time on n nodes is Work/S(n), S being its Speedup. A job that was observed knows its run time on the Nodes
// that it asks for as it was measured, Run.
type Job struct {
	ID                int
	User, Application int     // −1 if they are not known
	Submit            float64 // when it comes to the machine; a job that was held comes when it becomes eligible
	HeldFor           float64 // how long before Submit its user submitted it; response times and waits include this time
	Kind              Kind
	Nodes             int     // that it asks for; 0 if it asks for no number
	Min, Max          int     // fewest and most nodes, unless it is rigid; 0: 1, and as many as there are
	Memory            float64 // of the whole job, in the unit of the machine; 0 if it does not matter
	Work              float64 // demand: run time on one node
	Run               float64 // run time on Nodes nodes where that was measured, otherwise 0
	Speedup           Speedup // nil: linear
	Requested         float64 // run time that the user asked for; not positive if that is not known
	Estimate          float64 // of the run time on Nodes nodes, as schedulers see it; 0 if it is exact
	Limit             float64 // the run time on Nodes nodes after which a machine that kills ends the job; 0: the estimate
}

// SpeedupOn returns S(n).
func (j *Job) SpeedupOn(n int) float64 {
	if j.Speedup == nil {
		return float64(n)
	}
	return j.Speedup.At(float64(n))
}

// RunOn returns how long the job runs on n nodes.
func (j *Job) RunOn(n int) float64 {
	if n == j.Nodes && j.Run > 0 {
		return j.Run
	}
	return j.Work / j.SpeedupOn(n)
}

// RunAt returns what RunOn returns, if the speedup of the job on n nodes is known.
func (j *Job) RunAt(n int, speedup float64) float64 {
	if n == j.Nodes && j.Run > 0 {
		return j.Run
	}
	return j.Work / speedup
}

// EstimateOn returns how long schedulers expect the job to run on n ≥ 1 nodes: its Estimate on the nodes that it asks
// for, on others as many times that as the job runs longer there, but no less than it will run. Without an estimate it
// is the run time itself.
func (j *Job) EstimateOn(n int) float64 {
	switch {
	case n == 0: // as many as a job asks for that asks for no number: nothing is expected yet
		return j.Estimate
	case j.keepsEstimate(n):
		return j.Estimate
	}
	return j.estimateOf(j.RunOn(n))
}

// EstimateAt returns what EstimateOn returns for n ≥ 1, if the speedup of the job on n nodes is known.
func (j *Job) EstimateAt(n int, speedup float64) float64 {
	if j.keepsEstimate(n) {
		return j.Estimate
	}
	return j.estimateOf(j.RunAt(n, speedup))
}

// keepsEstimate reports whether the job has an estimate, which is the same on n nodes.
func (j *Job) keepsEstimate(n int) bool {
	return (n == j.Nodes || j.Kind == Rigid || j.Work == 0) && j.Estimate > 0
}

// estimateOf returns how long schedulers expect the job to run on nodes on which it runs for the given time.
func (j *Job) estimateOf(run float64) float64 {
	if j.Estimate > 0 && j.Nodes > 0 {
		return max(j.Estimate*(run/j.RunOn(j.Nodes)), run)
	}
	return run
}

// Reference returns the run time that the slowdown of the job is relative to: on the nodes that it asks for or, if it
// asks for no number, on the whole machine.
func (j *Job) Reference(machine int) float64 {
	if j.Nodes > 0 {
		return j.RunOn(j.Nodes)
	}
	return j.RunOn(machine)
}

// Offered returns the node-time that the job offers to a machine: of an observed job what it held, run time × nodes, of
// any other its demand.
func (j *Job) Offered() float64 {
	if j.Run > 0 {
		return j.Run * float64(j.Nodes)
	}
	return j.Work
}

// Asked returns the number of nodes of a rigid job, and of one of another kind under a scheduler that gives jobs what
// they ask for: Nodes or, of a job that asks for no number, its average parallelism, rounded up. It is 0 where there is
// neither.
func (j *Job) Asked(machine int) int {
	if j.Nodes > 0 {
		return j.Nodes
	}
	if d, ok := j.Speedup.(Downey); ok {
		return int(min(math.Ceil(d.A), float64(machine)))
	}
	return 0
}

// Least returns the fewest nodes on which the job can run, each of which has the given memory; 0 memory is no bound.
func (j *Job) Least(nodeMemory float64) int {
	least := max(1, j.Min)
	if j.Kind == Rigid {
		least = max(1, j.Nodes)
	}
	if nodeMemory > 0 {
		least = max(least, int(math.Ceil(j.Memory/nodeMemory)))
	}
	return least
}

// Most returns the most nodes on which the job can run on a machine.
func (j *Job) Most(machine int) int {
	switch {
	case j.Kind == Rigid:
		return j.Nodes
	case j.Max > 0:
		return min(j.Max, machine)
	}
	return machine
}

// Check returns what is wrong with the job on a machine with the given number of nodes.
func (j *Job) Check(machine int) error {
	switch {
	case j == nil:
		return errors.New("there is no job")
	case math.IsNaN(j.Submit) || math.IsInf(j.Submit, 0):
		return fmt.Errorf("job %d is submitted at %v", j.ID, j.Submit)
	case j.Nodes < 0 || j.Nodes > machine || j.Kind == Rigid && j.Nodes == 0:
		return fmt.Errorf("job %d asks for %d of %d nodes", j.ID, j.Nodes, machine)
	case j.Kind != Rigid && j.Min > j.Most(machine):
		return fmt.Errorf("job %d needs at least %d nodes, of %d", j.ID, j.Min, j.Most(machine))
	case !(j.Work >= 0) || math.IsInf(j.Work, 1) || !(j.Run >= 0) || math.IsInf(j.Run, 1):
		return fmt.Errorf("job %d has the demand %v and the run time %v", j.ID, j.Work, j.Run)
	case math.IsNaN(j.Estimate) || math.IsInf(j.Estimate, 1):
		return fmt.Errorf("job %d is expected to run for %v", j.ID, j.Estimate)
	case math.IsNaN(j.Limit):
		return fmt.Errorf("job %d may run for %v", j.ID, j.Limit)
	case !(j.Memory >= 0) || math.IsInf(j.Memory, 1):
		return fmt.Errorf("job %d needs the memory %v", j.ID, j.Memory)
	}
	return nil
}

// Within makes a malleable or moldable job that asks for more nodes than a machine has ask for all of them: it runs as
// much longer there as its speedup says, and is expected to.
func (j *Job) Within(machine int) {
	if j.Kind == Rigid || j.Nodes <= machine {
		return
	}
	longer := j.SpeedupOn(j.Nodes) / j.SpeedupOn(machine)
	j.Nodes, j.Run, j.Requested, j.Estimate = machine, j.Run*longer, j.Requested*longer, j.Estimate*longer
}

// Cut ends the job after the run time limit on the nodes that it asks for: its work is what it has done by then.
func (j *Job) Cut(limit float64) {
	j.Run = limit
	j.Work = limit * j.SpeedupOn(j.Nodes)
}

// Source gives jobs in the order of their submission. Next writes the next one to j; it returns io.EOF after the last,
// and any other error ends the simulation.
type Source interface {
	Next(j *Job) error
}

// Jobs returns a source of the given jobs.
func Jobs(jobs []Job) Source {
	return SourceFunc(func(j *Job) error {
		if len(jobs) == 0 {
			return io.EOF
		}
		*j, jobs = jobs[0], jobs[1:]
		return nil
	})
}

// SourceFunc is a function as a [Source].
type SourceFunc func(j *Job) error

// Next calls f.
func (f SourceFunc) Next(j *Job) error {
	if f == nil {
		return errNoSource
	}
	return f(j)
}

var errNoSource = errors.New("workload: there is no source of jobs")

// OrderError says that a source gave a job that was submitted before the one before it.
type OrderError struct {
	ID           int
	Submit, Last float64
}

func (e *OrderError) Error() string {
	return fmt.Sprintf("job %d is submitted at %v, after one submitted at %v", e.ID, e.Submit, e.Last)
}

// Offer sums up what jobs offer to a machine.
type Offer struct {
	Jobs        int
	NodeTime    float64 // Σ [Job.Offered]
	Unsorted    bool    // a job was submitted before one that came earlier
	First, Last float64 // submissions
}

// OfferOf returns what jobs in the order of their submission offer.
func OfferOf(jobs []Job) Offer {
	var o Offer
	for i := range jobs {
		o.Add(&jobs[i])
	}
	return o
}

// Add adds what a job offers. Jobs that are not added in the order of their submission are Unsorted.
func (o *Offer) Add(j *Job) { o.add(j.Submit, j.Offered()) }

// add adds a job.
func (o *Offer) add(submit, offered float64) {
	if o.Jobs == 0 {
		o.First, o.Last = submit, submit
	}
	o.Jobs++
	o.Unsorted = o.Unsorted || submit < o.Last
	o.NodeTime += offered
	o.First, o.Last = min(o.First, submit), max(o.Last, submit)
}

// Load returns the load that is offered to a machine: node-time over what the machine has between the first submission
// and the last; +Inf or NaN if all jobs are submitted at once.
func (o Offer) Load(nodes int) float64 { return o.NodeTime / ((o.Last - o.First) * float64(nodes)) }

// Rescale stretches the time between the submissions of jobs, the first staying where it is, so that they offer the
// given load to a machine. The error is that the load is not positive, or that no stretching makes it: there is no
// work, or all jobs are submitted at once.
func Rescale(jobs []Job, nodes int, load float64) error {
	if !(load > 0) || math.IsInf(load, 1) || nodes < 1 {
		return fmt.Errorf("workload: %v is not a load of %d nodes", load, nodes)
	}
	factor := OfferOf(jobs).Load(nodes) / load
	if !(factor > 0) || math.IsInf(factor, 1) {
		return errors.New("workload: jobs without work, or all submitted at once, cannot be given a load")
	}
	first := jobs[0].Submit
	for i := range jobs {
		jobs[i].Submit = first + (jobs[i].Submit-first)*factor
	}
	return nil
}
