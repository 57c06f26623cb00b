package testbed

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/sched"
)

// application is a job in the system.
type application struct {
	Job
	record    *Record
	id        sched.JobID
	state     appState
	nodes     []int   // by rank
	epoch     int     // of the division of its array, by which messages name it
	phases    int     // done
	left      float64 // work
	doing     float64 // work of the phase that is being done
	due       float64 // when that phase should end
	behind    float64 // by how much it ended later, at most a phase
	awaited   int     // processes that have not said what they are to say
	restoring bool    // what its processes had is lost
	cancelled bool
}

// appState is what an application does.
type appState uint8

const (
	waits   appState = iota
	runs             // a phase
	stops            // a phase, after which it is resized
	stopped          // it has no phase to do, for it is to be resized
	loads            // its processes get their parts of the array
	ready            // they have them
	ends             // it is done, which the policy has not been told
)

// run is a run of a machine.
type run struct {
	*Machine
	Workload
	policy  sched.Policy
	state   *sched.State
	view    sched.View
	began   time.Time
	next    int // job to be submitted
	apps    map[sched.JobID]*application
	free    []int
	events  []sched.Event
	do      []sched.Action
	changes []change
	current Reconfiguration
	busy    bool    // a reconfiguration is being carried out
	moving  bool    // its data are
	worked  float64 // seconds that all phases should have taken
	late    float64 // seconds by which jobs took longer
	outcome Outcome
	err     error
}

// change is a job that a decision gives other nodes than it had.
type change struct {
	app      *application
	from, to int
}

// Run runs jobs under a policy until all have ended. With the error of the context it returns what there is until then:
// every job is accounted for.
func (m *Machine) Run(ctx context.Context, w Workload, p policy.Policy, seed des.Key) (*Outcome, error) {
	scheduler, err := sched.New(p)
	if err != nil {
		return nil, err
	}
	stream := seed.Stream()
	r := &run{Machine: m, Workload: w, policy: scheduler, state: sched.NewState(m.Nodes, 1, 0, 0, &stream), began: time.Now(),
		apps: map[sched.JobID]*application{}}
	r.view = r.state.View()
	r.outcome.Jobs = make([]Record, len(w.Jobs))
	for i := range w.Jobs {
		r.outcome.Jobs[i] = Record{ID: w.Jobs[i].ID, Status: Waiting, Submit: w.Jobs[i].Submit}
	}
	for i := m.Nodes - 1; i >= 0; i-- {
		r.free = append(r.free, i)
	}
	err = r.loop(ctx)
	r.outcome.End = r.now()
	if r.worked > 0 {
		r.outcome.Late = r.late / r.worked
	}
	return &r.outcome, err
}

func (r *run) now() float64 { return time.Since(r.began).Seconds() }

// loop takes in what happens, one after another, until all jobs have ended.
func (r *run) loop(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		r.timed()
		r.decide()
		if r.next == len(r.Jobs) && len(r.apps) == 0 || r.err != nil {
			return r.err
		}
		timer.Reset(r.untilNext())
		select {
		case w := <-r.words:
			r.hear(w)
		case join := <-r.joins:
			r.err = join()
			r.restore()
		case <-timer.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-r.ctx.Done():
			return context.Cause(r.ctx)
		}
	}
}

// slack is how late timers are at most, as a rule.
const slack = time.Millisecond

// untilNext returns how long the scheduler can sleep before the next submission or cancellation: its timer being late,
// it watches the clock for the last millisecond, so that jobs are submitted when they should be.
func (r *run) untilNext() time.Duration {
	at := math.Inf(1)
	if r.next < len(r.Jobs) {
		at = r.Jobs[r.next].Submit
	}
	for _, a := range r.apps {
		if a.Cancel > 0 {
			at = min(at, a.Cancel)
		}
	}
	if math.IsInf(at, 1) {
		return time.Hour
	}
	return max(0, time.Duration((at-r.now())*float64(time.Second))-slack)
}

