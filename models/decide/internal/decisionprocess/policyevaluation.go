package decisionprocess

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
)

// Policy is a stationary policy: the index of the division that is chosen, by level and decision point.
type Policy [][]int

// passage describes how the chain leaves a level downward. Sojourns are the times in the states of the level until a lower level is
// reached, without excursions above. g holds the probabilities of first passages to the states of the level beneath. For each
// state it has the mean time of its first passage, and the mean of the time that all jobs spend in the system meanwhile.
type passage struct {
	*markov.Sojourns
	g          *mat.Dense
	time, cost []float64
}

// solveAbove returns the first passages from level L+1 down, which are the same for all policies but for their end states. A passage
// from level L+2 takes the same time t as one from level L+1, and its cost k is larger by t. With N = (−Local − Up·G)⁻¹,
//
//	t = N·(1 + Up·t),   k = N·((L+1)·1 + Up·(k + t)).
func (p *Process) solveAbove(ctx context.Context, st markov.Settings) (*passage, error) {
	l := p.Most + 1
	events := p.levels[l].events
	up, local, down := p.block(l, nil, events, 1), p.block(l, nil, events, 0), p.block(l, nil, events, -1)
	g, err := firstPassages(ctx, up, local, down, st)
	if err != nil {
		return nil, fmt.Errorf("decide: above %d jobs: %w", p.Most, err)
	}
	censored, leave := new(mat.Dense), rowSums(down) // Local + Up·G, and the rates out of the level downward
	censored.Mul(up, g)
	censored.Add(local, censored)
	x := new(passage)
	if x.Sojourns, err = markov.NewSojourns(ctx, censored, leave); err != nil {
		return nil, err
	}
	var drift mat.Dense // N⁻¹ − Up
	drift.Add(censored, up)
	drift.Scale(-1, &drift)
	for i, out := range rowSums(censored) {
		drift.Set(i, i, drift.At(i, i)+out+leave[i])
	}
	if x.time, x.cost, err = p.meansAbove(&drift, up); err != nil {
		return nil, fmt.Errorf("decide: above %d jobs: %w", p.Most, err)
	}
	return x, ctx.Err()
}

// firstPassages returns the matrix G of first passages from one repeating level to the level beneath, given the rates of
// the level. It clears the diagonal of local.
func firstPassages(ctx context.Context, up, local, down *mat.Dense, st markov.Settings) (*mat.Dense, error) {
	var bottom mat.Dense
	bottom.Add(local, down)
	n, _ := local.Dims()
	for i := range n {
		local.Set(i, i, 0)
		bottom.Set(i, i, 0)
	}
	q := &markov.QBD{
		Boundary:  []markov.Level{{Up: up, Local: &bottom}},
		Repeating: markov.Level{Up: up, Local: local, Down: down},
	}
	st.Memory = nil // the caller has reserved the memory
	sol, err := q.Solve(ctx, st)
	if err != nil {
		return nil, err
	}
	return sol.G(ctx)
}

// meansAbove returns t and k of [Process.solveAbove], given N⁻¹ − Up and Up.
func (p *Process) meansAbove(drift, up *mat.Dense) (time, cost []float64, err error) {
	n, _ := up.Dims()
	time, cost = make([]float64, n), make([]float64, n)
	for i := range time {
		time[i] = 1
	}
	t, k := mat.NewVecDense(n, time), mat.NewVecDense(n, cost)
	if err := t.SolveVec(drift, t); err != nil {
		return nil, nil, err
	}
	k.MulVec(up, t)
	for i := range n {
		cost[i] += float64(p.Most + 1)
	}
	return time, cost, k.SolveVec(drift, k)
}

// evaluation holds the mean number of jobs g under a policy and the relative values of the states. The relative value of a state is
// the expected integral of (number of jobs − g) until the first state of the empty machine is entered.
type evaluation struct {
	jobs     float64
	values   [][]float64 // by level 0..L+1
	passages []passage   // by level 0..L+1; from level 0 to its first state
}

