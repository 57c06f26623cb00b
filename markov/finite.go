package markov

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// FiniteQBD is a chain on finitely many levels that moves by one level at most. Levels may differ in size and rates, so
// that it is also what a level-dependent quasi-birth-and-death process becomes when it is cut off at a level: M/M/∞ at
// many jobs, a closed queueing network, a queue with a finite buffer. Up of level i is n_i×n_{i+1} (nil in the last
// level), Down n_i×n_{i−1} (nil at level 0).
type FiniteQBD struct{ Levels []Level }

// Solve returns the stationary distribution by linear level reduction: levels are eliminated from 0 upward and found by
// back substitution; diagonals are sums of the other rates, so that nothing is ever subtracted and rare levels keep
// their digits. It costs Σ n_i³ and holds one block for each level; of the settings it looks at the tolerance and the
// memory. It returns a *[BlockError] for wrong blocks, which wraps ErrReducible for states that are never left, a
// *[MemoryError] for more than st.Memory, ErrInaccurate, and the error of ctx soon after that ends.
//
// Reference: D. P. Gaver, P. A. Jacobs, G. Latouche, Finite birth-and-death models in randomly changing environments,
// Adv. Appl. Probab. 16 (1984) 715–731.
func (q *FiniteQBD) Solve(ctx context.Context, st Settings) (*FiniteSolution, error) {
	s, err := q.solve(ctx, st)
	if ctx.Err() != nil {
		return nil, prefixed(ctx.Err())
	}
	return s, prefixed(err)
}

func (q *FiniteQBD) solve(ctx context.Context, st Settings) (*FiniteSolution, error) {
	began := time.Now()
	if q != nil {
		bytes, phases := levelBytes(q.Levels)
		release, err := st.Memory.Reserve(ctx, bytes)
		if err != nil {
			return nil, fmt.Errorf("%d levels of up to %d phases: %w", len(q.Levels), phases, err)
		}
		defer release()
	}
	levels, err := q.check(ctx)
	if err != nil {
		return nil, err
	}
	ws, rates, err := forwardElimination(ctx, levels)
	if err != nil {
		return nil, err
	}
	last := len(levels) - 1
	x, err := block.StationaryGTH(ctx, rates)
	if err != nil {
		return nil, blockError(last, "local", -1, -1, "states in more than one closed class: %w", ErrReducible)
	}
	pi := backSubstitution(levels, ws, x)
	pi.normalise(0)
	states := 0
	for _, x := range pi.levels {
		states += len(x)
	}
	s := &FiniteSolution{levels: pi.levels, diagnostics: Diagnostics{
		Method: "level-reduction", Phases: len(x), States: states, Residual: finiteResidual(levels, pi),
		Seconds: time.Since(began).Seconds(),
	}}
	pi.unscale()
	s.diagnostics.ErrorBound = gthBound(states) + s.diagnostics.Residual
	return s, s.diagnostics.Check(st.Tolerance)
}

// check copies the blocks, without diagonals.
func (q *FiniteQBD) check(ctx context.Context) ([]denseLevel, error) {
	if q == nil || len(q.Levels) == 0 {
		return nil, blockError(0, "local", -1, -1, "there is no level")
	}
	sizes := make([]int, len(q.Levels)+1)
	for i, lev := range q.Levels {
		if block.Missing(lev.Local) {
			return nil, blockError(i, "local", -1, -1, "is missing")
		}
		if sizes[i], _ = lev.Local.Dims(); sizes[i] == 0 {
			return nil, blockError(i, "local", -1, -1, "is empty")
		}
	}
	levels := make([]denseLevel, len(q.Levels))
	for i, lev := range q.Levels {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		d := &levels[i]
		if d.Local, err = checkBlock(ctx, i, "local", lev.Local, sizes[i], sizes[i]); err != nil {
			return nil, err
		}
		if i+1 < len(levels) {
			if d.Up, err = checkBlock(ctx, i, "up", lev.Up, sizes[i], sizes[i+1]); err != nil {
				return nil, err
			}
		} else if !block.Missing(lev.Up) {
			return nil, blockError(i, "up", -1, -1, "leads out of the last level")
		}
		if i > 0 {
			if d.Down, err = checkBlock(ctx, i, "down", lev.Down, sizes[i], sizes[i-1]); err != nil {
				return nil, err
			}
		} else if !block.Missing(lev.Down) {
			return nil, blockError(i, "down", -1, -1, "leads out of the first level")
		}
		if err := d.checkDiagonals(i, lev.Local); err != nil {
			return nil, err
		}
	}
	return levels, nil
}

