package machine

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/sched"
)

// handleArrivals handles the arrivals of the time at, the time of the next arrival, in the order of the source. An error
// is stored in r.err.
func (r *run) handleArrivals(at float64, t *simulation.Tally) {
	for {
		r.happen(r.arrive(t))
		// Late in a long run, times between arrivals may round to zero, and arrivals at one time never end.
		if r.err == nil && r.mayBeInterrupted() {
			r.err = r.interrupted()
		}
		if !r.more || r.next.Submit != at || r.err != nil || r.OneByOne {
			return
		}
	}
}

// readNext reads the next job from the source into r.next, and sets r.more to whether there is one. last is the
// submission time of the job before. readNext sets r.err if the source fails, if the job is submitted before last (a
// *[workload.OrderError]), or if no policy can run it. The last check is left out if r.certain is set: every job can
// run. A refused job stands in r.next all the same. The end of the source is no error.
func (r *run) readNext(last float64) {
	err := r.source.Next(&r.next)
	r.more = err == nil
	if err != nil {
		if !errors.Is(err, io.EOF) {
			r.err = err
		}
		return
	}
	switch {
	case r.next.Submit < last:
		err = &workload.OrderError{ID: r.next.ID, Submit: r.next.Submit, Last: last}
	case !r.certain:
		err = r.check(&r.next)
	}
	if err != nil {
		r.err = fmt.Errorf("machine: %w", err)
	}
}

// check returns an error if no policy can run a job on the machine:
//
//   - [workload.Job.Check] refuses the job;
//   - the job needs the memory of more nodes than it can have;
//   - the job asks for no number of nodes, and no multiple of the unit lies between its fewest and most nodes.
//
// A job without an error can start on the empty machine.
func (r *run) check(job *workload.Job) error {
	if err := job.Check(r.Nodes); err != nil {
		return err
	}
	least, most := job.Least(r.NodeMemory), job.Most(r.Nodes)
	switch {
	case least > most:
		return fmt.Errorf("job %d needs the memory of %d nodes and runs on %d at most", job.ID, least, most)
	case job.Asked(r.Nodes) == 0 && most/r.Unit*r.Unit < least:
		return fmt.Errorf("job %d runs on %d to %d nodes: no multiple of %d", job.ID, least, most, r.Unit)
	}
	return nil
}

// arrive puts the job r.next into the queue, and reads the job after it from the source. Before, [run.estimateAndCut]
// sets the estimate of the job, and shortens the job if the machine will kill it. It begins the progress of the job in
// r.jobs, and returns the arrival as an event for the policy. It counts the arrival in t and in the sums by class, and
// adds the job to r.present, the jobs in the system. r.most becomes the largest value of r.present so far. An estimate
// that is not valid, a source that fails, or a wrong next job sets r.err. The event is the same then; the caller checks
// r.err.
func (r *run) arrive(t *simulation.Tally) sched.Event {
	t[simulation.Arrived]++
	job := &r.next
	killed := r.estimateAndCut(job)
	id := r.state.Arrive(job)
	for int(id) >= len(r.jobs) {
		r.jobs = append(r.jobs, progress{})
	}
	r.jobs[id] = progress{remainder: remainder{left: job.Work, fresh: true}, killed: killed, promised: math.NaN()}
	r.present++
	r.most = max(r.most, r.present)
	r.addOfClass(job, simulation.ClassArrived, 1)
	r.readNext(job.Submit)
	return sched.Event{Kind: sched.Arrival, Job: id}
}

// addOfClass adds x to a sum of the class of a job, if r.ByClass collects sums by class. component is the index of the
// sum, such as simulation.ClassArrived for arrivals. Other sums are of starts, waits, departures, response times, and
// arrivals that do not start at once. The Application of a job is the number of its class.
func (r *run) addOfClass(job *workload.Job, component int, x float64) {
	if r.ByClass != nil {
		r.ByClass[job.Application*simulation.ClassSums+component] += x
	}
}

// depart removes a job whose work is done from its nodes, and from a repartition that it has joined. It subtracts the
// set-up of the job from the useful work of t, which counted it as work. It adds the departure and the response time to
// t and to the sums by class, and reports the response time to the observer. If the machine is empty then, t counts an
// empty period. depart returns the departure as an event for the policy. The job is reported and forgotten after the
// decision, in [run.report].
func (r *run) depart(id sched.JobID, t *simulation.Tally) sched.Event {
	p, e := &r.jobs[id], r.state.Entry(id)
	if p.resized > 0 || p.paused > 0 { // [Record.removeRounding] knows the sums of all other jobs
		r.account(p, e)
	}
	// Set-up was counted as useful work while the job was working: subtract it.
	r.setups += p.setup * p.speed
	r.subtractSetups(t)
	r.removeFromWorking(p, e)
	r.cancelPoint(p)
	r.countStopped(p)
	p.end = r.now
	r.vacant += e.Occupied
	k, response := e.Job.Application, r.now-e.Job.Submit+e.Job.HeldFor
	t[simulation.Departed]++
	t[simulation.ResponseSum] += response
	r.Responded(k, response)
	if len(r.inService) > 0 {
		r.inService[k]--
	}
	r.addOfClass(&e.Job, simulation.ClassDeparted, 1)
	r.addOfClass(&e.Job, simulation.ClassResponse, response)
	why := sched.Event{Kind: sched.Departure, Job: id, Nodes: e.Held}
	r.state.Depart(id)
	r.present--
	if r.present == 0 {
		t[simulation.EmptyPeriods]++
	}
	return why
}
