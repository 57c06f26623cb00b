package markov

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/incomplete"
)

// Stationary returns the stationary probability vector of a finite chain with generator q, n×n, whose states have one
// closed class. The diagonal of q is not read. The elimination of Grassmann, Taksar and Heyman subtracts nothing, so each
// component is accurate to about n rounding errors, whatever its size. The error is
//   - a *[BlockError] for a negative or undefined rate,
//   - ErrTooLarge if the block takes more than [parallel.DefaultMemory],
//   - ErrReducible if there are several closed classes,
//   - the error of ctx.
//
// References: W. K. Grassmann, M. I. Taksar, D. P. Heyman, Oper. Res. 33 (1985) 1107–1116; relative error bound by C. A.
// O'Cinneide, Numer. Math. 65 (1993) 109–120.
func Stationary(ctx context.Context, q mat.Matrix) ([]float64, error) {
	n := block.Order(q)
	if err := checkStates(n); err != nil {
		return nil, prefixed(err)
	}
	p, err := checkSquare(ctx, q, n)
	if err != nil {
		return nil, prefixed(err)
	}
	pi, err := block.StationaryGTH(ctx, p)
	return finished(ctx, pi, err)
}

// checkSquare returns a copy of the rates between n states, without the diagonal.
func checkSquare(ctx context.Context, m mat.Matrix, n int) (block.Matrix, error) {
	p, err := checkBlock(ctx, 0, "local", m, n, n)
	if err == nil && n == 0 {
		err = blockError(0, "local", -1, -1, "is empty")
	}
	return p, err
}

// checkStates returns an error if a dense block of n states takes more than [parallel.DefaultMemory].
func checkStates(n int) error {
	if err := (*Memory)(nil).Check(8 * float64(n) * float64(n)); err != nil {
		return fmt.Errorf("%d states: %w", n, err)
	}
	return nil
}

// Stationary returns the stationary probability vector of a chain that cannot be left and has one closed class. States
// outside the closed class get zero. Up to 600 states are solved as a dense block, as by the function [Stationary], more of them
// by iterative refinement ([iteration]) if it converges. Each component has a small relative error. The error is
//   - ErrReducible if the chain can be left or has more than one closed class,
//   - ErrNoConvergence if the iteration does not converge,
//   - ErrInaccurate, with the vector, if the residual is above 1e-10,
//   - the error of ctx.
func (c *Chain) Stationary(ctx context.Context) ([]float64, Diagnostics, error) {
	pi, d, err := c.stationary(ctx)
	return pi, d, prefixed(err)
}

// stationary is [Chain.Stationary] without the prefix of its errors.
func (c *Chain) stationary(ctx context.Context) ([]float64, Diagnostics, error) {
	began := time.Now()
	switch {
	case c == nil || c.States() == 0:
		return nil, Diagnostics{}, fmt.Errorf("a chain without states: %w", ErrReducible)
	case floats.Max(c.leave) > 0:
		i := slices.IndexFunc(c.leave, func(rate float64) bool { return rate > 0 })
		return nil, Diagnostics{}, fmt.Errorf("the chain is left for good from state %d: %w", i, ErrReducible)
	}
	n := c.States()
	if n > denseStates {
		pi, d, err := c.iterated(ctx, began)
		if n > mostDenseStates || !errors.Is(err, ErrNoConvergence) {
			return pi, d, err
		}
	}
	p := block.New(n, n)
	for i := range n {
		if block.Stopped(ctx, i) {
			break
		}
		to, rates := c.row(i)
		for e, j := range to {
			p.Row(i)[j] = rates[e]
		}
	}
	pi, err := block.StationaryGTH(ctx, p)
	if ctx.Err() != nil {
		return nil, Diagnostics{}, ctx.Err()
	}
	if err != nil {
		return nil, Diagnostics{}, err
	}
	d := Diagnostics{
		Method: "elimination", Residual: c.residual(pi), States: n, Seconds: time.Since(began).Seconds(),
	}
	d.ErrorBound = block.GTHBound(n) + d.Residual
	return pi, d, d.Check(0)
}

// denseStates is the largest number of states that are solved as a dense block at once, as more take longer than an iteration. Up to
// mostDenseStates are solved so if the iteration does not converge.
const denseStates, mostDenseStates = 600, 5000

