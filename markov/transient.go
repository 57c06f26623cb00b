package markov

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/poisson"
)

// Uniformized is a chain observed at the epochs of a Poisson process, whose rate Λ is the largest rate out of a state.
// With P = I + Q/Λ,
//
//	e^{Qt} = Σ_k e^{−Λt}·(Λt)^k/k!·P^k.
//
// Reference: A. Jensen, Markoff chains as an aid in the study of Markoff processes, Skand. Aktuarietidskr. 36 (1953)
// 87–91.
type Uniformized struct {
	chain *Chain
	rate  float64
}

// Uniformize returns the chain at the epochs of a Poisson process with the least possible rate.
func (c *Chain) Uniformize() Uniformized {
	rate := 0.0
	for _, v := range c.out {
		rate = max(rate, v)
	}
	return Uniformized{c, rate}
}

// Rate returns Λ, 0 if the chain has no transitions.
func (u Uniformized) Rate() float64 { return u.rate }

// Step sets next to x·P, the distribution after an epoch if it was x before. Probability that leaves the chain is missing
// from next. P is nonnegative.
func (u Uniformized) Step(next, x []float64) {
	c := u.chain
	clear(next)
	for i, p := range x {
		if p == 0 {
			continue
		}
		if u.rate == 0 {
			next[i] += p
			continue
		}
		next[i] += p * ((u.rate - c.out[i]) / u.rate)
		to, rates := c.row(i)
		for e, j := range to {
			next[j] += p * rates[e] / u.rate
		}
	}
}

// Limits of a transient solution: maxSteps on the number of steps, maxWork on the number of multiplications. Chains of
// up to maxStiffStates states may be solved by squaring a dense e^{Qt} instead of by many steps.
const (
	maxSteps       = 20_000_000
	maxWork        = 4e10 // multiplications
	maxStiffStates = 1500
)

// Transient returns the distribution over the states at time t ≥ 0 of a chain with initial distribution x. bound limits
// the sum of the absolute errors of all states: the omitted Poisson weights, below 1e-16, and the rounding errors. The
// sum of x need not be one. Probability that leaves the chain is missing.
//
// The terms belong to a window of Poisson weights, Λt ± about 9·√(Λt). The weights are found without the underflow of
// e^{−Λt}. A stiff chain has a large Λt. If it has up to 1,500 states, e^{Qt} can be computed for a short time and
// squared, where each product doubles the time. The cheaper way is taken.
//
// The error is a *[BlockError] for a vector that is not a distribution, ErrTooLarge if both ways take more than 4e10
// multiplications, or the error of ctx.
//
// References: A. Jensen, Skand. Aktuarietidskr. 36 (1953) 87–91; B. L. Fox, P. W. Glynn, Computing Poisson
// probabilities, Commun. ACM 31 (1988) 440–445, for the window.
func (c *Chain) Transient(ctx context.Context, x []float64, t float64) (p []float64, bound float64, err error) {
	if c == nil || c.States() == 0 {
		return nil, 0, prefixed(blockError(0, "rates", -1, -1, "are missing: the chain has no states"))
	}
	if err := c.checkStart(x, t); err != nil {
		return nil, 0, prefixed(err)
	}
	p, bound, err = c.transient(ctx, x, t)
	return p, bound, prefixed(err)
}

// transient is [Chain.Transient] without checks of the start.
func (c *Chain) transient(ctx context.Context, x []float64, t float64) (p []float64, bound float64, err error) {
	u := c.Uniformize()
	n := float64(c.States())
	last := poisson.Last(u.rate * t)
	steps := last * float64(len(c.to)+c.States())
	squarings := max(0, math.Ceil(math.Log2(u.rate*t)))
	dense := n*n*n*squarings + 40*n*float64(len(c.to)+c.States())
	switch {
	case steps <= maxWork && last <= maxSteps && (steps <= dense || n > maxStiffStates):
		p = slices.Clone(x)
		next := make([]float64, len(x))
		sum := make([]float64, len(x))
		u.poissonSum(ctx, p, next, sum, u.rate*t)
		// an entry of x·P is a sum over the states that lead to it, of products of four factors
		bound = block.Sum(x) * (poisson.Rest + (last+1)*block.UnitRoundoff*float64(c.mostPredecessors()+4))
		p = sum
	case dense <= maxWork && n <= maxStiffStates:
		p, bound = u.squared(ctx, x, t, int(squarings))
	default:
		return nil, 0, takesTooLong("%d states with rates up to %.3g over a time of %.3g", c.States(), u.rate, t)
	}
	if ctx.Err() != nil {
		return nil, 0, ctx.Err()
	}
	return p, bound, nil
}

// mostPredecessors returns the largest number of transitions into a state. The chain must have states.
func (c *Chain) mostPredecessors() int {
	count := make([]int, c.States())
	for _, j := range c.to {
		count[j]++
	}
	return slices.Max(count)
}

// checkStart returns a *[BlockError] if x is no vector of probabilities over the states, or t no time.
func (c *Chain) checkStart(x []float64, t float64) error {
	if len(x) != c.States() {
		return blockError(0, "start", -1, -1, "has %d entries, the chain has %d states", len(x), c.States())
	}
	if !(t >= 0) || math.IsInf(t, 1) {
		return blockError(0, "time", -1, -1, "%v is not a time", t)
	}
	for i, p := range x {
		if !(p >= 0) || math.IsInf(p, 1) {
			return blockError(0, "start", -1, i, "%v is not a probability", p)
		}
	}
	return nil
}

// poissonSum sets sum to Σ_k w_k·x·P^k with the Poisson weights w_k of mean a. It overwrites x and next.
func (u Uniformized) poissonSum(ctx context.Context, x, next, sum []float64, a float64) {
	w := poisson.New(a)
	for k := 0; ctx.Err() == nil; k++ {
		if v := w.At(k); v > 0 {
			floats.AddScaled(sum, v, x)
		}
		if k >= w.Last {
			return
		}
		u.Step(next, x)
		x, next = next, x
	}
}

// squared returns x·e^{Qt} with e^{Qt} = (e^{Qt/2^k})^{2^k}: a nonnegative block, squared k times.
func (u Uniformized) squared(ctx context.Context, x []float64, t float64, k int) (p []float64, bound float64) {
	n := u.chain.States()
	e := block.New(n, n)
	row, next := make([]float64, n), make([]float64, n)
	short := math.Ldexp(u.rate*t, -k)
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		clear(row)
		row[i] = 1
		u.poissonSum(ctx, row, next, e.Row(i), short)
	}
	power := block.New(n, n)
	for range k {
		if ctx.Err() != nil {
			break
		}
		clear(power.Data)
		block.MulAdd(ctx, power, e, e)
		power, e = e, power
	}
	// Each squaring doubles the relative error and adds the rounding errors of a sum over n terms.
	return block.VecMul(x, e), block.Sum(x) * math.Ldexp(block.UnitRoundoff*float64(n+60), k)
}
