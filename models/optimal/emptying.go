package optimal

// A policy may never let the machine become empty: at the end of each repartition of few jobs it begins the next one, and
// serves larger numbers of jobs only. It has no relative values, which are expectations until the machine is empty.

// place is a state or a decision of a level.
type place struct{ level, index int }

// emptying is a search for the states from which the machine becomes empty, backward from the empty machine.
type emptying struct {
	met     map[place][]place // by decision, the states whose events lead to it
	leads   map[place][]place // by state, the decisions that lead to it by the policy
	open    map[place][]place // by state, the decisions that the policy changed, and that led to it before
	empties map[place]bool    // states
	settled map[place]bool    // decisions
	todo    []place           // states
	undo    []place           // decisions that could be taken back
}

// restoreEmptying takes back changes that turned one policy, by which the machine becomes empty from every state, into
// another, until it does so by the other one as well. A change that would not be enough to lead some state there is not
// taken back. The result reports whether any change is left.
func (p *process) restoreEmptying(before, pol rule, lossy bool) (changed bool) {
	s := p.newEmptying(before, pol, lossy)
	for i := range p.levels[0].states {
		s.reach(place{0, i})
	}
	for s.spread(); len(s.undo) > 0; s.spread() {
		d := s.undo[0]
		s.undo = s.undo[1:]
		if !s.settled[d] {
			pol[d.level][d.index] = before[d.level][d.index]
			s.settle(d)
		}
	}
	for l, row := range pol {
		for d, k := range row {
			changed = changed || k != before[l][d]
		}
	}
	return changed
}

func (p *process) newEmptying(before, pol rule, lossy bool) *emptying {
	s := &emptying{met: map[place][]place{}, leads: map[place][]place{}, open: map[place][]place{},
		empties: map[place]bool{}, settled: map[place]bool{}}
	for l, lev := range p.levels {
		for i := range lev.states {
			p.eachDecision(l, i, lossy, func(d place) { s.met[d] = append(s.met[d], place{l, i}) })
		}
		for d := range lev.arrived {
			decision := place{l, d}
			for _, t := range p.chosen(l, pol, d).to {
				to := place{l, t.state}
				s.leads[to] = append(s.leads[to], decision)
			}
			if l > p.most || pol[l][d] == before[l][d] {
				continue
			}
			for _, t := range p.chosen(l, before, d).to {
				to := place{l, t.state}
				s.open[to] = append(s.open[to], decision)
			}
		}
	}
	return s
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

func (s *emptying) reach(state place) {
	if !s.empties[state] {
		s.empties[state] = true
		s.todo = append(s.todo, state)
	}
}

func (s *emptying) settle(d place) {
	if !s.settled[d] {
		s.settled[d] = true
		for _, state := range s.met[d] {
			s.reach(state)
		}
	}
}

// spread reaches all states that lead to those reached.
func (s *emptying) spread() {
	for len(s.todo) > 0 {
		state := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		for _, d := range s.leads[state] {
			s.settle(d)
		}
		s.undo = append(s.undo, s.open[state]...)
	}
}