// timed takes in submissions and cancellations whose time has come.
func (r *run) timed() {
	now := r.now()
	r.state.Elapse(now)
	for r.next < len(r.Jobs) && r.Jobs[r.next].Submit <= now {
		a := &application{Job: r.Jobs[r.next], record: &r.outcome.Jobs[r.next], left: r.Jobs[r.next].Work}
		r.next++
		a.id = r.state.Arrive(&a.Job.Job)
		r.apps[a.id] = a
		r.events = append(r.events, sched.Event{Kind: sched.Arrival, Job: a.id})
		r.note(a)
	}
	for _, a := range r.apps {
		if a.Cancel > 0 && a.Cancel <= now {
			a.Cancel = 0
			r.cancel(a)
		}
	}
}

// cancel ends a job: a waiting or running job at once. A job that is being started or resized ends after its next phase,
// because a reconfiguration counts on all jobs that it changes.
func (r *run) cancel(a *application) {
	if a.state == ends {
		return
	}
	a.cancelled = true
	switch {
	case a.state == runs:
		r.finish(a)
	case a.state == waits && r.state.Status(a.id) == sched.Waits:
		r.events = slices.DeleteFunc(r.events, func(e sched.Event) bool { return e.Kind == sched.Arrival && e.Job == a.id })
		r.state.Start(a.id) // out of the queue
		r.state.Depart(a.id)
		r.state.Forget(a.id)
		a.record.End = r.now()
		r.end(a)
	}
}

// end closes the record of a job.
func (r *run) end(a *application) {
	a.record.Status, a.record.Phases = Completed, a.phases
	if a.cancelled {
		a.record.Status = Cancelled
	}
	r.note(a)
	delete(r.apps, a.id)
}

// note tells what has become of a job.
func (r *run) note(a *application) {
	if r.Told != nil {
		r.Told(*a.record)
	}
}

// hear takes in what a node says.
func (r *run) hear(w word) {
	node := w.from.number
	if r.nodes[node] != w.from {
		return // of a process that has been given up
	}
	if w.lost != nil {
		r.lose(node, w.lost)
		return
	}
	for _, a := range r.apps {
		if w.asked.Epoch == a.epoch {
			r.answered(a, w)
			return
		}
	}
}

// answered takes in the answer of a process of a job.
func (r *run) answered(a *application, w word) {
	switch w.method {
	case "Phase":
		if a.state != runs && a.state != stops || w.asked.Phase != a.phases {
			return
		}
		if w.asked.Last {
			from, to := block(r.Elements, w.asked.Rank, len(a.nodes))
			if err := checkArray(w.data, to-from, a.phases+1); err != nil {
				r.err = fmt.Errorf("testbed: job %d: %w", a.ID, err)
			}
		}
		if a.awaited--; a.awaited == 0 {
			r.phaseDone(a)
		}
	case "Hold":
		if a.awaited--; a.state == loads && a.awaited == 0 {
			r.loaded(a)
		}
	}
}

// roundings is the share of its work that a job which is done may seem to have left.
const roundings = 1e-9

// phaseDone is called when all processes of a job have done a phase.
func (r *run) phaseDone(a *application) {
	a.phases++
	a.left -= a.doing
	r.worked += a.doing / a.SpeedupOn(len(a.nodes))
	late := r.now() - a.due
	a.behind = min(late, r.Phase.Seconds())
	switch {
	case a.cancelled || a.left <= roundings*a.Work:
		a.behind = 0
		r.finish(a)
	case a.state == stops:
		a.state = stopped
	default:
		r.startPhase(a)
	}
	r.late += late - a.behind
	r.proceed()
}

// finish takes the array of a job from its nodes; the policy is told at the next decision.
func (r *run) finish(a *application) {
	for _, n := range a.nodes {
		r.send(n, "Release", &Message{Epoch: a.epoch})
	}
	a.state, a.record.End = ends, r.now()
	r.events = append(r.events, sched.Event{Kind: sched.Departure, Job: a.id})
}
