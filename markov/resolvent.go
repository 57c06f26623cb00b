package markov

import (
	"context"

	"github.com/partwise/partwise/markov/internal/resolvent"
)

// Resolvent returns y with y·(sI − Q) = x for s with positive real part. y is the Laplace transform ∫ e^{−st}·x·e^{Qt} dt
// of the distribution over the states of a chain that starts with x. bound limits the sum of the absolute errors.
//
// The equations are solved for one communicating class after the other, by Gauss–Seidel passes, biconjugate gradients or
// elimination. States should be numbered so that transitions lead nearby: few passes are needed then.
//
// The error is ErrNoConvergence after 5,000 passes through a class, or the error of ctx.
func (c *Chain) Resolvent(ctx context.Context, s complex128, x []complex128) (y []complex128, bound float64, err error) {
	if c == nil || len(x) != c.States() || !(real(s) > 0) {
		return nil, 0, prefixed(blockError(0, "start", -1, -1, "has %d entries, or Re s = %v is not positive", len(x), real(s)))
	}
	c.listed.Do(func() { c.classes = resolvent.Of(resolvent.Rates{Start: c.start, To: c.to, Rate: c.rate, Out: c.out}) })
	y, bound, err = c.classes.Solve(ctx, s, x)
	if err != nil {
		return nil, 0, prefixed(err)
	}
	return y, bound, nil
}
