package optimal

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
)

// rule is the number of the option that is taken, by level and decision.
type rule [][]int

// passage is what is known of a level: the times in its states while no lower level is reached, excursions above not
// counted; the first passages G to the level beneath, and of each the mean time and the mean time of all jobs.
type passage struct {
	*markov.Sojourns
	g          *mat.Dense
	time, cost []float64
}

// solveAbove solves what repeats above L, which is the same for all policies, but for G. With N = (−Local − Up·G)⁻¹ the
// time t and the cost k of a first passage from level L+1 down, which are those of level L+2 but for t more in k, are
//
//	t = N·(1 + Up·t),   k = N·((L+1)·1 + Up·(k + t)).
func (p *process) solveAbove(ctx context.Context, st markov.Settings) (*passage, error) {
	l := p.most + 1
	events := p.levels[l].events
	n := len(events)
	up, u, down := p.block(l, nil, events, 1), p.block(l, nil, events, 0), p.block(l, nil, events, -1)
	var bottom mat.Dense
	bottom.Add(u, down)
	for i := range n {
		u.Set(i, i, 0)
		bottom.Set(i, i, 0)
	}
	q := &markov.QBD{Boundary: []markov.Level{{Up: up, Local: &bottom}},
		Repeating: markov.Level{Up: up, Local: u, Down: down}}
	st.Memory = nil // it is reserved
	sol, err := q.Solve(ctx, st)
	if err != nil {
		return nil, fmt.Errorf("optimal: above %d jobs: %w", p.most, err)
	}
	g, err := sol.G(ctx)
	if err != nil {
		return nil, err
	}
	leave := rowSums(down)
	var upG mat.Dense
	upG.Mul(up, g)
	u.Add(u, &upG)
	x := &passage{time: make([]float64, n), cost: make([]float64, n)}
	if x.Sojourns, err = markov.NewSojourns(ctx, u, leave); err != nil {
		return nil, err
	}
	var drift mat.Dense // N⁻¹ − Up
	drift.Add(u, up)
	drift.Scale(-1, &drift)
	for i, out := range rowSums(u) {
		drift.Set(i, i, drift.At(i, i)+out+leave[i])
		x.time[i] = 1
	}
	time, cost := mat.NewVecDense(n, x.time), mat.NewVecDense(n, x.cost)
	if err := time.SolveVec(&drift, time); err != nil {
		return nil, fmt.Errorf("optimal: above %d jobs: %w", p.most, err)
	}
	cost.MulVec(up, time)
	for i := range n {
		x.cost[i] += float64(p.most + 1)
	}
	if err := cost.SolveVec(&drift, cost); err != nil {
		return nil, fmt.Errorf("optimal: above %d jobs: %w", p.most, err)
	}
	return x, ctx.Err()
}

// evaluation is what a policy comes to: g, the mean number of jobs, and the relative values of the states, the expected
// time of all jobs beyond g per unit of time until the first state of the empty machine is entered.
type evaluation struct {
	jobs     float64
	values   [][]float64 // by level 0..L+1
	passages []passage   // by level 0..L+1; from level 0 to its first state
}

// evaluate evaluates a policy from the top down: levels are censored on no lower level being reached. Without what is
// above L, arrivals that find L jobs are lost.
func (p *process) evaluate(ctx context.Context, pol rule, above *passage) (*evaluation, error) {
	v := &evaluation{passages: make([]passage, p.most+1)}
	if above != nil {
		x := *above
		var err error
		if x.g, err = x.Ends(ctx, p.block(p.most, pol, p.levels[p.most+1].entry, -1)); err != nil {
			return nil, err
		}
		v.passages = append(v.passages, x)
	}
	for l := p.most; l >= 0; l-- {
		if err := p.censor(ctx, l, pol, v, above == nil); err != nil {
			return nil, err
		}
	}
	v.jobs = v.passages[0].cost[0] / v.passages[0].time[0]
	below := []float64{0}
	for _, x := range v.passages {
		next := make([]float64, len(x.time))
		for i := range next {
			next[i] = x.cost[i] - v.jobs*x.time[i] + floats.Dot(x.g.RawRowView(i), below)
		}
		v.values, below = append(v.values, next), next
	}
	return v, nil
}

