// This file makes chains that are described state by state into those that package markov solves.

package models

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unsafe"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
)

// maxLevelPhases is the largest number of phases of a level of a chain that is written out state by state. Dense blocks
// of this order take about a minute and half a gigabyte.
const maxLevelPhases = 1500

// maxRegimePhases is the largest number of phases of a level of a chain whose phases are in regimes. Finding that many
// phases takes some seconds. The memory of their blocks is known only afterwards.
const maxRegimePhases = 20_000

// levelVectors is the part of a solution that gives probabilities of phases.
type levelVectors interface {
	Level(i int) []float64
	RepeatingPhases() []float64
}

// levelSolution is a stationary distribution from which measures are computed.
type levelSolution interface {
	markov.Solution
	levelVectors
	MeanAbove(i int) float64 // E[max(0, level − i)]
}

// levelChain is a chain of levels with phases of type S, described by its transitions. From level Repeats+1 on,
// transitions do not depend on the level. States are found by following the transitions from the empty level.
type levelChain[S comparable] struct {
	Repeats int
	Empty   []S // phases of level 0
	// Moves calls add for each transition out of (level, s): by −1, 0 or +1 levels, to a phase, at a rate.
	Moves func(level int, s S, add func(by int, to S, rate float64))
	// Regime, if not nil, returns the regime of a phase in the sense of [markov.Regimes].
	Regime   func(s S) int
	ByLevels bool // how the regimes are solved, see [markov.Regimes]
	// MostPhases is the largest number of phases of a level, 0 for maxLevelPhases.
	MostPhases int

	phases [][]S            // by level 0..Repeats; the last list holds for all levels above, too
	rows   [][][]transition // by level 0..Repeats+1 and phase
	kept   float64          // bytes of states and transitions
}

// transition leads by some levels to a phase.
type transition struct {
	rate float64
	to   int32
	by   int8
}

// States returns the phases of a boundary level, 0..Repeats, after they have been found. Those of the last level are
// those of all levels above.
func (c *levelChain[S]) States(level int) []S { return c.phases[level] }

// transitionBytes is the size of a transition. listBytes is the size of a list of transitions with the other data of a
// state.
const transitionBytes, listBytes = float64(unsafe.Sizeof(transition{})), 64

// stateCopies is the number of copies of a state: among the phases, in the map of their indices and in the queue of
// states to visit, each with spare room.
const stateCopies = 6

// explore finds the states and their transitions. The last level stands for itself and all levels above. The error is a
// *[markov.MemoryError] as soon as they take more memory than allowed.
func (c *levelChain[S]) explore(ctx context.Context, memory *markov.Memory) error {
	c.kept = 0
	mostPhases := cmp.Or(c.MostPhases, maxLevelPhases)
	stateBytes := listBytes + stateCopies*float64(unsafe.Sizeof(*new(S)))
	index := make([]map[S]int, c.Repeats+1)
	c.phases = make([][]S, c.Repeats+1)
	c.rows = make([][][]transition, c.Repeats+2)
	for l := range index {
		index[l] = map[S]int{}
	}
	type visit struct {
		level int
		s     S
	}
	var todo []visit
	var row []transition
	meet := func(level int, s S) int {
		slot := min(level, c.Repeats)
		i, seen := index[slot][s]
		if !seen {
			i = len(c.phases[slot])
			index[slot][s] = i
			c.phases[slot] = append(c.phases[slot], s)
			todo = append(todo, visit{slot, s})
		}
		return i
	}
	for _, s := range c.Empty {
		meet(0, s)
	}
	// Breadth-first search: the phases of each level are visited in the order in which they are found.
	for len(todo) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		v := todo[0]
		todo = todo[1:]
		if len(c.phases[v.level]) > mostPhases {
			return fmt.Errorf("more than %d phases at level %d: %w", mostPhases, v.level, markov.ErrTooLarge)
		}
		if err := memory.Check(c.kept); err != nil {
			return fmt.Errorf("%d levels, the states of which are not all found: %w", len(c.phases), err)
		}
		levels := []int{v.level}
		if v.level == c.Repeats { // departures from level Repeats and from the level above may lead to different phases
			levels = append(levels, c.Repeats+1)
		}
		for _, l := range levels { // the phases of each level are visited in order, so rows can be appended
			row = row[:0]
			c.Moves(l, v.s, func(by int, to S, rate float64) {
				row = append(row, transition{rate, int32(meet(l+by, to)), int8(by)})
			})
			c.rows[l] = append(c.rows[l], slices.Clone(row))
			c.kept += stateBytes + transitionBytes*float64(len(row))
		}
	}
	return nil
}

