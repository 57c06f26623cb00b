package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/partwise/partwise/validate/des"
)

// Config describes a machine.
type Config struct {
	Nodes  int    // P
	Policy Policy // of this run alone
	// KillAtEstimate ends a rigid job at its limit, or at its estimate if it has none of its own. The estimate of a job
	// that runs longer is raised to its run time: a policy never sees a job outlive its estimate.
	KillAtEstimate bool
	// Load is the offered load, ∫ work coming dt / Nodes, as policies that ask for it are told it; 0 if nobody knows it.
	Load float64
	// Window is the time over which the integrals of the [Tally] run; the zero Window is all time.
	Window Window
	// Admit, if not nil, is told of each job when it comes, before the policy is. It may set estimate and limit.
	Admit func(q *Request, now float64)
	// Done, if not nil, is told of each job when it has ended. The record is good until Done returns.
	Done func(*Record)
	// Observe, if not nil, is called after each event, when the decision on it has been carried out.
	Observe func(v View, why Event)
}

// Window is a time from From to To.
type Window struct{ From, To float64 }

// Record is what happened to a job.
type Record struct {
	Request
	Number     int // jobs that came before it
	Start, End float64
	Held       int     // nodes, at its end
	NodeTime   float64 // ∫ nodes held dt
	Backfilled bool    // it was started before a job that had come earlier
	Killed     bool    // at its estimate, before it was done
	Promised   float64 // the time promised to it when it came; NaN if the policy promises nothing
}

// Response returns the time from submission to end.
func (r *Record) Response() float64 { return r.End - r.Submit }

// Wait returns the time from submission to start.
func (r *Record) Wait() float64 { return r.Start - r.Submit }

// Tally counts what happened in a run, and integrates over its window.
type Tally struct {
	Jobs, Backfilled, Killed, Events int
	MostJobs                         int     // in the system at a time
	First, Last                      float64 // the first submission and the last end
	JobSeconds                       float64 // ∫ jobs in the system dt
	QueueSeconds                     float64 // ∫ jobs waiting dt
	NodeSeconds                      float64 // ∫ nodes held dt
}

// run is a machine at a moment of its life.
type run struct {
	Config
	promises Guarantor // the policy, if it is one

	now     float64
	source  Source
	next    Request // the job to come, unless the source has ended
	ended   bool
	ends    des.Calendar[Job]
	alarms  des.Calendar[struct{}]
	jobs    []place
	vacant  []Job
	queue   queue
	running []ending // by the time at which they are expected to end
	free    int
	do      []Action
	record  Record
	tally   Tally
}

// place is where a job is while it is in the system.
type place struct {
	Request
	number     int
	start      float64
	expected   float64
	promised   float64
	nodes      int
	state      jobState
	backfilled bool
	killed     bool
}

type jobState uint8

const (
	absent jobState = iota
	waits
	runs
	over
)

// ending is a running job with the time at which it is expected to end.
type ending struct {
	expected float64
	job      Job
	nodes    int
}

// Run simulates the machine from empty to empty: until all jobs of the source have ended. It returns the source's
// error, an error if a job cannot run on the machine or the policy asks for what cannot be, or that of the context.
func Run(ctx context.Context, c Config, s Source) (Tally, error) {
	if c.Nodes < 1 || c.Policy == nil {
		return Tally{}, fmt.Errorf("batch: a machine needs nodes and a policy; it has %d nodes", c.Nodes)
	}
	if c.Window == (Window{}) {
		c.Window = Window{math.Inf(-1), math.Inf(1)}
	}
	r := &run{Config: c, free: c.Nodes, source: s}
	r.promises, _ = c.Policy.(Guarantor)
	if err := r.announce(math.Inf(-1)); err != nil {
		return Tally{}, err
	}
	r.now = r.next.Submit
	r.tally.First, r.tally.Last = r.now, r.now
	for more := true; more; {
		if r.tally.Events&0x3ff == 0 && ctx.Err() != nil {
			return r.tally, ctx.Err()
		}
		var err error
		if more, err = r.step(); err != nil {
			return r.tally, err
		}
	}
	return r.tally, nil
}

// announce reads the job to come, after one that came at last.
func (r *run) announce(last float64) error {
	err := r.source.Next(&r.next)
	if errors.Is(err, io.EOF) {
		r.ended = true
		return nil
	}
	if err != nil {
		return err
	}
	return r.next.check(r.Nodes, last)
}

// step lets the next event happen, and reports false if there is none.
func (r *run) step() (more bool, err error) {
	end, endDue := r.ends.Peek()
	alarm, alarmDue := r.alarms.Peek()
	endDue = endDue && (!alarmDue || end <= alarm)
	var why Event
	switch {
	case !r.ended && (!endDue || r.next.Submit <= end) && (!alarmDue || r.next.Submit <= alarm):
		r.elapse(r.next.Submit)
		if why.Job, err = r.arrive(); err != nil {
			return false, err
		}
	case endDue:
		r.elapse(end)
		_, job, _ := r.ends.Next()
		r.depart(job)
		why = Event{Departure, job}
	case alarmDue:
		r.elapse(alarm)
		r.alarms.Next()
		why = Event{Kind: Alarm}
	case r.queue.len() > 0:
		return false, fmt.Errorf("batch: policy %s: leaves %d jobs in the queue for ever", r.Policy.Name(), r.queue.len())
	default:
		return false, nil
	}
	r.tally.Events++
	return true, r.settle(why)
}

