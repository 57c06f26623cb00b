package testbed

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/sched"
)

// application is a job in the system.
type application struct {
	Job
	record  *Record
	id      sched.JobID
	state   appState
	nodes   []int   // by rank
	epoch   int     // of the division of its array, by which messages name it
	left    float64 // work
	doing   float64 // work of the phase that is being done
	due     float64 // when that phase should end
	behind  float64 // by how much it ended later, at most a phase
	awaited int     // processes that have not said what they are to say
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
	changes []change
	current Reconfiguration
	busy    bool // a reconfiguration is being carried out
	moving  bool // its data are
	outcome Outcome
	err     error
}

// change is a job that a decision gives other nodes than it had.
type change struct {
	app      *application
	from, to int
}

// Run runs jobs under a policy until all have ended. A node that is lost is an error.
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
	for i := m.Nodes - 1; i >= 0; i-- {
		r.free = append(r.free, i)
	}
	if err := r.loop(ctx); err != nil {
		return nil, err
	}
	r.outcome.End = r.now()
	return &r.outcome, nil
}

// now returns the seconds since the run began.
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
		case m := <-r.answers:
			for _, a := range r.apps {
				if m.Epoch == a.epoch {
					r.hear(a, m)
				}
			}
		case <-timer.C:
		case <-r.intact.Done():
			return context.Cause(r.intact)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// slack is how late timers are at most, as a rule.
const slack = time.Millisecond

// untilNext returns how long the scheduler can sleep before the next submission or cancellation: its timer being late,
// it watches the clock for the last millisecond, so that jobs are submitted when they should be.
func (r *run) untilNext() time.Duration {
	at := r.now() + 3600 // it looks at its jobs once in an hour
	if r.next < len(r.Jobs) {
		at = r.Jobs[r.next].Submit
	}
	for _, a := range r.apps {
		if a.Cancel > 0 {
			at = min(at, a.Cancel)
		}
	}
	return max(0, time.Duration((at-r.now())*float64(time.Second))-slack)
}

// timed lets jobs whose submission is due enter the system, as events of the next decision, and cancels jobs whose
// cancellation is due.
func (r *run) timed() {
	now := r.now()
	r.state.Elapse(now)
	for r.next < len(r.Jobs) && r.Jobs[r.next].Submit <= now {
		a := &application{Job: r.Jobs[r.next], record: &r.outcome.Jobs[r.next], left: r.Jobs[r.next].Work}
		a.record.Submit = a.Submit
		r.next++
		a.id = r.state.Arrive(&a.Job.Job)
		r.apps[a.id] = a
		r.events = append(r.events, sched.Event{Kind: sched.Arrival, Job: a.id})
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
	a.record.Cancelled = true
	switch {
	case a.state == runs:
		r.finish(a)
	case a.state == waits && r.state.Status(a.id) == sched.Waits:
		r.events = slices.DeleteFunc(r.events, func(e sched.Event) bool { return e.Kind == sched.Arrival && e.Job == a.id })
		r.state.Start(a.id) // out of the queue
		r.state.Depart(a.id)
		r.state.Forget(a.id)
		a.record.End = r.now()
		delete(r.apps, a.id)
	}
}

// hear takes in the answer of a process of a job. When all its processes have answered, the phase of the job is done, or its
// array is in place. The elements of a last phase are checked; a wrong one ends the run with an error.
func (r *run) hear(a *application, m *message) {
	if m.Call == phase && a.state != runs && a.state != stops { // the job has ended meanwhile
		return
	}
	if m.Last {
		from, to := block(r.Elements, m.Rank, len(a.nodes))
		if err := checkArray(m.Data, to-from, a.record.Phases+1); err != nil {
			r.err = fmt.Errorf("testbed: job %d: %w", a.ID, err)
		}
	}
	a.awaited--
	switch {
	case a.awaited > 0:
	case m.Call == phase:
		r.phaseDone(a)
	default:
		a.state = ready
		r.proceed()
	}
}

// roundings is the share of its work that a job which is done may seem to have left.
const roundings = 1e-9

// phaseDone is called when all processes of a job have done a phase.
func (r *run) phaseDone(a *application) {
	a.record.Phases++
	a.left -= a.doing
	a.behind = min(r.now()-a.due, r.Phase.Seconds())
	switch {
	case a.record.Cancelled || a.left <= roundings*a.Work:
		r.finish(a)
	case a.state == stops:
		a.state = stopped
	default:
		r.startPhase(a)
	}
	r.proceed()
}

// finish ends a job: its processes forget their parts of its array, and its departure is an event of the next decision.
func (r *run) finish(a *application) {
	for _, n := range a.nodes {
		r.send(n, &message{Call: release, Epoch: a.epoch})
	}
	a.state, a.record.End = ends, r.now()
	r.events = append(r.events, sched.Event{Kind: sched.Departure, Job: a.id})
}
