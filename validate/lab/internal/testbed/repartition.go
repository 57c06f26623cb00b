package testbed

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/partwise/partwise/validate/sched"
)

// decide asks the policy what is to be done about the events since the last decision, and begins with it. While a
// reconfiguration is being carried out, it does nothing.
func (r *run) decide() {
	if r.busy || len(r.events) == 0 || r.err != nil {
		return
	}
	events := r.events
	r.events = nil
	slices.SortStableFunc(events, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
	now := r.now()
	r.state.Elapse(now)
	for i, e := range events {
		if e.Kind == sched.Departure {
			a := r.apps[e.Job]
			events[i].Nodes = len(a.nodes) // it may have been resized at its end
			r.state.Depart(a.id)
			r.free = append(r.free, a.nodes...)
		}
	}
	actions := r.policy.Decide(r.view, events, nil)
	if f, ok := r.policy.(sched.Failing); ok && f.Err() != nil {
		r.err = f.Err()
		return
	}
	for _, e := range events {
		if e.Kind == sched.Departure {
			r.state.Forget(e.Job)
			delete(r.apps, e.Job)
		}
	}
	r.changes = nil
	for _, d := range actions {
		r.allocate(d)
	}
	if r.err != nil || len(r.changes) == 0 {
		return
	}
	r.begin(now, events)
}

// allocate enters that the policy gives a job other nodes, among the changes that the reconfiguration is to make. An action
// that the testbed cannot do ends the run with an error.
func (r *run) allocate(d sched.Action) {
	if d.Kind == sched.Waking {
		r.err = fmt.Errorf("testbed: policy %s decides at times of its own, which the testbed does not have", r.policy.Name())
		return
	}
	a := r.apps[d.Job]
	if a == nil || d.Nodes < 1 || d.Nodes > r.Nodes {
		r.err = fmt.Errorf("testbed: policy %s gives %d nodes to job %d", r.policy.Name(), d.Nodes, d.Job)
		return
	}
	from := r.state.Entry(a.id).Held
	if from == d.Nodes {
		return
	}
	if r.state.Status(a.id) == sched.Waits {
		r.state.Start(a.id)
	}
	r.state.Hold(a.id, d.Nodes, -1)
	r.changes = append(r.changes, change{a, from, d.Nodes})
}

// begin stops the jobs that are resized. Events are sorted by their kinds.
func (r *run) begin(now float64, events []sched.Event) {
	r.busy, r.moving = true, false
	why := map[sched.EventKind]Why{sched.Arrival: Arrival, sched.Departure: Departure}[events[0].Kind]
	if events[0].Kind != events[len(events)-1].Kind {
		why = Both
	}
	r.current = Reconfiguration{At: now, Why: why, Running: r.view.Running()}
	for _, c := range r.changes {
		if c.from == 0 {
			continue
		}
		r.current.Resized++
		if c.app.state == runs {
			c.app.state = stops
		}
	}
	r.proceed()
}

// proceed goes on with the reconfiguration that is being carried out: when all resized jobs have stopped, nodes and arrays
// are moved; when all arrays are in place, the jobs run.
func (r *run) proceed() {
	if !r.busy {
		return
	}
	if !r.moving {
		for _, c := range r.changes {
			if c.from > 0 && c.app.state != stopped && c.app.state != ends {
				return
			}
		}
		r.move()
	}
	for _, c := range r.changes {
		if c.app.state == loads {
			return
		}
	}
	r.resume()
}

// move hands nodes over, and divides arrays anew. Jobs that shrink give up their nodes before jobs that grow get them.
func (r *run) move() {
	now := r.now()
	r.moving, r.current.Notify = true, now-r.current.At
	for _, c := range r.changes {
		a := c.app
		if c.to < c.from {
			r.free = append(r.free, a.nodes[c.to:]...)
			r.current.Moved += c.from - c.to
		}
	}
	for _, c := range r.changes {
		a := c.app
		before := slices.Clone(a.nodes)
		a.nodes = slices.Clone(a.nodes[:min(c.from, c.to)])
		for len(a.nodes) < c.to {
			last := len(r.free) - 1
			a.nodes, r.free = append(a.nodes, r.free[last]), r.free[:last]
			r.current.Moved++
		}
		if a.state == ends {
			continue // its nodes are free at the next decision
		}
		if c.from == 0 {
			a.record.Start = now
		}
		r.load(a, before)
	}
}

// load gives the processes of a job their parts of its array. The parts come from the processes on the nodes before, or
// are zeros if the job had no nodes.
func (r *run) load(a *application, before []int) {
	a.state, a.awaited = loads, len(a.nodes)
	old := a.epoch
	r.epochs++ // another number than ever before
	a.epoch = r.epochs
	ranks := make([]string, len(a.nodes))
	for i, n := range a.nodes {
		ranks[i] = r.nodes[n].address
	}
	for i, n := range a.nodes {
		from, to := block(r.Elements, i, len(a.nodes))
		r.send(n, &message{Call: hold, Epoch: a.epoch, From: from, To: to, Rank: i, Ranks: ranks, New: len(before) == 0})
	}
	for i, n := range before {
		r.send(n, &message{Call: give, Epoch: old, Next: a.epoch, Parts: parcels(r.Elements, i, len(before), ranks)})
	}
}

// resume ends a reconfiguration: it starts the changed jobs on their new partitions, and adds the times of the steps, in
// seconds, to the outcome.
func (r *run) resume() {
	r.current.Data = r.now() - r.current.At - r.current.Notify
	for _, c := range r.changes {
		if c.app.state == ready {
			r.startPhase(c.app)
		}
	}
	r.current.Start = r.now() - r.current.At - r.current.Notify - r.current.Data
	r.outcome.Reconfigurations = append(r.outcome.Reconfigurations, r.current)
	r.busy = false
}

// startPhase lets the processes of a job do a phase. It is shorter by as much as the one before it was longer:
// what messages and timers take is not scaled, and would add up. More than a phase is not made up.
func (r *run) startPhase(a *application) {
	a.state, a.awaited = runs, len(a.nodes)
	speed := a.SpeedupOn(len(a.nodes))
	a.doing = min(a.left, r.Phase.Seconds()*speed)
	task := a.doing/speed - a.behind
	a.due = r.now() + task
	m := &message{Call: phase, Epoch: a.epoch, Phase: a.record.Phases, Task: time.Duration(task * float64(time.Second)),
		Last: a.left-a.doing <= roundings*a.Work}
	for _, n := range a.nodes {
		r.send(n, m)
	}
	r.state.SetWorking(a.id, true, r.now()+a.left/max(speed, 1e-300))
}
