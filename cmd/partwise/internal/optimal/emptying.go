package optimal

import "slices"

// restoreEmptying takes back changes that turned one policy, by which the machine becomes empty from every state, into
// another, until it does so by the other one as well. Such a policy begins the next repartition of few jobs at the end of each, and
// serves larger numbers of jobs only. It has no relative values, which are expectations until the machine is empty.
//
// States from which the machine becomes empty are found backward from the empty machine. Where the other policy leads there from no
// more states, the changes are taken back that keep it from that in one step. The result reports whether any change is left.
func (p *process) restoreEmptying(before, pol rule, lossy bool) (changed bool) {
	type place struct{ level, state int }
	empties := map[place]bool{}
	for i := range p.levels[0].states {
		empties[place{0, i}] = true
	}
	grow := func(by rule) bool { // adds the states from which a policy leads to the others
		var found []place
		for l, lev := range p.levels {
			for i := range lev.states {
				if empties[place{l, i}] {
					continue
				}
				for _, e := range p.events(l, i, lossy) {
					to := l + e.by
					leads := func(t target) bool { return empties[place{to, t.state}] }
					if !slices.ContainsFunc(p.chosen(to, by, e.decision).to, leads) {
						continue
					}
					if found = append(found, place{l, i}); to <= p.most {
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
