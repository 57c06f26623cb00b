package markov

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/incomplete"
	"github.com/partwise/partwise/markov/internal/reduction"
)

// iteration finds the stationary vector x of a large sparse chain by iterative refinement. Each round computes the
// residual x·Q with 31 digits, and solves d·Q = x·Q by GMRES, preconditioned by an incomplete elimination. Then d is
// the error of x, and x − d is the next vector. So the last d, the last correction, tells how accurate the vector
// before was, whatever the condition of the chain. The last correction is the certificate of the solution.
//
// The linear equations belong to the chain in reversed time, whose rates are x_j·q_ji/x_i. Their unknowns are the
// relative corrections d_i/x_i, so that small probabilities get digits as well. The incomplete elimination of the
// reversed chain keeps the vector x, as the sums of its rows are kept. The elimination of the chain itself would keep
// the vector of ones, and could make a stable queue unstable.
//
// References: Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., SIAM, 2003, ch. 10; C. B. Moler, Iterative
// refinement in floating point, J. ACM 14 (1967) 316–321.
type iteration struct {
	chain   *Chain
	x       []float64 // the stationary vector
	scale   []float64 // the vector x for which the chain was reversed
	factor  *incomplete.Factor
	drop    float64
	largest float64 // relative size of the last correction of an entry
	solved  bool    // the linear equations of the last round, to roundTol
	steps   int     // of GMRES in all rounds
}

// Settings of the iteration.
const (
	firstDrop  = 0.02 // see incomplete.Factor: with 0.004 the factors were twice as large, and the iteration took as long
	leastDrop  = 1e-6
	roundSteps = 40   // steps of GMRES in a round, each of which keeps a vector; see gmresSteps
	roundTol   = 1e-6 // reduction of the residual at which a round ends
	mostRounds = 40
	// iterationTol is the relative correction of each entry at which the iteration ends, a few dozen roundings.
	iterationTol = 1e-14
	roundGain    = 0.1 // a correction must be smaller than the one before by this factor
	smallChange  = 0.1 // relative corrections up to which the reversed chain stays the same
)

// newIteration prepares the iteration for a chain, with a positive start vector. It takes the storage of an earlier iteration, if
// any.
func newIteration(ctx context.Context, c *Chain, start []float64, old *incomplete.Factor) (*iteration, error) {
	s := &iteration{chain: c, drop: firstDrop, x: start, largest: 1, factor: old}
	return s, s.reverse(ctx)
}

// smooth improves x by a step of the damped power method: each state receives half of what flows into it. It returns the largest
// relative change of an entry.
func (c *Chain) smooth(x []float64) (change float64) {
	inflow := make([]float64, len(x))
	for i, v := range x {
		to, rates := c.row(i)
		for e, j := range to {
			inflow[j] += v * rates[e]
		}
	}
	for i, v := range inflow {
		next := (x[i] + v/c.out[i]) / 2
		change = max(change, math.Abs(next-x[i])/x[i])
		x[i] = next
	}
	return change
}

// reversedRates returns the rates x_j·q_ji/x_i of the chain in reversed time.
func (c *Chain) reversedRates(x []float64) incomplete.Rows {
	n := c.States()
	r := incomplete.Rows{Start: make([]int, n+1), To: make([]int32, len(c.to)), Rate: make([]float64, len(c.to))}
	for _, j := range c.to {
		r.Start[j+1]++
	}
	for i := range n {
		r.Start[i+1] += r.Start[i]
	}
	next := slices.Clone(r.Start[:n])
	for i, v := range x {
		to, rates := c.row(i)
		for e, j := range to {
			at := next[j]
			next[j]++
			r.To[at], r.Rate[at] = int32(i), v*rates[e]/x[j]
		}
	}
	return r
}

// reverse makes the reversed chain for the present vector, and its incomplete elimination.
func (s *iteration) reverse(ctx context.Context) (err error) {
	const least = 1e-290
	for i, p := range s.x {
		s.x[i] = max(p, least)
	}
	s.scale = slices.Clone(s.x)
	s.collect()
	s.factor, err = incomplete.Eliminate(ctx, s.chain.reversedRates(s.scale), s.chain.out, s.drop, s.factor)
	if err == nil {
		s.factor.Pivots[len(s.x)-1] = 0 // x is determined up to a factor
	}
	return err
}