// iterated returns the stationary vector of a large chain. The error bound is the largest relative correction of a probability in the
// last round.
func (c *Chain) iterated(ctx context.Context, began time.Time) ([]float64, Diagnostics, error) {
	class, err := c.closedClass()
	if err != nil {
		return nil, Diagnostics{}, err
	}
	closed := c.restricted(class)
	start, err := closed.eliminatedStart(ctx)
	if err != nil {
		return nil, Diagnostics{}, err
	}
	const mostSmoothings, settled = 3000, 1e-3
	for range mostSmoothings {
		if closed.smooth(start) < settled || ctx.Err() != nil {
			break
		}
	}
	s, err := newIteration(ctx, closed, start, nil)
	if err == nil {
		err = s.refine(ctx, iterationTol)
	}
	if err != nil {
		return nil, Diagnostics{}, err
	}
	pi := make([]float64, c.States())
	total := block.Sum(s.x)
	for k, i := range class {
		pi[i] = s.x[k] / total
	}
	d := Diagnostics{
		Method: "iteration", Iterations: s.steps, Residual: c.residual(pi), States: c.States(), Seconds: time.Since(began).Seconds(),
	}
	d.ErrorBound = s.largest + iterationTol
	return pi, d, d.Check(0)
}

// eliminatedStart returns an approximation of the stationary vector, by an incomplete elimination of the chain itself. With the
// factors (I − L)·(diag(pivots) − R), the vector is the last row of (I − L)⁻¹, all terms of which are positive. So probabilities
// over many decades have the right magnitude. States that are lost to dropped transitions get the smallest probability of the
// others.
func (c *Chain) eliminatedStart(ctx context.Context) ([]float64, error) {
	f, err := incomplete.Eliminate(ctx, c.rows(), c.out, firstDrop, nil)
	if err != nil {
		return nil, err
	}
	x := make([]float64, c.States())
	x[len(x)-1] = 1
	least := 1.0
	for i := range slices.Backward(x) {
		const huge = 1e200
		if x[i] > huge {
			floats.Scale(1/huge, x)
			least = max(least/huge, math.SmallestNonzeroFloat64)
		}
		v := x[i]
		if v > 0 {
			least = min(least, v)
		}
		for e := f.Lower.Start[i]; e < f.Lower.Start[i+1]; e++ {
			x[f.Lower.To[e]] += v * f.Lower.Rate[e]
		}
	}
	for i, v := range x {
		x[i] = max(v, least)
	}
	floats.Scale(1/block.Sum(x), x)
	return x, ctx.Err()
}

// rows returns the rates between states as the rows of a matrix. They share the storage of the chain.
func (c *Chain) rows() incomplete.Rows {
	rates := incomplete.Rows{Start: make([]int, len(c.start)), To: c.to, Rate: c.rate}
	for i, at := range c.start {
		rates.Start[i] = int(at)
	}
	return rates
}

// closedClass returns the states of the only closed class. The error is ErrReducible if there are several.
func (c *Chain) closedClass() ([]int32, error) {
	t := &localBlock{rows: make([][]move, c.States())}
	for i := range t.rows {
		to, rates := c.row(i)
		for e, j := range to {
			t.rows[i] = append(t.rows[i], move{to: j, rate: rates[e]})
		}
	}
	t.findGroups()
	// A group comes after the groups to which it leads. So the first is closed.
	in := make([]bool, c.States())
	for k, g := range t.groups {
		leaves := false
		for _, i := range g.phases {
			to, _ := c.row(int(i))
			for _, j := range to {
				leaves = leaves || in[j]
			}
		}
		if k > 0 && !leaves {
			return nil, fmt.Errorf("states in more than one closed class: %w", ErrReducible)
		}
		for _, i := range g.phases {
			in[i] = true
		}
	}
	class := slices.Clone(t.groups[0].phases)
	slices.Sort(class)
	return class, nil
}

// restricted returns the chain of a closed class alone.
func (c *Chain) restricted(class []int32) *Chain {
	place := make([]int, c.States())
	for k, i := range class {
		place[i] = k
	}
	b := newChainBuilder(len(class))
	for k, i := range class {
		to, rates := c.row(int(i))
		for e, j := range to {
			b.add(k, place[j], rates[e])
		}
		_ = b.endState(k) // rates of a chain are valid
	}
	return b.chain
}

// imbalance returns ‖inflow − x·diag(out)‖₁ relative to the flow Σ x_i·out_i, or to least if the flow is less. It
// overwrites inflow.
func imbalance(inflow, x, out []float64, least float64) float64 {
	flow := 0.0
	for i, xi := range x {
		inflow[i] -= xi * out[i]
		flow += xi * out[i]
	}
	flow = max(flow, least)
	switch off := floats.Norm(inflow, 1); {
	case off == 0:
		return 0
	case flow == 0:
		return math.Inf(1)
	default:
		return off / flow
	}
}
