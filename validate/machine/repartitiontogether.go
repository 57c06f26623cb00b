package machine

import (
	"cmp"
	"slices"

	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/sched"
)

// together continues the repartition of jobs that are resized together, if one is under way. busy reports whether the
// repartition is still under way after the events of a time. Events during a repartition are kept until it has ended;
// then the policy decides on all of them.
func (r *run) together(t *simulation.Tally) (busy bool, err error) {
	r.kept = append(r.kept, r.events...)
	if len(r.resized) > 0 && r.onTheWay == 0 {
		if err := r.repartition(t); err != nil {
			return false, err
		}
	}
	if r.onTheWay > 0 || r.paused {
		return true, nil
	}
	slices.SortStableFunc(r.kept, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
	r.events = append(r.events[:0], r.kept...)
	r.kept = r.kept[:0]
	return false, nil
}

// join makes a job stop at its next scheduling point, for a repartition together with other jobs.
func (r *run) join(id sched.JobID) {
	r.change.Resized++
	r.resized = append(r.resized, id)
	r.jobs[id].joins = true
	r.onTheWay++
	r.await(id)
}

// stops counts, in r.onTheWay, a job that has reached its point, or ended, and was to be resized together with others.
func (r *run) stops(p *progress) {
	if p.joins {
		p.joins = false
		r.onTheWay--
	}
}

// repartition changes the nodes of all jobs that are resized together, after all of them have stopped or ended, and
// charges the change.
func (r *run) repartition(t *simulation.Tally) error {
	r.touched = r.touched[:0]
	for _, id := range r.resized {
		if r.state.Status(id) != sched.Runs {
			continue
		}
		had := r.state.Entry(id).Occupied
		r.account(id)
		r.jobs[id].resized++
		if err := r.occupy(id, r.state.Entry(id).Held); err != nil {
			return err
		}
		r.touch(touched{id, had, false})
	}
	r.resized = r.resized[:0]
	return r.admitAndCharge(t)
}
