// Package levels turns chains that are described state by state into chains that package markov solves:
// quasi-birth-and-death processes, whose levels are numbers of jobs. It finds the states, makes dense blocks, phases in
// regimes or sparse rows of them, and visits the states of a solution.
package levels

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
)

// MostDensePhases is the largest number of phases of a level of a chain that is written out state by state. Dense blocks
// of this order take about a minute and half a gigabyte.
const MostDensePhases = 1500

// MostRegimePhases is the largest number of phases of a level of a chain whose phases are in regimes. Finding that many
// phases takes some seconds. The memory of their blocks is known only afterwards.
const MostRegimePhases = 20_000

// Chain is a chain of levels with phases of type S, described by its transitions. From level Repeats+1 on,
// transitions do not depend on the level. States are found by following the transitions from the empty level.
type Chain[S comparable] struct {
	Repeats int
	Empty   []S // phases of level 0
	// Moves calls add for each transition out of (level, s): by −1, 0 or +1 levels, to a phase, at a rate.
	Moves func(level int, s S, add func(by int, to S, rate float64))
	// Regime, if not nil, returns the regime of a phase in the sense of [markov.Regimes].
	Regime   func(s S) int
	ByLevels bool // how the regimes are solved, see [markov.Regimes]
	// MostPhases is the largest number of phases of a level, 0 for MostDensePhases.
	MostPhases int
	// OfArrivals, if not nil, reports whether a transition belongs to the arrival process, see [Chain.WithArrivals].
	OfArrivals func(by int, from, to S) bool

	phases   [][]S            // by level 0..Repeats; the last list holds for all levels above, too
	rows     [][][]transition // by level 0..Repeats+1 and phase
	kept     float64          // bytes of states and transitions
	explored bool             // all states and transitions are found
	speedup  float64          // of the arrivals, relative to the rates of the transitions
}

// transition leads by some levels to a phase.
type transition struct {
	rate       float64
	to         int32
	by         int8
	ofArrivals bool
}

// WithArrivals returns the chain with all rates of the arrival process multiplied by speedup. The states must have been
// found; both chains share them. So the states of a system are found once for all its arrival rates.
func (c *Chain[S]) WithArrivals(speedup float64) *Chain[S] {
	other := *c
	other.speedup *= speedup
	return &other
}

// rate returns the rate of a transition.
func (c *Chain[S]) rate(t transition) float64 {
	if t.ofArrivals {
		return t.rate * c.speedup
	}
	return t.rate
}

// States returns the phases of a boundary level, 0..Repeats, after they have been found. All levels above have the
// phases of the last level.
func (c *Chain[S]) States(level int) []S { return c.phases[level] }

// transitionBytes is the size of a transition. listBytes is the size of a list of transitions with the other data of a
// state.
const transitionBytes, listBytes = float64(unsafe.Sizeof(transition{})), 64

// stateCopies is the number of copies of a state: among the phases, in the map of their indices and in the queue of
// states to visit, each with spare room.
const stateCopies = 6

// levelBytes is the size of a level without its states: three lists and a map of indices.
const levelBytes = 256

// regimeBlocks is the number of square blocks that the elimination of regimes stores for each level of a regime.
const regimeBlocks = 2

// regimeLevel is a level of a regime.
type regimeLevel struct{ level, regime int }

// Explore finds the states and their transitions, once. The last level stands for itself and all levels above. The search
// ends with an error that wraps [markov.ErrTooLarge] as soon as it takes more memory than allowed. The memory holds
// levels, states and transitions, and the blocks of regimes that are eliminated.
func (c *Chain[S]) Explore(ctx context.Context, memory *markov.Memory) error {
	if c.explored {
		return memory.Check(c.kept)
	}
	if err := c.checkLevels(memory); err != nil {
		return err
	}
	c.kept = levelBytes * float64(c.Repeats+1)
	blocks, found := 0.0, map[regimeLevel]int{}
	mostPhases := cmp.Or(c.MostPhases, MostDensePhases)
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
			if c.Regime != nil && !c.ByLevels { // a block of one more row and column
				of := regimeLevel{slot, c.Regime(s)}
				blocks += 8 * regimeBlocks * float64(2*found[of]+1)
				found[of]++
			}
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
			return TakesTooLong("more than %d phases at level %d", mostPhases, v.level)
		}
		if err := memory.Check(c.kept + blocks); err != nil {
			if limit := (*parallel.LimitError)(nil); errors.As(err, &limit) {
				limit.Partial = true
			}
			return fmt.Errorf("%d levels, the states of which are not all found: %w", len(c.phases), err)
		}
		levels := []int{v.level}
		if v.level == c.Repeats { // departures from level Repeats and from the level above may lead to different phases
			levels = append(levels, c.Repeats+1)
		}
		for _, l := range levels { // the phases of each level are visited in order, so rows can be appended
			row = row[:0]
			c.Moves(l, v.s, func(by int, to S, rate float64) {
				ofArrivals := c.OfArrivals != nil && c.OfArrivals(by, v.s, to)
				row = append(row, transition{rate, int32(meet(l+by, to)), int8(by), ofArrivals})
			})
			c.rows[l] = append(c.rows[l], slices.Clone(row))
			c.kept += stateBytes + transitionBytes*float64(len(row))
		}
	}
	c.explored, c.speedup = true, 1
	return nil
}

// TakesTooLong returns a *[parallel.LimitError] that wraps [markov.ErrTooLarge]. A chain of this size would take
// minutes to solve. The arguments, as for [fmt.Sprintf], say what is too large.
func TakesTooLong(format string, args ...any) error {
	return &parallel.LimitError{What: fmt.Sprintf(format, args...), Resource: parallel.Time, Kind: markov.ErrTooLarge}
}

// MostLevels is the largest number of levels of a chain. More take days to find and to solve.
const MostLevels = 1 << 30

// checkLevels returns an error if there are more than MostLevels levels, or if the levels alone, without their states, take more
// memory than allowed. The error wraps a *[parallel.LimitError] and [markov.ErrTooLarge].
func (c *Chain[S]) checkLevels(memory *markov.Memory) error {
	if c.Repeats >= MostLevels {
		return TakesTooLong("more than %d levels", MostLevels)
	}
	if err := memory.Check(levelBytes * float64(c.Repeats+1)); err != nil {
		return fmt.Errorf("%d levels: %w", c.Repeats+1, err)
	}
	return nil
}

// Largest returns the largest number of phases of a level.
func (c *Chain[S]) Largest() int {
	largest := 0
	for _, states := range c.phases {
		largest = max(largest, len(states))
	}
	return largest
}