// finiteResidual returns the largest ‖(πQ)_l‖₁ of a level, relative to the flow through it.
func finiteResidual(levels []denseLevel, pi scaledLevels) float64 {
	worst := 0.0
	for l, x := range pi.levels {
		lev := levels[l]
		diff, out := block.VecMul(x, lev.Local), lev.Local.RowSums()
		if l+1 < len(levels) {
			floats.Add(out, lev.Up.RowSums())
			block.VecMulAdd(diff, pi.of(l+1, l), levels[l+1].Down)
		}
		if l > 0 {
			floats.Add(out, lev.Down.RowSums())
			block.VecMulAdd(diff, pi.of(l-1, l), levels[l-1].Up)
		}
		worst = max(worst, imbalance(diff, x, out))
	}
	return worst
}

// gthBound is the relative error of a component of a stationary vector by elimination without subtractions: in practice
// some roundings for each state that a path is censored through, of which long paths meet as many as there are states.
//
// Reference: C. A. O'Cinneide, Entrywise perturbation theory and error analysis for Markov chains, Numer. Math. 65
// (1993) 109–120.
func gthBound(states int) float64 { return 2 * block.UnitRoundoff * float64(states+4) }

// imbalance returns ‖inflow − x·diag(out)‖₁ relative to the flow; it overwrites inflow.
func imbalance(inflow, x, out []float64) float64 {
	flow := 0.0
	for i, xi := range x {
		inflow[i] -= xi * out[i]
		flow += xi * out[i]
	}
	switch off := floats.Norm(inflow, 1); {
	case off == 0:
		return 0
	case flow == 0:
		return math.Inf(1)
	default:
		return off / flow
	}
}

// FiniteSolution is the stationary distribution of a [FiniteQBD].
type FiniteSolution struct {
	levels      [][]float64
	diagnostics Diagnostics
}

// Level returns the probabilities of the phases of level i, nil if there is none.
func (s *FiniteSolution) Level(i int) []float64 {
	if i < 0 || i >= len(s.levels) {
		return nil
	}
	return append([]float64(nil), s.levels[i]...)
}

// Probability returns P(level = i).
func (s *FiniteSolution) Probability(i int) float64 {
	if i < 0 || i >= len(s.levels) {
		return 0
	}
	return block.Sum(s.levels[i])
}

// Tail returns P(level > i).
func (s *FiniteSolution) Tail(i int) float64 {
	if i < 0 {
		return 1
	}
	total := 0.0
	for l := len(s.levels) - 1; l > i; l-- {
		total += block.Sum(s.levels[l])
	}
	return total
}

// Mean returns the mean level.
func (s *FiniteSolution) Mean() float64 {
	mean := 0.0
	for l, x := range s.levels {
		mean += float64(l) * block.Sum(x)
	}
	return mean
}

// Variance returns the variance of the level.
func (s *FiniteSolution) Variance() float64 {
	mean, sum := s.Mean(), 0.0
	for l, x := range s.levels {
		d := float64(l) - mean
		sum += d * d * block.Sum(x)
	}
	return sum
}

// Diagnostics says how the solution was found and how good it is.
func (s *FiniteSolution) Diagnostics() Diagnostics { return s.diagnostics }