// elapse moves the clock on.
func (r *run) elapse(to float64) {
	if from, until := max(r.now, r.Window.From), min(to, r.Window.To); until > from {
		dt := until - from
		r.tally.JobSeconds += dt * float64(r.queue.len()+len(r.running))
		r.tally.QueueSeconds += dt * float64(r.queue.len())
		r.tally.NodeSeconds += dt * float64(r.Nodes-r.free)
	}
	r.now = to
}

// arrive puts the job to come into the queue and reads the one after it.
func (r *run) arrive() (Job, error) {
	var j Job
	if n := len(r.vacant); n > 0 {
		j = r.vacant[n-1]
		r.vacant = r.vacant[:n-1]
	} else {
		j = Job(len(r.jobs))
		r.jobs = append(r.jobs, place{})
	}
	p := &r.jobs[j]
	p.Request = r.next
	if r.Admit != nil {
		r.Admit(&p.Request, r.now)
	}
	p.killed = p.settle(r.KillAtEstimate)
	p.number = r.tally.Jobs
	p.nodes, p.backfilled, p.state, p.promised = 0, false, waits, math.NaN()
	r.tally.Jobs++
	r.queue.push(waiting{p.EstimateOn(p.Nodes), j, p.Nodes})
	r.tally.MostJobs = max(r.tally.MostJobs, r.queue.len()+len(r.running))
	return j, r.announce(p.Submit)
}

// depart frees the nodes of a job that is done.
func (r *run) depart(j Job) {
	p := &r.jobs[j]
	i := r.endingAt(p.expected)
	for r.running[i].job != j {
		i++
	}
	r.running = slices.Delete(r.running, i, i+1)
	r.free += p.nodes
	p.state = over
	r.tally.Last = max(r.tally.Last, r.now)
}

// endingAt returns the first of the running jobs that is not expected to end before t.
func (r *run) endingAt(t float64) int {
	lo, hi := 0, len(r.running)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); r.running[mid].expected < t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// settle asks the policy what to do about an event, does it, and tells of it.
func (r *run) settle(why Event) error {
	r.do = r.Policy.Decide(View{r}, why, r.do[:0])
	for i := range r.do {
		var err error
		if a := &r.do[i]; a.wake {
			err = r.wake(a.at)
		} else {
			err = r.begin(a.job, a.nodes)
		}
		if err != nil {
			return err
		}
	}
	if why.Kind == Arrival && r.promises != nil {
		p := &r.jobs[why.Job]
		if p.promised = p.start; p.state == waits {
			p.promised = r.promises.Promised(why.Job)
		}
	}
	if r.Observe != nil {
		r.Observe(View{r}, why)
	}
	if why.Kind == Departure {
		r.tell(why.Job)
	}
	return nil
}

func (r *run) wake(at float64) error {
	if !(at >= r.now) || math.IsInf(at, 1) {
		return fmt.Errorf("batch: policy %s: wants to be woken at %v, it is %v", r.Policy.Name(), at, r.now)
	}
	r.alarms.Schedule(at, struct{}{})
	return nil
}

// begin starts a job.
func (r *run) begin(j Job, nodes int) error {
	if j < 0 || int(j) >= len(r.jobs) || r.jobs[j].state != waits {
		return fmt.Errorf("batch: policy %s: starts job %d, which does not wait", r.Policy.Name(), j)
	}
	p := &r.jobs[j]
	if nodes < 1 || nodes > r.free || !p.Moldable() && nodes != p.Nodes {
		return fmt.Errorf("batch: policy %s: starts job %d, which asks for %d nodes, on %d with %d free",
			r.Policy.Name(), p.ID, p.Nodes, nodes, r.free)
	}
	p.backfilled = r.queue.take(j) > 0
	p.state, p.nodes, p.start = runs, nodes, r.now
	r.free -= nodes
	r.ends.Schedule(r.now+p.RunOn(nodes), j)
	p.expected = r.now + p.EstimateOn(nodes)
	i := r.endingAt(p.expected)
	for i < len(r.running) && r.running[i].expected == p.expected {
		i++
	}
	r.running = slices.Insert(r.running, i, ending{p.expected, j, nodes})
	return nil
}

// tell passes the record of a job that has ended on, and forgets the job.
func (r *run) tell(j Job) {
	p := &r.jobs[j]
	if p.backfilled {
		r.tally.Backfilled++
	}
	if p.killed {
		r.tally.Killed++
	}
	if r.Done != nil {
		r.record = Record{
			Request: p.Request, Number: p.number, Start: p.start, End: r.now, Held: p.nodes,
			NodeTime: (r.now - p.start) * float64(p.nodes), Backfilled: p.backfilled, Killed: p.killed, Promised: p.promised,
		}
		r.Done(&r.record)
	}
	p.state = absent
	r.vacant = append(r.vacant, j)
}
