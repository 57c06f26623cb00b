package markov

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/poisson"
)

// TransientSolution is the distribution of a [QBD] at a time, on its levels up to a level at which the process was cut.
// Paths that have been above that level are missing. So the probability of every level, phase and tail is too low by at
// most Lost, and never too high, apart from rounding.
type TransientSolution struct {
	levelVectors
	// Levels is the number of levels that were kept, 0 to Levels−1.
	Levels int
	// Lost is the probability that the process was above these levels at some time up to t. It is computed as the probability
	// of an absorbing state, and is at most the Tolerance of the settings.
	Lost float64
	// MeanLost is an upper bound on the error of the mean. A lost path is at level L = Levels when it is lost. Afterwards it
	// jumps upward at most at the rate u, the largest upward rate of all states. So E[level at t] ≤ Mean() + Lost·(L + u·t).
	// The second moment is too low by at most Lost·((L + u·t)² + u·t).
	MeanLost float64
}

// Transient returns the distribution at time t ≥ 0 of a process with initial distribution start: start[i] holds the
// probabilities of the phases of level i, and missing levels have probability zero. The process need not be stable.
//
// Levels are cut where at most st.Tolerance (0 means 1e-10) of the mass has been above them up to time t. The number of
// jumps upward is at most the number of events of a Poisson process of rate u, the largest upward rate. This gives a
// number of levels that is always enough. Fewer levels are tried first, because the mass lost above them is computed,
// too. [Chain.Transient] solves the remaining levels. Of the settings, the tolerance and the memory are used.
// ErrorBound of the diagnostics bounds the sum of the absolute errors of all probabilities: the lost mass, the omitted
// Poisson weights and the rounding errors.
//
// The error is
//   - a *[BlockError] for wrong blocks, a start that is not a distribution or a negative time,
//   - a *[parallel.LimitError] if the solve needs more than st.Memory,
//   - ErrTooLarge if uniformization takes too many steps,
//   - ErrInaccurate if rounding errors may sum to one, or the lost mass exceeds the tolerance, which is possible below
//     1e-30 only,
//   - the error of ctx.
//
// Reference: W. K. Grassmann, Transient solutions in Markovian queueing systems, Comput. Oper. Res. 4 (1977) 47–53.
func (q *QBD) Transient(ctx context.Context, start [][]float64, t float64, st Settings) (*TransientSolution, error) {
	s, err := q.transient(ctx, start, t, st)
	return finished(ctx, s, err)
}

