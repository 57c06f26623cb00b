package sched

import (
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/des"
)

// resize is dynamic equi-partitioning that resizes running jobs when [policy.Resize.Next] says so. In between nobody is
// resized: jobs that come wait, unless departures have left nodes free, which the waiting jobs divide among themselves.
// The machine then has as many shares as jobs run, of different sizes perhaps until it is divided anew.
//
// Jobs that have bounds on their nodes, or cannot be resized, are divided as by [policy.Dynamic]. In between, who waits is
// started in its turn if its least number of nodes is free.
//
// Of cooldowns that are drawn this is smoothing, as the conclusions of N. Islam, A. Prodromidis, M. S. Squillante (JSSPP
// 1996, LNCS 1162, section 7) describe it, who leave the minimum time open; see also C. S. Chang, Smoothing point
// processes as a means to increase throughput, IBM Research Report RC 16866, 1991.
type resize struct {
	name    string
	rule    policy.Resize
	dynamic dynamic
	drawn   *des.Times // cooldowns that are not fixed
	shares  int        // into which the machine is divided; 0 when it is empty
	changes int        // since running jobs were resized last
	until   float64    // the end of the cooldown
}

func newResize(name string, r policy.Resize) (Policy, error) {
	s := &resize{name: name, rule: r, dynamic: dynamic{Cap: r.Cap, Floor: r.Floor}}
	if r.SCV > 0 {
		d, err := r.CooldownTime()
		if err != nil {
			return nil, err
		}
		s.drawn = des.NewTimes(d)
	}
	return s, nil
}

// Name returns "resize", or "smoothing" where cooldowns are those of that policy.
func (s *resize) Name() string { return s.name }

// Decide divides the machine if the rule says so, and otherwise what is free among the jobs that wait.
func (s *resize) Decide(v View, events []Event, do []Action) []Action {
	came, left := count(events, Arrival), count(events, Departure)
	if s.changes += left; !s.rule.Departures {
		s.changes += came
	}
	if v.Running() == 0 {
		s.changes = 0
	}
	now := policy.Situation{Units: v.units(), Running: v.Running(), Waiting: v.Waiting(), Shares: s.shares,
		Changes: s.changes, Quiet: v.Now() < s.until, Arrival: came > 0 && left == 0}
	switch next, divides := s.rule.Next(now); {
	case now.Running+now.Waiting == 0:
		return do
	case !divides:
		return s.handOut(v, do)
	case v.bounded():
		s.shares = next
		return s.cool(v, s.dynamic.divideBounded(v, do))
	default:
		s.shares = next
		d := &s.dynamic // the first shares go to the jobs that run and that are started
		d.sizes = evenly(v, d.sizes, next)
		return s.cool(v, allocate(v, d.sizes[:min(next, now.Running+now.Waiting)], v.Unit(), do))
	}
}

// cool begins a cooldown if running jobs are resized.
func (s *resize) cool(v View, do []Action) []Action {
	for _, a := range do {
		if v.Held(a.Job) == 0 {
			continue
		}
		s.changes = 0
		cooldown := s.rule.Cooldown
		if s.drawn != nil {
			cooldown = s.drawn.Draw(v.Random())
		}
		if cooldown > 0 {
			s.until = v.Now() + cooldown
			do = append(do, Wake(s.until))
		}
		break
	}
	return do
}

// handOut divides the free nodes evenly among the waiting jobs, a unit each if there are not more.
func (s *resize) handOut(v View, do []Action) []Action {
	free := v.Free()
	n := min(v.Waiting(), free/v.Unit(), max(0, s.dynamic.limit(v)-v.Running()))
	for i := range n {
		j := v.Queued(i).Job
		least, most := bounds(v, j)
		share := (free/v.Unit() + n - i - 1) / (n - i) * v.Unit()
		nodes := max(least, min(share, whole(v, most), s.dynamic.largest(v)))
		if nodes > free {
			break
		}
		do = append(do, Allocate(j, nodes))
		free -= nodes
	}
	if started := len(do); started > 0 && free < v.Unit() {
		s.shares = v.Running() + started
	}
	return do
}
