// This file solves chains of levels, and reads their solutions state by state.

package levels

import (
	"context"
	"errors"

	"github.com/partwise/partwise/markov"
)

// Vectors is the part of a solution that gives probabilities of phases.
type Vectors interface {
	Level(i int) []float64
	RepeatingPhases() []float64
}

// Solution is a stationary distribution from which measures are computed.
type Solution interface {
	markov.Solution
	Vectors
	MeanAbove(i int) float64 // E[max(0, level − i)]
}

// Decaying is a solution whose levels decrease geometrically in the end.
type Decaying interface {
	Solution
	DecayRate(context.Context) (float64, error)
	RepeatingMoments() [3][]float64
	Each(f func(level int, pi []float64, above float64) bool)
}

// Solve returns the stationary distribution of the chain, found with dense blocks or by iteration. If the iteration does not
// converge, blocks are dense after all where they are not too large. The error wraps [markov.ErrTooLarge] if states or blocks
// take more memory than allowed, or comes from the method.
func (c *Chain[S]) Solve(ctx context.Context, dense bool, st markov.Settings) (Decaying, error) {
	if !dense {
		sparse, err := c.sparse(ctx, st.Memory)
		if err != nil {
			return nil, err
		}
		sol, err := sparse.Solve(ctx, st)
		if !errors.Is(err, markov.ErrNoConvergence) || c.Largest() > MostDensePhases {
			return sol, err
		}
	}
	blocks, err := c.QBD(ctx, st.Memory)
	if err != nil {
		return nil, err
	}
	return blocks.Solve(ctx, st)
}

// Regimes returns the chain as one whose phases are in regimes. The error wraps [markov.ErrTooLarge] if the
// states take more memory than allowed.
func (c *Chain[S]) Regimes(ctx context.Context, memory *markov.Memory) (*markov.Regimes, error) {
	if err := c.Explore(ctx, memory); err != nil {
		return nil, err
	}
	q := &markov.Regimes{ByLevels: c.ByLevels, Held: c.kept, Moves: func(level, i int, add func(by, to int, rate float64)) {
		for _, t := range c.rows[level][i] {
			add(int(t.by), int(t.to), c.rate(t))
		}
	}}
	for _, phases := range c.phases {
		of := make([]int, len(phases))
		for i, s := range phases {
			of[i] = c.Regime(s)
		}
		q.Of = append(q.Of, of)
	}
	return q, nil
}

// sparse returns the chain as one that is solved without blocks. The error wraps [markov.ErrTooLarge] if the states
// take more memory than allowed.
func (c *Chain[S]) sparse(ctx context.Context, memory *markov.Memory) (*markov.SparseQBD, error) {
	if err := c.Explore(ctx, memory); err != nil {
		return nil, err
	}
	q := &markov.SparseQBD{Held: c.kept, Moves: func(level, i int, add func(by, to int, rate float64)) {
		for _, t := range c.rows[level][i] {
			add(int(t.by), int(t.to), c.rate(t))
		}
	}}
	for _, phases := range c.phases {
		q.Phases = append(q.Phases, len(phases))
	}
	return q, nil
}

// Each calls f for all states with their probabilities. The levels above level Repeats are summed: f is called once for
// each of their phases, with level Repeats+1.
func (c *Chain[S]) Each(sol Vectors, f func(level int, s S, p float64)) {
	c.each(sol, func(level, _ int, s S, p float64) { f(level, s, p) })
}

// EachMove calls f for all transitions out of the states of Each, with the rate at which each transition happens.
func (c *Chain[S]) EachMove(sol Vectors, f func(level int, s S, by int, to S, flow float64)) {
	c.each(sol, func(level, i int, s S, p float64) {
		for _, t := range c.rows[level][i] {
			by := int(t.by)
			f(level, s, by, c.phases[min(level+by, c.Repeats)][t.to], p*c.rate(t))
		}
	})
}

// each is Each with the index of each state among the phases of its level.
func (c *Chain[S]) each(sol Vectors, f func(level, i int, s S, p float64)) {
	for l := range c.Repeats + 1 {
		for i, p := range sol.Level(l) {
			f(l, i, c.phases[l][i], p)
		}
	}
	for i, p := range sol.RepeatingPhases() {
		f(c.Repeats+1, i, c.phases[c.Repeats][i], p)
	}
}

// MomentsFromNext changes factorial moments of the distance to a level, by phase, into moments of the distance to the
// next level. pi holds the probabilities of the next level. moments[k] is E[d·(d − 1)···(d − k + 1)] for k = 0, 1, 2,
// where only states at or above the level count; it is overwritten.
func MomentsFromNext(moments *[3][]float64, pi []float64) {
	for i, p := range pi {
		// The distance d becomes d − 1: d − 1 = d − 1, and (d − 1)(d − 2) = d(d − 1) − 2(d − 1).
		moments[0][i] = max(0, moments[0][i]-p)
		moments[1][i] = max(0, moments[1][i]-moments[0][i]-p)
		moments[2][i] = max(0, moments[2][i]-2*moments[1][i])
	}
}