// evaluate evaluates a policy from level L+1 down to level 0: each level is censored on excursions above it. If above is nil,
// arrivals that find L jobs are lost.
func (p *Process) evaluate(ctx context.Context, pol Policy, above *passage) (*evaluation, error) {
	v := &evaluation{passages: make([]passage, p.Most+1)}
	if above != nil {
		x := *above
		var err error
		if x.g, err = x.Ends(ctx, p.block(p.Most, pol, p.levels[p.Most+1].entry, -1)); err != nil {
			return nil, err
		}
		v.passages = append(v.passages, x)
	}
	for l := p.Most; l >= 0; l-- {
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

// block returns the matrix of rates to the states of level l by the events that change the level by the number by.
func (p *Process) block(l int, pol Policy, events [][]transition, by int) *mat.Dense {
	m := mat.NewDense(len(events), len(p.levels[l].states), nil)
	for i := range events {
		p.rates(l, pol, eventsBy(events[i], by), func(to int, rate float64) { m.Set(i, to, m.At(i, to)+rate) })
	}
	return m
}

// rowSums returns the sums of the rows, added from left to right: floats.Sum depends on the alignment of a row in memory.
func rowSums(m *mat.Dense) []float64 {
	rows, _ := m.Dims()
	sums := make([]float64, rows)
	for i := range sums {
		for _, v := range m.RawRowView(i) {
			sums[i] += v
		}
	}
	return sums
}

// rates calls add with each state of level l and the rate at which events lead to it under a policy.
func (p *Process) rates(l int, pol Policy, events []transition, add func(to int, rate float64)) {
	for _, e := range events {
		for _, t := range p.chosen(l, pol, e.decision).to {
			add(t.state, e.rate*t.p)
		}
	}
}

// chosen returns the division that a policy chooses at a decision point; above L there is only one.
func (p *Process) chosen(l int, pol Policy, d int) division {
	if l > p.Most {
		return p.levels[l].arrived[d].options[0]
	}
	return p.levels[l].arrived[d].options[pol[l][d]]
}

// events returns the events of a state. Level L+1 stands for all levels above L; a lossy process has no level above L.
func (p *Process) events(l, i int, lossy bool) (all []transition) {
	lev := p.levels[l]
	switch {
	case l > p.Most:
		for _, e := range lev.events[i] {
			all = append(all, transition{0, e.decision, e.rate})
		}
		return append(all, lev.entry[i]...)
	case l == p.Most && lossy:
		return slices.Concat(eventsBy(lev.events[i], -1), eventsBy(lev.events[i], 0), lev.lost[i])
	}
	return lev.events[i]
}

// eventsBy returns the events that change the level by a number.
func eventsBy(events []transition, by int) (some []transition) {
	for _, e := range events {
		if e.by == by {
			some = append(some, e)
		}
	}
	return some
}

// censored returns the rates between the states of a level, direct or by an excursion above. For each state it also returns the
// rates of time and cost, including excursions.
func (p *Process) censored(l int, pol Policy, v *evaluation, lossy bool) (u *mat.Dense, time, cost []float64) {
	n := len(p.levels[l].states)
	u, time, cost = mat.NewDense(n, n, nil), make([]float64, n), make([]float64, n)
	for i := range n {
		row := u.RawRowView(i)
		time[i], cost[i] = 1, float64(l)
		events := p.events(l, i, lossy)
		p.rates(l, pol, eventsBy(events, 0), func(to int, rate float64) { row[to] += rate })
		p.rates(l+1, pol, eventsBy(events, 1), func(to int, rate float64) {
			above := v.passages[l+1]
			time[i] += rate * above.time[to]
			cost[i] += rate * above.cost[to]
			floats.AddScaled(row, rate, above.g.RawRowView(to))
		})
	}
	return u, time, cost
}

// censor sets the first passages of v from level l to the level beneath.
func (p *Process) censor(ctx context.Context, l int, pol Policy, v *evaluation, lossy bool) error {
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
		return fmt.Errorf("decide: %d jobs: %w", l, err)
	}
	x.Of(time)
	x.Of(cost)
	if x.g, err = x.Ends(ctx, down); err != nil {
		return err
	}
	v.passages[l] = x
	return nil
}
