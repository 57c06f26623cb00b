package study

import (
	"slices"

	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/replay"
)

// Machines are the candidates for the machine of a log. One of them is chosen.
type Machines []Machine

// Chosen returns the candidate that is chosen, an element of m. It panics if no candidate is chosen.
func (m Machines) Chosen() *Machine {
	return &m[slices.IndexFunc(m, func(candidate Machine) bool { return candidate.Chosen })]
}

// SharedNodes returns the number of nodes of the log that several partitions can use. It is 0 if no candidate divides the nodes into
// partitions.
func (m Machines) SharedNodes() (nodes int) {
	for i := range m {
		if log := m[i].Log; log != nil && log.Pools != nil {
			nodes = max(nodes, log.Pools.Shared)
		}
	}
	return nodes
}

// Compared reports whether there are several candidates, and waits of the log to compare them with. One candidate must
// be chosen.
func (m Machines) Compared() bool { return len(m) > 1 && m.Chosen().Waits != nil }

// Closer returns the first candidate that agrees better with the waits of the log than the chosen candidate. It returns
// nil if no candidate agrees better, which is certain unless a stated number of nodes decided.
func (m Machines) Closer() *Machine {
	if !m.Compared() {
		return nil
	}
	chosen := m.Chosen().Waits
	for i := range m {
		if agreesBetter(m[i].Waits, chosen) {
			return &m[i]
		}
	}
	return nil
}

// AsClose reports whether a candidate agrees with the waits of the log at least as well as the chosen candidate.
// Without waits of the log, all candidates agree equally well.
func (m Machines) AsClose(candidate *Machine) bool {
	return !agreesBetter(m.Chosen().Waits, candidate.Waits)
}

// InOtherUnit returns the candidate that differs from the chosen one in its unit alone. It also returns the run on this
// candidate with the share of malleable jobs of like, a run on the chosen machine. Both are nil if only one unit was
// studied, if the share was not replayed, or if the jobs are too few for an interval. They are also nil if the
// candidate does not reproduce the waits of the log: what holds on it says nothing of the machine.
func (m Machines) InOtherUnit(like *replay.Run) (candidate *Machine, run *replay.Run) {
	if like == nil {
		return nil, nil
	}
	for i := range m {
		if w := m[i].Waits; w != nil && !w.Reproduced {
			continue
		}
		for _, run := range m[i].Runs {
			if run.Share == like.Share && run.Ratio().IsKnown() {
				return &m[i], run
			}
		}
	}
	return nil, nil
}

// closest returns the index of the candidate that agrees best with the waits of the log, see [agreesBetter]. Among
// equals it is the first.
func closest(candidates []Machine) (best int) {
	for i := range candidates {
		if agreesBetter(candidates[i].Waits, candidates[best].Waits) {
			best = i
		}
	}
	return best
}

// agreesBetter reports whether replay a agrees better with the logged waits than replay b. A replay that reproduces the
// waits agrees better than a replay that does not. A nil replay has no waits to compare, and agrees worst. Among
// others, the replay whose mean wait is closer to the mean logged wait agrees better.
func agreesBetter(a, b *logstats.Replayed) bool {
	classA, distanceA := rankOf(a)
	classB, distanceB := rankOf(b)
	return classA < classB || classA == classB && distanceA < distanceB
}

// rankOf returns how well a replay agrees with the logged waits, in two numbers; smaller numbers are better. class
// counts first: 0 if the replay reproduces the waits, 1 if it does not, 2 if w is nil because there are no waits to
// compare. distance decides within a class. It is the distance of the mean waits by [logstats.Replayed.Distance], and 0
// for nil.
func rankOf(w *logstats.Replayed) (class int, distance float64) {
	switch {
	case w == nil:
		return 2, 0
	case !w.Reproduced:
		return 1, w.Distance()
	}
	return 0, w.Distance()
}
