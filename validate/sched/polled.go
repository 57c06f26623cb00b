package sched

import "math"

// polled is a policy that looks at the machine at the times 0, every, 2·every, … only, as a program does that asks a batch
// system for its queue. Between two polls nobody is started or resized, and nodes that become free are idle. At a poll the
// policy is told of all events since the last one; a poll at which nothing has happened decides nothing. The policy must
// not look at the jobs of departures: their names may have been given to others.
type polled struct {
	Policy
	every  float64
	events []Event // since the last poll
	next   float64 // the poll that an alarm was asked for; 0: none
}

// NewPolled returns a policy that decides as another one does, at the times 0, every, 2·every, … only. Between two polls nobody
// is started or resized. The machine refuses it if every is 0 or NaN.
func NewPolled(p Policy, every float64) Policy { return &polled{Policy: p, every: every} }

// Decide asks the policy at the time of a poll, and otherwise for an alarm at the next one.
func (p *polled) Decide(v View, events []Event, do []Action) []Action {
	p.events = append(p.events, events...)
	if p.next == 0 {
		p.next = max(v.Now(), math.Ceil(v.Now()/p.every)*p.every) // rounding may put the product before now
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
