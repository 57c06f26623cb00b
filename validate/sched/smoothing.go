package sched

import (
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/sim"
)

// Smoothing is dynamic equi-partitioning with a minimum time between repartitions, drawn anew at each of them from a
// phase-type distribution. Until it is over nobody is resized: arrivals wait, unless departures have left nodes free,
// which the waiting jobs divide among themselves. When it is over, and whenever it is over, all jobs in the system
// share the nodes evenly, as many jobs as there are units at most.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, Dynamic partitioning in different distributed-memory
// environments, JSSPP 1996, LNCS 1162, section 7, where the minimum time is left open; C. S. Chang, Smoothing point
// processes as a means to increase throughput, IBM Research Report RC 16866, 1991.
type Smoothing struct {
	dynamic Dynamic
	minimum *sim.Times
	quiet   bool    // the minimum time lasts: nobody is resized
	until   float64 // the end of that
}

func newSmoothing(p policy.Smoothing) (Policy, error) {
	minimum, err := p.MinimumTime()
	if err != nil {
		return nil, err
	}
	return &Smoothing{minimum: sim.NewTimes(minimum)}, nil
}

// Name returns "smoothing".
func (s *Smoothing) Name() string { return "smoothing" }

// Decide divides the machine anew if enough time has passed since it did so last.
func (s *Smoothing) Decide(v View, events []Event, do []Action) []Action {
	if s.quiet && count(events, Alarm) > 0 && v.Now() >= s.until {
		s.quiet = false
	}
	switch {
	case v.Running() == 0 && v.Waiting() == 0:
		return do
	case s.quiet || v.Running() == 0 || v.Running() == v.Nodes()/v.Unit():
		return handOut(v, do)
	}
	return s.repartition(v, do)
}

// repartition divides the machine among all jobs. If that resizes a running job, it is a while before the next time.
func (s *Smoothing) repartition(v View, do []Action) []Action {
	d := &s.dynamic
	d.sizes = held(v, d.sizes)
	for len(d.sizes) < min(v.Running()+v.Waiting(), v.Nodes()/v.Unit()) {
		d.sizes = append(d.sizes, 0)
	}
	do = d.divide(v, do)
	for _, a := range do {
		if v.Held(a.Job) > 0 {
			s.quiet, s.until = true, v.Now()+s.minimum.Draw(v.Random())
			return append(do, Wake(s.until))
		}
	}
	return do
}

// handOut divides the free nodes evenly among the waiting jobs, a unit each if there are not more.
func handOut(v View, do []Action) []Action {
	units := v.Free() / v.Unit()
	n := min(v.Waiting(), units)
	for i := range n {
		share := (units + n - i - 1) / (n - i)
		do = append(do, Allocate(v.Queued(i).Job, share*v.Unit()))
		units -= share
	}
	return do
}
