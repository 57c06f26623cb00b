package models

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
)

// ErrTooLarge: the chain of a policy has more states than can be solved in reasonable time and memory.
var ErrTooLarge = markov.ErrTooLarge

// ErrUnstable: work arrives at least as fast as it can be done.
var ErrUnstable = markov.ErrUnstable

// maxLevelPhases bounds the phases of a level of a chain written out state by state: dense blocks of this order take about
// a minute and half a gigabyte.
const maxLevelPhases = 1500

// maxRegimePhases bounds the phases of a level of a chain whose phases are in regimes, with whose number it grows like
// the phases of all levels together do: finding so many takes some seconds. What they take in blocks is known afterwards.
const maxRegimePhases = 20_000

// levelVectors is what a solution says of the phases.
type levelVectors interface {
	Level(i int) []float64
	RepeatingPhases() []float64
}

// phase is a state of a chain without its level.
type phase comparable

// levelChain is a chain that is described state by state: from a level and a phase, where to and how fast. From level
// repeats on, moves do not depend on the level. States are found by following the moves from the empty level.
type levelChain[S phase] struct {
	repeats int
	empty   []S // phases of level 0
	// moves calls add for each transition of (level, s) by −1, 0 or +1 levels.
	moves func(level int, s S, add func(by int, to S, rate float64))
	// class, if not nil, says which of the classes of [markov.QBD] a phase of the repeating part belongs to.
	class func(s S) int
	// regime, if not nil, says where a phase belongs in the sense of [markov.Regimes].
	regime func(s S) markov.Regime

	index  []map[S]int // by level 0..repeats; what repeats is last
	phases [][]S
}

// explore finds the states. The last level stands for itself and all above it.
func (c *levelChain[S]) explore(ctx context.Context) error {
	c.index = make([]map[S]int, c.repeats+1)
	c.phases = make([][]S, c.repeats+1)
	for l := range c.index {
		c.index[l] = map[S]int{}
	}
	type visit struct {
		level int
		s     S
	}
	var todo []visit
	meet := func(level int, s S) {
		slot := min(level, c.repeats)
		if _, seen := c.index[slot][s]; !seen {
			c.index[slot][s] = len(c.phases[slot])
			c.phases[slot] = append(c.phases[slot], s)
			todo = append(todo, visit{slot, s})
		}
	}
	for _, s := range c.empty {
		meet(0, s)
	}
	for len(todo) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		v := todo[0]
		todo = todo[1:]
		if most := c.mostPhases(); len(c.phases[v.level]) > most {
			return fmt.Errorf("more than %d phases at level %d: %w", most, v.level, ErrTooLarge)
		}
		levels := []int{v.level}
		if v.level == c.repeats { // departures from there and from above it may lead to different phases
			levels = append(levels, c.repeats+1)
		}
		for _, l := range levels {
			c.moves(l, v.s, func(by int, to S, _ float64) { meet(l+by, to) })
		}
	}
	return nil
}

func (c *levelChain[S]) mostPhases() int {
	if c.regime != nil {
		return maxRegimePhases
	}
	return maxLevelPhases
}

// regimes returns the chain as one whose phases are in regimes.
func (c *levelChain[S]) regimes(ctx context.Context) (*markov.Regimes, error) {
	if err := c.explore(ctx); err != nil {
		return nil, err
	}
	q := &markov.Regimes{Moves: func(level, i int, add func(by, to int, rate float64)) {
		c.moves(level, c.phases[min(level, c.repeats)][i], func(by int, to S, rate float64) {
			add(by, c.index[min(level+by, c.repeats)][to], rate)
		})
	}}
	for _, phases := range c.phases {
		of := make([]markov.Regime, len(phases))
		for i, s := range phases {
			of[i] = c.regime(s)
		}
		q.Of = append(q.Of, of)
	}
	return q, nil
}

// qbd returns the blocks: boundary levels 0..repeats and the repeating part above. It returns a *[markov.MemoryError] if
// they and their copies in a solve take more memory than there is.
func (c *levelChain[S]) qbd(ctx context.Context, memory *markov.Memory) (*markov.QBD, error) {
	if err := c.explore(ctx); err != nil {
		return nil, err
	}
	if err := memory.Check(c.bytes()); err != nil {
		return nil, fmt.Errorf("%d levels of up to %d phases: %w", len(c.phases), c.most(), err)
	}
	q := &markov.QBD{}
	if c.class != nil {
		q.Classes = c.sort()
	}
	q.Repeating = c.level(c.repeats + 1)
	for l := range c.repeats + 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q.Boundary = append(q.Boundary, c.level(l))
	}
	return q, nil
}

// bytes returns what the blocks take, twice.
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

// sort puts the phases of the repeating part in the order of their classes, and returns how many are in each.
func (c *levelChain[S]) sort() (orders []int) {
	last := c.phases[c.repeats]
	slices.SortStableFunc(last, func(a, b S) int { return cmp.Compare(c.class(a), c.class(b)) })
	for i, s := range last {
		c.index[c.repeats][s] = i
		for k := c.class(s); len(orders) <= k; {
			orders = append(orders, 0)
		}
		orders[c.class(s)]++
	}
	return slices.DeleteFunc(orders, func(n int) bool { return n == 0 })
}

func (c *levelChain[S]) level(l int) markov.Level {
	slot := func(l int) int { return min(l, c.repeats) }
	size := func(l int) int { return len(c.phases[slot(l)]) }
	blocks := map[int]*mat.Dense{0: mat.NewDense(size(l), size(l), nil), 1: mat.NewDense(size(l), size(l+1), nil)}
	if l > 0 {
		blocks[-1] = mat.NewDense(size(l), size(l-1), nil)
	}
	for i, s := range c.phases[slot(l)] {
		c.moves(l, s, func(by int, to S, rate float64) {
			j := c.index[slot(l+by)][to]
			blocks[by].Set(i, j, blocks[by].At(i, j)+rate)
		})
	}
	lev := markov.Level{Up: blocks[1], Local: blocks[0]}
	if l > 0 {
		lev.Down = blocks[-1]
	}
	return lev
}

// each calls f for all states with their probabilities; for phases above level repeats once, with level repeats+1 and all
// of them.
func (c *levelChain[S]) each(sol levelVectors, f func(level int, s S, p float64)) {
	add := func(level int, pi []float64) {
		for i, p := range pi {
			f(level, c.phases[min(level, c.repeats)][i], p)
		}
	}
	for l := range c.repeats + 1 {
		add(l, sol.Level(l))
	}
	add(c.repeats+1, sol.RepeatingPhases())
}
