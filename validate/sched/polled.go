package sched

import "math"

// Polled is a policy that looks at the machine at the times 0, Every, 2·Every, … only, as a program does that asks a batch
// system for its queue. Between two polls nobody is started or resized, and nodes that become free are idle. At a poll the
// policy is told of all events since the last one; a poll at which nothing has happened decides nothing. The policy must
// not look at the jobs of departures: their names may have been given to others.
type Polled struct {
	Policy
	Every  float64
	events []Event // since the last poll
	next   float64 // the poll that an alarm was asked for; 0: none
}

// Renews returns false: an arrival that finds the machine empty waits for the next poll.
func (*Polled) Renews() bool { return false }

// Decide asks the policy at the time of a poll, and otherwise for an alarm at the next one.
func (p *Polled) Decide(v View, events []Event, do []Action) []Action {
	p.events = append(p.events, events...)
	if p.next == 0 {
		p.next = max(v.Now(), math.Ceil(v.Now()/p.Every)*p.Every) // rounding may put the product before now
		if p.next > v.Now() {
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
