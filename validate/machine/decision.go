package machine

import (
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/sched"
)

// mostAlarms is the largest number of alarms while there are jobs, but no time passes or no job makes progress. A
// policy that requests more alarms is in an endless loop, or never starts a job.
const mostAlarms = 1 << 20

// decideAndReport lets the policy decide on the events r.events of the present time, and carries the decision out. Then
// Config.Observe sees the result, and Config.Done gets the records of the jobs that have ended. The policy is not asked
// if the only events are ends of reconfigurations. While jobs stop for a repartition together, it is not asked either,
// and nothing is reported yet. The error comes from decide, or from [run.continueRepartition].
func (r *run) decideAndReport(t *simulation.Tally) error {
	if r.Points.Together {
		if busy, err := r.continueRepartition(t); err != nil || busy {
			r.observe(nil)
			return err
		}
	}
	if r.count[sched.Resume] < len(r.events) {
		if err := r.decide(t); err != nil {
			return err
		}
	}
	r.observe(r.events)
	if r.count[sched.Departure] == 0 {
		return nil
	}
	for i := range r.events {
		if why := &r.events[i]; why.Kind == sched.Departure {
			r.report(why.Job)
		}
	}
	return nil
}

// decide asks the policy, applies its actions, completes r.change by its cause and the departures, and charges the
// costs. It counts the arrivals that stay in the queue in t, and the jobs that alarms resize in r.idleResizes. If the
// policy promises starts, decide stores the promised start of each arrival, or the start itself if the job has started.
//
// The error is a *[PolicyError] if the policy fails, or asks for an impossible action. It is a *[PolicyError], too, if
// the policy asks for more than 2^20 alarms (mostAlarms) while no job makes progress. Otherwise the error comes from
// the costs.
func (r *run) decide(t *simulation.Tally) error {
	count := &r.count
	if count[sched.Alarm] > 0 {
		if r.idleAlarms += count[sched.Alarm]; r.idleAlarms > mostAlarms {
			return r.refuse("asks for more than %d alarms while no job makes progress", mostAlarms)
		}
	}
	r.actions = r.policy.Decide(r.view, r.events, r.actions[:0])
	if r.failing != nil && r.failing.Err() != nil {
		return &PolicyError{r.policy.Name(), r.failing.Err()}
	}
	if err := r.execute(t); err != nil {
		return err
	}
	if count[sched.Alarm] > 0 {
		r.idleResizes += len(r.changed)
	}
	for i := 0; i < count[sched.Arrival]; i++ { // arrivals are the first events
		if e := r.state.Entry(r.events[i].Job); e.Status == sched.Waits {
			t[simulation.Queued]++
			r.addOfClass(&e.Job, simulation.ClassQueued, 1)
		}
	}
	r.change.Departed = count[sched.Departure]
	r.change.Why = causeOf(count[sched.Arrival], &r.change)
	// The changed jobs stand still for the cost of the change. If all jobs always stop, a decision can cost even if it
	// touches no job.
	if len(r.changed) > 0 || r.alwaysCosts {
		if err := r.charge(t); err != nil {
			return err
		}
	}
	if r.promiser != nil {
		r.recordPromises(r.events[:count[sched.Arrival]])
	}
	return nil
}

// recordPromises records the start that the policy promised to each arrival, or the start itself if the job has started.
func (r *run) recordPromises(arrivals []sched.Event) {
	for i := range arrivals {
		id := arrivals[i].Job
		if r.state.Status(id) == sched.Waits {
			r.jobs[id].promised = r.promiser.Promised(id)
		} else {
			r.jobs[id].promised = r.view.Begun(id)
		}
	}
}

// causeOf returns the kind of event to which a change is attributed if several events happen at once; costs depend on it.
// came is the number of jobs that arrived. The cause is
//
//   - an arrival if more jobs arrived than departed, and a running job was resized or no job departed;
//   - otherwise a departure if a job departed: if more jobs arrived, they only took the nodes of departed jobs;
//   - otherwise an alarm.
func causeOf(came int, change *Change) sched.EventKind {
	switch left := change.Departed; {
	case came > left && (left == 0 || change.Resized > 0):
		return sched.Arrival
	case left > 0:
		return sched.Departure
	}
	return sched.Alarm
}

// observe calls Config.Observe, if it is set, with the state of the machine and the given events. They are the events
// on which the policy has just decided, or nil while jobs stop for a repartition together.
func (r *run) observe(events []sched.Event) {
	if r.Observe != nil {
		r.Observe(r.view, events)
	}
}
