package decisionprocess

import "slices"

// restoreEmptying takes decisions of pol back to the decisions of the policy before, until the machine becomes empty
// from every state under pol, as it does under before. It reports whether pol still differs from before.
//
// A policy under which the machine never becomes empty starts a new repartition at the end of each while there are few jobs. It has
// no relative values, because these are expectations until the machine is empty.
//
// The states from which the machine becomes empty are found backward from the empty machine. Where pol reaches no further state, the
// decisions of before are restored that lead to the known states in one step.
func (p *Process) restoreEmptying(before, pol Policy, lossy bool) (changed bool) {
	type place struct{ level, state int }
	empties := map[place]bool{}
	for i := range p.levels[0].states {
		empties[place{0, i}] = true
	}
	grow := func(by Policy) bool { // adds the states from which a policy leads to the known states in one step
		var found []place
		for l, lev := range p.levels {
			for i := range lev.states {
				if empties[place{l, i}] {
					continue
				}
				for _, e := range p.events(l, i, lossy) {
					to := l + e.by
					leads := func(t destination) bool { return empties[place{to, t.state}] }
					if !slices.ContainsFunc(p.chosen(to, by, e.decision).to, leads) {
						continue
					}
					found = append(found, place{l, i})
					if to <= p.Most {
						pol[to][e.decision] = by[to][e.decision]
					}
				}
			}
		}
		for _, at := range found {
			empties[at] = true
		}
		return found != nil
	}
	for grow(pol) || grow(before) {
	}
	return !slices.EqualFunc(pol, before, slices.Equal)
}
