package machine

import (
	"cmp"
	"slices"

	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/sched"
)

// continueRepartition carries on a repartition in which jobs are resized together, see [Points].Together. When all its
// jobs have stopped or ended, they get their new nodes. busy reports whether it is still under way after the events
// r.events of the present time: some job has not stopped, or jobs stand still for its cost. If so, the events are
// deferred in r.deferred. If not, also without any repartition, r.events gets all deferred events, ordered by kind, on
// which the policy then decides. The error comes from [run.repartition].
func (r *run) continueRepartition(t *simulation.Tally) (busy bool, err error) {
	r.deferred = append(r.deferred, r.events...)
	if len(r.resized) > 0 && r.notStopped == 0 {
		if err := r.repartition(t); err != nil {
			return false, err
		}
	}
	if r.notStopped > 0 || r.paused {
		return true, nil
	}
	slices.SortStableFunc(r.deferred, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
	r.events = append(r.events[:0], r.deferred...)
	r.deferred = r.deferred[:0]
	r.count = eventCount{}
	for i := range r.events {
		r.count[r.events[i].Kind]++
	}
	return false, nil
}

// joinRepartition adds a job to the repartition under way, and counts it as resized in r.change. The job is to stop at
// its next scheduling point, which is put into the calendar, and to wait for the other jobs in r.resized.
func (r *run) joinRepartition(id sched.JobID) {
	r.change.Resized++
	r.resized = append(r.resized, id)
	r.jobs[id].joins = true
	r.notStopped++
	r.schedulePoint(id)
}

// countStopped takes a job out of the count r.notStopped, if the job is part of a repartition of several jobs. It is
// called when the job has reached its scheduling point or has ended. It clears p.joins, so that the job is counted once.
// The caller begins the repartition when r.notStopped is zero.
func (r *run) countStopped(p *progress) {
	if p.joins {
		p.joins = false
		r.notStopped--
	}
}

// repartition gives all jobs in r.resized their new nodes, after all of them have stopped or ended, and empties the
// list. Jobs that have ended are left out. It then begins started jobs on vacant nodes, and makes the changed jobs
// stand still for the cost of the change. Starts and reconfigurations are counted in t. The error is a *[PolicyError]
// for a speedup that is not positive, or comes from the costs.
func (r *run) repartition(t *simulation.Tally) error {
	r.changed = r.changed[:0]
	for _, id := range r.resized {
		if r.state.Status(id) != sched.Runs {
			continue
		}
		p, e := &r.jobs[id], r.state.Entry(id)
		had := e.Occupied
		r.account(p, e)
		p.resized++
		if err := r.occupy(id, e.Held); err != nil {
			return err
		}
		r.workOrCharge(changedJob{id, had, false})
	}
	r.resized = r.resized[:0]
	return r.fillVacantAndCharge(t)
}
