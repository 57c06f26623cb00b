package sched

import "math"

// polled is a policy that decides only at the times 0, every, 2·every, …, like a program that asks a batch system for
// its queue. Between two polls no job is started or resized, and nodes that become free are idle. At a poll the policy
// gets all events since the last poll. It does not decide at a poll without events. The policy must not look at the
// jobs of departures, because their IDs may have been given to other jobs.
type polled struct {
	Policy
	every  float64
	events []Event // since the last poll
	next   float64 // the poll for which an alarm was requested; 0: no alarm
}

// NewPolled returns a policy that decides like p, but only at the times 0, every, 2·every, …, in the unit of the jobs.
// So it imitates a program that polls a batch system. Between two polls no job is resized, and no job is started. EASY
// backfilling with malleable jobs is an exception: between polls the batch system itself starts jobs, on nodes that are
// free. The machine ends the run with an error unless every is above 0 and finite.
func NewPolled(p Policy, every float64) Policy {
	if m, is := p.(*easyMalleable); is {
		return &polledMalleable{easyMalleable: m, every: every}
	}
	return &polled{Policy: p, every: every}
}

// Decide lets the underlying policy decide on all events since the last poll, at the time of a poll. At other times it
// keeps the events in p.events, and requests an alarm for the next poll if none is requested. The actions are appended
// to do and returned.
func (p *polled) Decide(v View, events []Event, do []Action) []Action {
	p.events = append(p.events, events...)
	if p.next == 0 {
		p.next = nextPoll(v.Now(), p.every)
		if p.next != v.Now() {
			return append(do, Wake(p.next))
		}
	}
	if v.Now() < p.next {
		return do
	}
	p.next = 0
	do = p.Policy.Decide(v, p.events, do)
	p.events = p.events[:0]
	return do
}

// nextPoll returns the time of the next poll: the first multiple of every that is not before now. Rounding may put the
// product before now; then the result is now. It is NaN, which the machine refuses as the time of an alarm, unless every
// is above 0 and finite.
func nextPoll(now, every float64) float64 {
	if every < 0 {
		return math.NaN()
	}
	return max(now, math.Ceil(now/every)*every)
}
