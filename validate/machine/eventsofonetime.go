package machine

import (
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/sched"
)

// handleEvents handles all events of the time at: first arrivals, then the occurrences of the calendar by their kinds.
// due tells whether the calendar has an occurrence of this time. handleEvents overwrites r.events with the events, on
// which the policy decides afterwards, and counts them by kind in r.count and together in t. If the policy decides
// after each event ([Config].OneByOne), only the first event is handled.
//
// An occurrence that these events cause at the same time, but whose kind comes earlier, waits for the next call. For
// example, a job that is set to work with no work left departs after the decision. An error is stored in r.err. It comes
// from the source or its job, from the end of a standstill, from a scheduling point, or from [course.interrupted].
func (r *run) handleEvents(at float64, due bool, t *simulation.Tally) {
	r.events = r.events[:0]
	r.count = eventCount{}
	if r.more && r.next.Submit == at {
		r.handleArrivals(at, t)
	}
	// rank only grows, so an occurrence of an earlier kind waits for the next call.
	for rank := uint64(0); due && r.err == nil && !r.decidesNow(); due = r.calendar.Due(at) {
		what, taken := r.calendar.Take(at, rank)
		if !taken {
			break
		}
		rank = what.kind.rank(0)
		switch what.kind {
		case departs:
			r.happen(r.depart(what.job, t))
		case wakes:
			r.interruptions++
			r.happen(sched.Event{Kind: sched.Alarm})
		case resumes:
			r.endReconfiguration()
			r.happen(sched.Event{Kind: sched.Resume})
		default:
			r.goOn(what, t)
			r.happen(sched.Event{Kind: sched.Resume})
		}
	}
	t[simulation.Events] += float64(len(r.events))
}

// eventCount holds the number of events of each kind.
type eventCount [sched.Resume + 1]int

// happen appends an event to the events of the present time, and counts it in r.count.
func (r *run) happen(why sched.Event) {
	r.events = append(r.events, why)
	r.count[why.Kind]++
}

// goOn handles an occurrence at which a job goes on on its nodes or changes them: the end of the job's own standstill, or a
// scheduling point. An error is stored in r.err.
func (r *run) goOn(what occurrence, t *simulation.Tally) {
	switch what.kind {
	case proceeds:
		r.err = r.endStandstill(what.job, t)
	case reaches:
		r.err = r.reachPoint(what.job, t)
		r.interruptions++
		if r.err == nil { // points so close that the time between them is rounded to zero never end
			r.err = r.interrupted()
		}
	}
}

// decidesNow reports whether the policy has to decide on the events so far, although more may happen at the same time:
// whether [Config].OneByOne is set and r.events has an event.
func (r *run) decidesNow() bool { return r.OneByOne && len(r.events) > 0 }
