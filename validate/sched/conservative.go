package sched

import (
	"math"

	"github.com/partwise/partwise/models/policy"
)

// conservative is conservative backfilling. Every job gets a reservation when it arrives: the earliest one that fits
// between the reservations of the jobs before it. So a job overtakes others without delaying them. The reservation is a
// guarantee: the job starts at that time or, if reservations are compressed, earlier.
//
// Compression goes through the queue once, in its order. It moves each reservation to the earliest time that the other
// reservations allow, and never to a later time.
//
// Reference: A. W. Mu'alem, D. G. Feitelson, Utilization, predictability, workloads, and user runtime estimates in
// scheduling the IBM SP2 with backfilling, IEEE Trans. Parallel Distrib. Syst. 12 (2001) 529–543, section 2.1.
type conservative struct {
	Compress policy.Compression

	profile      profile
	reservations []reservation // of waiting jobs, by JobID
	first        float64       // earliest start of a reservation
	alarm        float64       // next alarm that was requested
}

// Name returns "conservative".
func (*conservative) Name() string { return "conservative" }

// Promised returns the time at which the reservation of waiting job j begins. The job starts then at the latest. Decide
// must have seen the arrival of the job.
func (p *conservative) Promised(j JobID) float64 { return p.reservations[j].start }

// Decide makes the decision of conservative backfilling on events. Nodes of departed jobs become free in the profile.
// Reservations of waiting jobs are then compressed, if [conservative.returnNodes] says so: each moves to the earliest
// time that the others allow. Each job that has arrived gets the earliest reservation that fits.
//
// A waiting job starts when its reservation is due and its nodes are free. The actions are appended to do and returned,
// with an alarm for the next reservation if no other event wakes the policy by then. p.first becomes the start of the
// earliest reservation of a waiting job, or the present time if a due reservation waits for nodes.
func (p *conservative) Decide(v View, events []Event, do []Action) []Action {
	if p.profile.blocks == nil {
		p.profile.reset(v.Nodes())
		p.first, p.alarm = math.Inf(1), math.Inf(1)
	}
	now := v.Now()
	p.profile.advance(now)
	came, compress := p.returnNodes(v, events)
	// i is the first job of the queue to look at, old the first job without a reservation.
	i, old := 0, v.Waiting()-came
	free, next := v.Free(), math.Inf(1)
	switch {
	case came == len(events): // if only jobs arrive, no earlier job of the queue can start
		i = old
	case !compress && p.first > now: // no reservation of an earlier job is due
		i, next = old, p.first
	default:
		p.first = math.Inf(1)
	}
	for n := v.Waiting(); i < n; i++ {
		w := v.Queued(i)
		if isNew := i >= old; isNew || compress {
			p.updateReservation(&w, isNew)
		}
		r := &p.reservations[w.Job]
		switch {
		case r.start > now:
			next = min(next, r.start)
		case w.Nodes <= free: // otherwise a job that is expected to end now still holds the nodes
			free -= w.Nodes
			do = appendAllocate(do, w.Job, w.Nodes)
			p.profile.forgetStarted(*r, w.Estimate)
		default:
			p.first = now
		}
	}
	p.first = min(p.first, next)
	if compress {
		p.profile.renewFreed()
	}
	return p.requestAlarm(v, next, do)
}

// returnNodes gives the nodes of each departed job back to the profile, from now until the expected end of the job. It
// returns the number of arrivals among the events, and whether the decision compresses the reservations. It compresses
// them after a departure with CompressAlways, after a departure before the expected end with CompressEarly, and never
// otherwise. After an alarm, p.alarm says that no alarm is requested: +Inf.
func (p *conservative) returnNodes(v View, events []Event) (came int, compress bool) {
	for _, e := range events {
		switch e.Kind {
		case Arrival:
			came++
		case Departure:
			expected := v.Expected(e.Job)
			p.profile.freeFromNow(expected, v.Held(e.Job))
			compress = compress || p.Compress == policy.CompressAlways || p.Compress == policy.CompressEarly && expected > v.Now()
		case Alarm:
			p.alarm = math.Inf(1)
		}
	}
	return came, compress
}

// updateReservation sets the reservation of waiting job w, which stands in p.reservations. A job that is new gets the
// earliest reservation that fits. The reservation of any other job moves to the earliest time that the other
// reservations allow.
func (p *conservative) updateReservation(w *Waiting, isNew bool) {
	if !isNew {
		r := &p.reservations[w.Job]
		*r = p.profile.moveEarlier(*r, w.Estimate, w.Nodes)
		return
	}
	for int(w.Job) >= len(p.reservations) {
		p.reservations = append(p.reservations, reservation{})
	}
	s, at := p.profile.earliest(0, math.Inf(1), w.Estimate, w.Nodes)
	p.reservations[w.Job] = p.profile.reserve(s, at, w.Estimate, w.Nodes)
}

// requestAlarm appends to do an alarm at time at, when the next reservation begins, and records it in p.alarm. It
// returns do unchanged if at is +Inf (no reservation), or if an alarm is requested for the same or an earlier time. It
// also returns do unchanged if a running job is expected to end by then. The job ends no later than expected, and its
// end is an event.
func (p *conservative) requestAlarm(v View, at float64, do []Action) []Action {
	if at >= p.alarm || math.IsInf(at, 1) || v.Running() > 0 && v.Ending(0).At <= at {
		return do
	}
	p.alarm = at
	return append(do, Wake(at))
}