// refine corrects x until the relative correction of each entry is at most tol, or no longer becomes smaller. Where
// rounds gain little because GMRES does not solve their equations, the incomplete elimination is made again and drops
// less. The error is ErrNoConvergence or the error of ctx.
func (s *iteration) refine(ctx context.Context, tol float64) error {
	const stalled = 1e-11
	for range mostRounds {
		last := s.largest
		if err := s.round(ctx); err != nil {
			return err
		}
		switch {
		case s.largest <= tol:
			return nil
		case last < stalled:
			return nil
		case s.largest <= smallChange && s.largest <= roundGain*last:
			continue
		case s.largest > roundGain*last && !s.solved:
			if s.drop /= 4; s.drop < leastDrop {
				return fmt.Errorf("iteration: %w: the last correction is %.2g", ErrNoConvergence, s.largest)
			}
		}
		if err := s.reverse(ctx); err != nil {
			return err
		}
	}
	return fmt.Errorf("iteration: %w after %d rounds", ErrNoConvergence, mostRounds)
}

// collect collects garbage if there are many states. Else the vectors of the round before, or the rates of an elimination, could
// add to the largest memory.
func (s *iteration) collect() {
	const manyStates = 100_000
	if len(s.x) > manyStates {
		runtime.GC()
	}
}

// round corrects x once.
func (s *iteration) round(ctx context.Context) error {
	floats.Scale(1/block.Sum(s.x), s.x)
	floats.Scale(1/block.Sum(s.scale), s.scale)
	residual := s.chain.exactResidual(ctx, s.x)
	floats.Div(residual, s.scale)
	floats.Div(residual, s.chain.out)
	s.collect()
	image := make([]float64, len(s.x))
	d, left := reduction.GMRES(ctx, func(z []float64) []float64 {
		floats.MulTo(image, z, s.chain.out)
		s.factor.Solve(image)
		s.steps++
		return s.balanced(image)
	}, residual, roundTol, gmresSteps(len(s.x)))
	if err := ctx.Err(); err != nil {
		return err
	}
	s.solved = left <= roundTol*floats.Norm(residual, 2)
	floats.Mul(d, s.chain.out)
	s.factor.Solve(d)
	const most = 0.999 // of a probability is taken away in a round
	s.largest = 0
	for i, v := range d {
		change := s.scale[i] * v
		s.largest = max(s.largest, math.Abs(change)/s.x[i])
		s.x[i] -= min(change, most*s.x[i])
	}
	return nil
}

// gmresSteps returns the largest number of steps of GMRES in a round for a chain of so many states. It is roundSteps, and up to
// four times as many while their vectors take little memory. For example, the saturated machine of 24 nodes has 57,000 states and
// takes 90 steps. With 40 steps, the incomplete elimination would have to drop so little that it took 25 times as long.
func gmresSteps(states int) int {
	const littleMemory, most = 128 << 20, 4 * roundSteps
	return min(max(littleMemory/(8*states), roundSteps), most)
}

// balanced returns x_i − Σ_j r_ij·x_j/out_i with the rates r of the reversed chain.
func (s *iteration) balanced(x []float64) []float64 {
	y := make([]float64, len(x))
	for j, v := range x {
		v *= s.scale[j]
		to, rates := s.chain.row(j)
		for e, i := range to {
			y[i] += v * rates[e]
		}
	}
	for i, out := range s.chain.out {
		y[i] = x[i] - y[i]/(s.scale[i]*out)
	}
	return y
}

// exactResidual returns x·(diag(out) − P) with sums and products of 31 digits. The rates out are the exact sums of the rates of a
// row.
func (c *Chain) exactResidual(ctx context.Context, x []float64) []float64 {
	sums, rests := make([]float64, len(x)), make([]float64, len(x))
	add := func(i int, flow, rest float64) {
		before := sums[i]
		sum := before + flow
		part := sum - before
		rests[i] += (before - (sum - part)) + (flow - part) + rest
		sums[i] = sum
	}
	for i, v := range x {
		if block.Stopped(ctx, i) {
			break
		}
		to, rates := c.row(i)
		for e, j := range to {
			flow := v * rates[e]
			rest := math.FMA(v, rates[e], -flow)
			add(i, flow, rest)
			add(int(j), -flow, -rest)
		}
	}
	floats.Add(sums, rests)
	return sums
}
