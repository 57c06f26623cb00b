package machine

import (
	"cmp"
	"slices"

	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/sched"
)

// together carries on with the repartition under way, if there is one, and reports whether it still is after the events
// of a time. What happens during a repartition is kept until it has ended; then the policy is asked about all of it.
func (r *run) together(t *des.Tally) (busy bool, err error) {
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

// join makes a job stop at its next scheduling point for a repartition that a decision has made.
func (r *run) join(id sched.JobID) {
	r.change.Resized++
	r.resized = append(r.resized, id)
	r.jobs[id].joins = true
	r.onTheWay++
	r.await(id)
}

// stops counts a job among those that have come to their points, or to their ends, where it is to be resized.
func (r *run) stops(p *progress) {
	if p.joins {
		p.joins = false
		r.onTheWay--
	}
}

// repartition lets nodes change hands, since all jobs that are resized have stopped or ended, and charges them.
func (r *run) repartition(t *des.Tally) error {
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
