package sched

import (
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/des"
)

// resize is dynamic equi-partitioning that resizes running jobs only when [policy.Resize.Next] says so. In between no
// job is resized: arriving jobs wait, unless departures have left nodes free. The waiting jobs divide these nodes among
// themselves. So the machine has as many shares as running jobs, which may differ in size until the machine is divided
// again.
//
// Jobs that have bounds on their nodes, or cannot be resized, are divided as by [policy.Dynamic]. In between, waiting
// jobs start in their order if their least number of nodes is free.
//
// With random cooldowns the policy is smoothing, [policy.Smoothing], which N. Islam, A. Prodromidis, M. S. Squillante
// describe in their conclusions (JSSPP 1996, LNCS 1162, section 7). They do not say how long the minimum time is. See
// also C. S. Chang, Smoothing point processes as a means to increase throughput, IBM Research Report RC 16866, 1991.
type resize struct {
	name    string
	rule    policy.Resize
	dynamic dynamic
	drawn   *des.Times // distribution of random cooldowns; nil if they are fixed
	shares  int        // number of shares into which the machine is divided; 0 when it is empty
	changes int        // arrivals and departures since running jobs were last resized
	until   float64    // end of the cooldown
}

// newResize returns the scheduler of rule r for resizing, with the given name. A rule with SCV 0 has a fixed cooldown,
// and no error. The error says that there is no distribution of cooldowns with the rule's mean and SCV (squared
// coefficient of variation).
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

// Name returns the name of the policy: "resize", or "smoothing" if the cooldowns are random.
func (s *resize) Name() string { return s.name }

// ignoresEnds marks a policy whose decisions do not depend on the expected ends of jobs, for [PlansWithEnds].
func (*resize) ignoresEnds() {}

// Decide divides the machine evenly among running and waiting jobs if the rule says so ([policy.Resize.Next]). It then
// begins a cooldown if it resized running jobs. Otherwise no running job is resized, and waiting jobs divide the free
// nodes. The actions are appended to do and returned. s.changes counts the arrivals and departures, by events, since
// running jobs were resized, from 0 when no job runs. Arrivals do not count if the rule looks at departures alone.
// s.shares becomes the number of shares.
func (s *resize) Decide(v View, events []Event, do []Action) []Action {
	came, left := count(events, Arrival), count(events, Departure)
	if s.changes += left; !s.rule.Departures {
		s.changes += came
	}
	if v.Running() == 0 {
		s.changes = 0
	}
	// The rule decides on the situation after the events.
	now := policy.Situation{Units: v.units(), Running: v.Running(), Waiting: v.Waiting(), Shares: s.shares,
		Changes: s.changes, Quiet: v.Now() < s.until, Arrival: came > 0 && left == 0}
	switch next, divides := s.rule.Next(now); {
	case now.Running+now.Waiting == 0:
		return do
	case !divides:
		return s.shareFreeNodes(v, do)
	case v.anyLimited():
		s.shares = next
		return s.startCooldown(v, s.dynamic.divideBounded(v, do))
	default:
		s.shares = next
		return s.startCooldown(v, divideEvenly(v, next, min(next, now.Running+now.Waiting), do))
	}
}

// startCooldown begins a cooldown if the actions do resize running jobs: until its end, s.until, the rule does not
// resize. The count s.changes restarts at 0. A random cooldown is drawn from v.Random. An alarm for the end is appended
// to do. If the cooldown takes no time, s.until stays as it was, and no alarm is appended.
func (s *resize) startCooldown(v View, do []Action) []Action {
	for i := range do {
		if v.Held(do[i].Job) == 0 {
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

// shareFreeNodes appends actions to do, which must be empty, that divide the free nodes evenly among the first waiting
// jobs, which start. A job gets at least the nodes that it needs. It gets at most the nodes that it can use, and at most
// [dynamic.mostNodesOfJob]. The cap limits the number of running jobs. If there are fewer free units than jobs, only as
// many jobs start as there are free units. The function ends at a job whose least nodes are not free.
//
// If jobs start and less than a unit remains free, s.shares becomes the number of running jobs, with the jobs that start.
func (s *resize) shareFreeNodes(v View, do []Action) []Action {
	free := v.Free()
	n := min(v.Waiting(), free/v.Unit(), max(0, s.dynamic.mostJobs(v)-v.Running()))
	for i := range n {
		j := v.Queued(i).Job
		least, most := nodeBounds(v, j)
		share := (free/v.Unit() + n - i - 1) / (n - i) * v.Unit()
		nodes := max(least, min(share, wholeUnits(v, most), s.dynamic.mostNodesOfJob(v)))
		if nodes > free {
			break
		}
		do = appendAllocate(do, j, nodes)
		free -= nodes
	}
	if started := len(do); started > 0 && free < v.Unit() {
		s.shares = v.Running() + started
	}
	return do
}
