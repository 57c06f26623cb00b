package study

import (
	"math"
	"slices"

	"github.com/partwise/partwise/validate/replay"
)

// Machines are the candidates for the machine of a log. One of them is chosen.
type Machines []Machine

// Chosen returns the candidate that is chosen.
func (m Machines) Chosen() *Machine {
	return &m[slices.IndexFunc(m, func(one Machine) bool { return one.Chosen })]
}

// Compared reports whether there are several candidates, and waits of the log to compare them with.
func (m Machines) Compared() bool { return len(m) > 1 && m.Chosen().Waits != nil }

// Closer returns the first candidate that agrees better with the waits of the log than the chosen one; nil if the chosen one is the best.
// There is such a candidate only if a stated number of nodes decided.
func (m Machines) Closer() *Machine {
	if !m.Compared() {
		return nil
	}
	chosen := m.Chosen().Waits
	for i := range m {
		w := m[i].Waits
		if w == nil || chosen.Reproduced && !w.Reproduced {
			continue
		}
		if w.Reproduced && !chosen.Reproduced || w.Distance() < chosen.Distance() {
			return &m[i]
		}
	}
	return nil
}

// AsClose reports whether a candidate is as close to the waits of the log as the chosen one, or whether there are no waits to tell.
func (m Machines) AsClose(one *Machine) bool {
	chosen := m.Chosen()
	if one.Waits == nil || chosen.Waits == nil {
		return one.Waits == chosen.Waits
	}
	return one.Waits.Reproduced == chosen.Waits.Reproduced && one.Waits.Distance() <= chosen.Waits.Distance()
}

// InOtherUnit returns the candidate that differs from the chosen one in its unit alone, and its run with the share of malleable jobs of a
// run on the chosen one. The run is nil if one unit alone was studied, if the share was not replayed, or if the jobs are too few for an
// interval.
func (m Machines) InOtherUnit(like *replay.Run) (one *Machine, run *replay.Run) {
	if like == nil {
		return nil, nil
	}
	for i := range m {
		for _, run := range m[i].Runs {
			if run.Share == like.Share && known(run.Ratio().HalfWidth) {
				return &m[i], run
			}
		}
	}
	return nil, nil
}

// known reports whether a half-width is that of an interval: too few jobs have none.
func known(halfWidth float64) bool { return !math.IsNaN(halfWidth) && !math.IsInf(halfWidth, 0) }
