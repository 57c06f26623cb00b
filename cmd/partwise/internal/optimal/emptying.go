package optimal

// A policy may never let the machine become empty: at the end of each repartition of few jobs it begins the next one, and
// serves larger numbers of jobs only. It has no relative values, which are expectations until the machine is empty.

// place is a state or a decision of a level.
type place struct{ level, index int }

// restoreEmptying takes back changes that turned one policy, by which the machine becomes empty from every state, into
// another, until it does so by the other one as well. Changes are taken back in layers: first those that led to states
// from which the machine becomes empty already. The result reports whether any change is left.
func (p *process) restoreEmptying(before, pol rule, lossy bool) (changed bool) {
	for {
		empties := p.emptying(pol, lossy)
		restored := false
		for l, lev := range p.levels {
			for i := range lev.states {
				if empties[place{l, i}] {
					continue
				}
				p.eachDecision(l, i, lossy, func(d place) {
					if d.level > p.most || !p.leadsInto(d, before, empties) {
						return
					}
					restored = restored || pol[d.level][d.index] != before[d.level][d.index]
					pol[d.level][d.index] = before[d.level][d.index]
				})
			}
		}
		if !restored {
			break
		}
	}
	for l, row := range pol {
		for d, k := range row {
			changed = changed || k != before[l][d]
		}
	}
	return changed
}

// emptying returns the states from which the machine becomes empty, found backward from the empty machine.
func (p *process) emptying(pol rule, lossy bool) map[place]bool {
	from := map[place][]place{} // by state, those that lead to it
	for l, lev := range p.levels {
		for i := range lev.states {
			p.eachDecision(l, i, lossy, func(d place) {
				for _, t := range p.chosen(d.level, pol, d.index).to {
					to := place{d.level, t.state}
					from[to] = append(from[to], place{l, i})
				}
			})
		}
	}
	empties := map[place]bool{}
	var todo []place
	for i := range p.levels[0].states {
		todo = append(todo, place{0, i})
	}
	for len(todo) > 0 {
		state := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !empties[state] {
			empties[state] = true
			todo = append(todo, from[state]...)
		}
	}
	return empties
}

// leadsInto reports whether a policy leads from a decision to one of the states.
func (p *process) leadsInto(d place, pol rule, states map[place]bool) bool {
	for _, t := range p.chosen(d.level, pol, d.index).to {
		if states[place{d.level, t.state}] {
			return true
		}
	}
	return false
}

// eachDecision calls f for the decisions to which the events of a state lead. Level L+1 stands for all levels above L.
func (p *process) eachDecision(l, i int, lossy bool, f func(d place)) {
	lev := p.levels[l]
	for _, e := range lev.events[i] {
		switch {
		case l > p.most:
			f(place{l, e.decision})
		case l < p.most || e.by < 1 || !lossy:
			f(place{l + e.by, e.decision})
		}
	}
	if l > p.most {
		for _, e := range lev.entry[i] {
			f(place{p.most, e.decision})
		}
	}
	if l == p.most && lossy {
		for _, e := range lev.lost[i] {
			f(place{l, e.decision})
		}
	}
}
