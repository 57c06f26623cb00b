package optimal

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
)

// process is the decision process up to L jobs, and what repeats above.
type process struct {
	machine *models.Sharing
	units   int            // N
	fastest int            // shares by which the machine serves fastest
	most    int            // L
	decides func(seen) int // if there is only one rule to look at
	levels  []*level
	states  int
}

// seen is what a rule for exponential times may depend on.
type seen struct {
	jobs, shares, running int
	kind                  byte // of the repartition under way
}

func see(jobs int, s models.Shared) seen { return seen{jobs, s.Shares, s.Running(), s.Kind} }

// level holds the states with a number of jobs. That of L+1 jobs stands for all above L.
type level struct {
	states   []models.Shared
	index    map[models.Shared]int
	events   [][]event // by state
	lost     [][]event // in level L, what becomes of an arrival that is lost
	entry    [][]event // in level L+1, the departures to level L
	arrived  []decision
	decision map[models.Shared]int
}

// event leads to a decision at a level.
type event struct {
	by       int
	decision int
	rate     float64
}

// decision is a state to which an event has led, and what can be made of it.
type decision struct {
	state   models.Shared
	options []option
}

// option is a number of shares, and the states it leads to.
type option struct {
	shares int
	to     []target
}

type target struct {
	state int
	p     float64
}

// newProcess finds the states of the decision process with L = most, at least N, or those of one rule if decides is not
// nil. It returns markov.ErrTooLarge for more states of a level than a limit.
func newProcess(ctx context.Context, s *models.System, most, limit int, decides func(seen) int) (*process, error) {
	machine, err := models.NewSharing(s)
	if err != nil {
		return nil, err
	}
	p := &process{machine: machine, units: s.Partitions(), decides: decides}
	if p.fastest, _ = fastest(s); p.fastest < p.units && len(s.Classes) > 1 {
		return nil, fmt.Errorf("optimal: classes of jobs that the machine serves fastest %d at a time: %w", p.fastest, models.ErrNoChain)
	}
	p.most = max(most, p.units)
	for range p.most + 2 {
		p.levels = append(p.levels, &level{index: map[models.Shared]int{}, decision: map[models.Shared]int{}})
	}
	for _, e := range machine.Empty() {
		p.meet(0, e)
	}
	for changed := true; changed; { // states of a level are met from the levels around it
		changed = false
		for l, lev := range p.levels {
			for len(lev.events) < len(lev.states) {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				if len(lev.states) > limit {
					return nil, fmt.Errorf("optimal: more than %d states with %d jobs: %w", limit, l, markov.ErrTooLarge)
				}
				p.expand(l, lev.states[len(lev.events)])
				changed = true
			}
		}
	}
	for _, lev := range p.levels {
		p.states += len(lev.states)
	}
	return p, nil
}

// fastest returns the number of shares by which a machine that jobs wait for serves fastest, and the rate.
func fastest(s *models.System) (shares int, rate float64) {
	for k := 1; k <= s.Partitions(); k++ {
		if r := float64(k) / s.Service[k-1].Mean(); r >= rate {
			shares, rate = k, r
		}
	}
	return shares, rate
}

// meet returns the index of a state of a level.
func (p *process) meet(l int, s models.Shared) int {
	lev := p.levels[l]
	i, seen := lev.index[s]
	if !seen {
		i = len(lev.states)
		lev.index[s] = i
		lev.states = append(lev.states, s)
	}
	return i
}

// expand finds the events of the next state of a level.
func (p *process) expand(l int, s models.Shared) {
	lev, above := p.levels[l], l == p.most+1
	var events, lost, entry []event
	jobs := l
	if above {
		jobs++ // so that a departure leads to level L+1, too
	}
	p.machine.Events(jobs, s, func(by int, to models.Shared, rate float64) {
		at := l + by
		switch {
		case above && by < 0:
			entry = append(entry, event{-1, p.decide(at, to), rate})
			at = l
		case above:
			at = l
		case l == p.most && by > 0:
			lost = append(lost, event{0, p.decide(l, to), rate})
		}
		events = append(events, event{by, p.decide(at, to), rate})
	})
	lev.events, lev.lost, lev.entry = append(lev.events, events), append(lev.lost, lost), append(lev.entry, entry)
}

// decide returns the decision about a state to which an event has led.
func (p *process) decide(l int, s models.Shared) int {
	lev := p.levels[l]
	if d, seen := lev.decision[s]; seen {
		return d
	}
	d := len(lev.arrived)
	lev.decision[s] = d
	lev.arrived = append(lev.arrived, decision{state: s})
	var options []option
	for _, q := range p.choices(l, s) {
		o := option{shares: q}
		p.machine.Divide(l, s, q, func(to models.Shared, prob float64) {
			o.to = append(o.to, target{p.meet(l, to), prob})
		})
		options = append(options, o)
	}
	lev.arrived[d].options = options
	return d
}

// choices returns into how many shares the machine may be divided, that it has first.
func (p *process) choices(l int, s models.Shared) []int {
	switch {
	case l == 0:
		return []int{0}
	case l > p.most:
		return []int{p.fastest}
	case p.decides != nil:
		return []int{p.decides(see(l, s))}
	}
	var all []int
	if s.Shares > 0 {
		all = append(all, s.Shares)
	}
	for q := max(1, s.Running()); q <= p.fastest; q++ {
		if q != s.Shares {
			all = append(all, q)
		}
	}
	return all
}

// bytes returns what an evaluation holds: for each level a factor and the first passages to the level beneath.
func (p *process) bytes() float64 {
	total, lower := 0.0, 0
	for _, lev := range p.levels {
		n := len(lev.states)
		total += 8 * float64(n) * float64(n+lower)
		lower = n
	}
	n := float64(lower)
	return total + 8*20*n*n // and the chain above L
}