// block returns the rates to the states of a level by those events that lead some levels on.
func (p *process) block(l int, pol rule, events [][]event, by int) *mat.Dense {
	m := mat.NewDense(len(events), len(p.levels[l].states), nil)
	for i := range events {
		p.rates(l, pol, of(events[i], by), func(to int, rate float64) { m.Set(i, to, m.At(i, to)+rate) })
	}
	return m
}

func rowSums(m *mat.Dense) []float64 {
	rows, _ := m.Dims()
	sums := make([]float64, rows)
	for i := range sums {
		for _, v := range m.RawRowView(i) {
			sums[i] += v // floats.Sum depends on where a row lies
		}
	}
	return sums
}

// rates adds the rates to states of a level at which events lead there by a policy.
func (p *process) rates(l int, pol rule, events []event, add func(to int, rate float64)) {
	for _, e := range events {
		for _, t := range p.chosen(l, pol, e.decision).to {
			add(t.state, e.rate*t.p)
		}
	}
}

func (p *process) chosen(l int, pol rule, d int) option {
	if l > p.most {
		return p.levels[l].arrived[d].options[0]
	}
	return p.levels[l].arrived[d].options[pol[l][d]]
}

// events returns the events of a state. Level L+1 stands for all levels above L; if it is lossy, there are none.
func (p *process) events(l, i int, lossy bool) (all []event) {
	lev := p.levels[l]
	switch {
	case l > p.most:
		for _, e := range lev.events[i] {
			all = append(all, event{0, e.decision, e.rate})
		}
		return append(all, lev.entry[i]...)
	case l == p.most && lossy:
		return slices.Concat(of(lev.events[i], -1), of(lev.events[i], 0), lev.lost[i])
	}
	return lev.events[i]
}

// of returns the events of a state that lead some levels on.
func of(events []event, by int) (some []event) {
	for _, e := range events {
		if e.by == by {
			some = append(some, e)
		}
	}
	return some
}

// censored returns the rates between the states of a level, excursions above it included, and the rates of its time and
// cost with those of the excursions.
func (p *process) censored(l int, pol rule, v *evaluation, lossy bool) (u *mat.Dense, time, cost []float64) {
	n := len(p.levels[l].states)
	u, time, cost = mat.NewDense(n, n, nil), make([]float64, n), make([]float64, n)
	for i := range n {
		row := u.RawRowView(i)
		time[i], cost[i] = 1, float64(l)
		events := p.events(l, i, lossy)
		p.rates(l, pol, of(events, 0), func(to int, rate float64) { row[to] += rate })
		p.rates(l+1, pol, of(events, 1), func(to int, rate float64) {
			above := v.passages[l+1]
			time[i] += rate * above.time[to]
			cost[i] += rate * above.cost[to]
			floats.AddScaled(row, rate, above.g.RawRowView(to))
		})
	}
	return u, time, cost
}

// censor finds the first passages from a level.
func (p *process) censor(ctx context.Context, l int, pol rule, v *evaluation, lossy bool) error {
	u, time, cost := p.censored(l, pol, v, lossy)
	down := mat.NewDense(len(time), 1, nil)
	if l > 0 {
		down = p.block(l-1, pol, p.levels[l].events, -1)
	} else {
		down.SetCol(0, mat.Col(nil, 0, u))
		u.SetCol(0, make([]float64, len(time)))
	}
	x := passage{time: time, cost: cost}
	var err error
	if x.Sojourns, err = markov.NewSojourns(ctx, u, rowSums(down)); err != nil {
		return fmt.Errorf("optimal: %d jobs: %w", l, err)
	}
	x.Of(time)
	x.Of(cost)
	if x.g, err = x.Ends(ctx, down); err != nil {
		return err
	}
	v.passages[l] = x
	return nil
}