// transient is [QBD.Transient] without the prefix of its errors. The chain is cut off above a number of levels, and mass
// that moves higher is lost. The number is doubled until the lost mass is at most the tolerance.
func (q *QBD) transient(ctx context.Context, start [][]float64, t float64, st Settings) (*TransientSolution, error) {
	began := time.Now()
	tolerance, err := st.tolerance()
	if err != nil {
		return nil, err
	}
	if err := q.checkMemory(st.Memory); err != nil {
		return nil, err
	}
	c, err := q.check(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.checkStart(start, t); err != nil {
		return nil, err
	}
	// The number of upward moves until t is at most a Poisson variable with mean jumps. So enough levels always suffice.
	jumps := c.fastestUp() * t
	first := max(len(start), len(c.boundary)+1)
	enough := math.MaxInt32 // a chain has no more states
	if jumps < maxSteps {
		enough = first + poisson.Above(jumps, tolerance)
	}
	for levels := min(enough, first+fewLevels); ; levels = min(enough, 2*levels) {
		x, bound, err := c.at(ctx, start, t, levels, st.Memory)
		if err != nil {
			return nil, err
		}
		lost := x[len(x)-1]
		switch {
		case !(bound < 1):
			return nil, fmt.Errorf("no digit is certain after a time of %.3g: %w", t, ErrInaccurate)
		case lost > tolerance && levels < enough:
			continue
		case !(lost <= tolerance):
			return nil, fmt.Errorf("the mass lost is %.2g, more than %.2g: %w", lost, tolerance, ErrInaccurate)
		}
		s := &TransientSolution{Levels: levels, Lost: lost, MeanLost: lost * (float64(levels) + jumps)}
		for l := range levels {
			n := c.level(l).Local.Rows
			s.levels, x = append(s.levels, x[:n:n]), x[n:]
		}
		s.first, s.levels = levels-1, append(s.levels, nil)
		s.next = func([]float64) []float64 { return nil }
		s.diagnostics = Diagnostics{Method: "uniformization", Phases: c.repeating.Local.Rows, States: c.states(levels),
			ErrorBound: bound + lost, Seconds: time.Since(began).Seconds()}
		if bound > doubtful {
			s.diagnostics.Warnings = []error{fmt.Errorf("about %d digits are certain after a time of %.3g", s.diagnostics.Digits(), t)}
		}
		return s, nil
	}
}

// checkMemory returns an error if the blocks of the process alone exceed the limit.
func (q *QBD) checkMemory(m *Memory) error {
	if q == nil {
		return nil
	}
	bytes, _ := levelBytes(append(slices.Clip(q.Boundary), q.Repeating))
	if err := m.Check(bytes); err != nil {
		return fmt.Errorf("%d levels of blocks: %w", len(q.Boundary)+1, err)
	}
	return nil
}

// fewLevels is the number of levels above the start that are tried first.
const fewLevels = 32

// states returns the number of states of the first levels.
func (c levelChain) states(levels int) int {
	n := 0
	for l := range min(levels, len(c.boundary)) {
		n += c.boundary[l].Local.Rows
	}
	return n + max(0, levels-len(c.boundary))*c.repeating.Local.Rows
}

// checkStart returns a *[BlockError] if start is no distribution over the levels, or t no time.
func (c levelChain) checkStart(start [][]float64, t float64) error {
	if !(t >= 0) || math.IsInf(t, 1) {
		return blockError(0, "time", -1, -1, "%v is not a time", t)
	}
	sum := 0.0
	for l, x := range start {
		if n := c.level(l).Local.Rows; len(x) != n && len(x) > 0 {
			return blockError(l, "start", -1, -1, "has %d entries, the level has %d phases", len(x), n)
		}
		for i, p := range x {
			if !(p >= 0) || math.IsInf(p, 1) {
				return blockError(l, "start", -1, i, "%v is not a probability", p)
			}
			sum += p
		}
	}
	if !SumsToOne(sum) {
		return blockError(0, "start", -1, -1, "the probabilities of all levels sum to %v, not to 1", sum)
	}
	return nil
}

// fastestUp returns the largest rate upward of a state.
func (c levelChain) fastestUp() float64 {
	most := 0.0
	for l := range len(c.boundary) + 1 {
		for _, rate := range c.level(l).Up.RowSums() {
			most = max(most, rate)
		}
	}
	return most
}

// at returns the probabilities of the states of the first levels at time t, followed by the probability of having been
// above these levels. The bound on the errors comes from [Chain.Transient].
func (c levelChain) at(ctx context.Context, start [][]float64, t float64, levels int, m *Memory) ([]float64, float64, error) {
	n := c.states(levels)
	release, err := m.Reserve(ctx, c.bytes(levels))
	if err != nil {
		return nil, 0, fmt.Errorf("%d levels with %d states: %w", levels, n, err)
	}
	defer release()
	b := newChainBuilder(n + 1)
	x := make([]float64, n+1)
	from, below := 0, 0 // the first states of the level and of the level below it
	for l := range levels {
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		lev := c.level(l)
		size := lev.Local.Rows
		if l < len(start) {
			copy(x[from:], start[l])
		}
		for i := range size {
			addRow(b, from+i, lev.Local.Row(i), from)
			if l > 0 {
				addRow(b, from+i, lev.Down.Row(i), below)
			}
			// State n stands for all states above the levels. It is never left.
			if l+1 < levels {
				addRow(b, from+i, lev.Up.Row(i), from+size)
			} else {
				b.add(from+i, n, block.Sum(lev.Up.Row(i)))
			}
			if err := b.endState(from + i); err != nil {
				return nil, 0, err
			}
		}
		from, below = from+size, from
	}
	if err := b.endState(n); err != nil {
		return nil, 0, err
	}
	return b.chain.transient(ctx, x, t)
}

// addRow adds a row of a block as transitions from state i to the states first, first+1, ….
func addRow(b *chainBuilder, i int, row []float64, first int) {
	for j, rate := range row {
		b.add(i, first+j, rate)
	}
}

// bytes returns an upper bound on the memory of the blocks, of the chain of the given number of levels, and of its
// transient solution. levels must exceed the number of boundary levels.
func (c levelChain) bytes(levels int) float64 {
	transitions, entries := 0.0, 0
	for l := range len(c.boundary) + 1 {
		lev, count := c.level(l), 0.0
		for _, m := range []block.Matrix{lev.Up, lev.Local, lev.Down} {
			entries += len(m.Data)
			for _, rate := range m.Data {
				if rate > 0 {
					count++
				}
			}
		}
		if l == len(c.boundary) {
			count *= float64(levels - l)
		}
		transitions += count
	}
	states := float64(c.states(levels))
	bytes := 8*float64(entries) + 32*transitions + 64*states
	if states <= maxStiffStates {
		bytes += 16 * states * states
	}
	return bytes
}