// Regimes returns the chain as one whose phases are in regimes. The error is a *[markov.MemoryError] if its states take
// more memory than allowed.
func (c *levelChain[S]) Regimes(ctx context.Context, memory *markov.Memory) (*markov.Regimes, error) {
	if err := c.explore(ctx, memory); err != nil {
		return nil, err
	}
	q := &markov.Regimes{ByLevels: c.ByLevels, Moves: func(level, i int, add func(by, to int, rate float64)) {
		for _, t := range c.rows[level][i] {
			add(int(t.by), int(t.to), t.rate)
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

// Sparse returns the chain as one that is solved without blocks. The error is a *[markov.MemoryError] if its states take more memory
// than allowed.
func (c *levelChain[S]) Sparse(ctx context.Context, memory *markov.Memory) (*markov.SparseQBD, error) {
	if err := c.explore(ctx, memory); err != nil {
		return nil, err
	}
	q := &markov.SparseQBD{Moves: func(level, i int, add func(by, to int, rate float64)) {
		for _, t := range c.rows[level][i] {
			add(int(t.by), int(t.to), t.rate)
		}
	}}
	for _, phases := range c.phases {
		q.Phases = append(q.Phases, len(phases))
	}
	return q, nil
}

// measures solves the chain of a policy whose largest stable arrival rate is capacity. measure computes the measures from
// the solution.
func (c *levelChain[S]) measures(ctx context.Context, s *System, capacity float64, measure func(*Measures, levelSolution),
	st markov.Settings) (Measures, error) {
	m, stable := newMeasures(s, capacity)
	if !stable {
		return m, nil
	}
	q, err := c.Regimes(ctx, st.Memory)
	if err != nil {
		return m, err
	}
	sol, err := q.Solve(ctx, st)
	if err == nil {
		m.DecayRate, err = sol.DecayRate(ctx)
	}
	if err != nil {
		return m, err
	}
	measure(&m, sol)
	return m, checkConservation(&m, s)
}

// QBD returns the blocks of the chain: boundary levels 0..Repeats and the repeating part above. The error is a
// *[markov.MemoryError] if the blocks, their copies in a solve and the states take more memory than allowed.
func (c *levelChain[S]) QBD(ctx context.Context, memory *markov.Memory) (*markov.QBD, error) {
	if err := c.explore(ctx, memory); err != nil {
		return nil, err
	}
	if err := memory.Check(c.kept + c.bytes()); err != nil {
		return nil, fmt.Errorf("%d levels of up to %d phases: %w", len(c.phases), c.most(), err)
	}
	q := &markov.QBD{}
	q.Repeating = c.level(c.Repeats + 1)
	for l := range c.Repeats + 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q.Boundary = append(q.Boundary, c.level(l))
	}
	return q, nil
}

// bytes returns the size of the blocks and their copies.
func (c *levelChain[S]) bytes() float64 {
	total, lower := 0.0, 0
	for _, states := range c.phases {
		n := len(states)
		total += float64(n) * float64(n+2*lower)
		lower = n
	}
	return 2 * 8 * (total + 3*float64(lower)*float64(lower))
}

// most returns the largest number of phases of a level.
func (c *levelChain[S]) most() int {
	most := 0
	for _, states := range c.phases {
		most = max(most, len(states))
	}
	return most
}

func (c *levelChain[S]) level(l int) markov.Level {
	size := func(l int) int { return len(c.phases[min(l, c.Repeats)]) }
	local, up := mat.NewDense(size(l), size(l), nil), mat.NewDense(size(l), size(l+1), nil)
	lev, down := markov.Level{Up: up, Local: local}, (*mat.Dense)(nil)
	if l > 0 {
		down = mat.NewDense(size(l), size(l-1), nil)
		lev.Down = down
	}
	for i, row := range c.rows[l] {
		for _, t := range row {
			m := []*mat.Dense{down, local, up}[t.by+1]
			m.Set(i, int(t.to), m.At(i, int(t.to))+t.rate)
		}
	}
	return lev
}

// Each calls f for all states with their probabilities. The levels above level Repeats are summed: f is called once for
// each of their phases, with level Repeats+1.
func (c *levelChain[S]) Each(sol levelVectors, f func(level int, s S, p float64)) {
	c.each(sol, func(level, _ int, s S, p float64) { f(level, s, p) })
}

// EachMove calls f for all transitions out of the states of Each, with the rate at which each transition happens.
func (c *levelChain[S]) EachMove(sol levelVectors, f func(level int, s S, by int, to S, flow float64)) {
	c.each(sol, func(level, i int, s S, p float64) {
		for _, t := range c.rows[level][i] {
			by := int(t.by)
			f(level, s, by, c.phases[min(level+by, c.Repeats)][t.to], p*t.rate)
		}
	})
}

// each is Each with the index of each state among the phases of its level.
func (c *levelChain[S]) each(sol levelVectors, f func(level, i int, s S, p float64)) {
	for l := range c.Repeats + 1 {
		for i, p := range sol.Level(l) {
			f(l, i, c.phases[l][i], p)
		}
	}
	for i, p := range sol.RepeatingPhases() {
		f(c.Repeats+1, i, c.phases[c.Repeats][i], p)
	}
}
