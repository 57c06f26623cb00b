package markov

import (
	"context"
	"slices"

	"github.com/partwise/partwise/markov/internal/incomplete"
)

// Rewards returns a function that overwrites rates of reward r, by state, with the expected rewards w until the chain is left:
//
//	−Q·w = r.
//
// w_i belongs to a chain that starts in state i. With r = 1 these are the mean times until the chain is left. The
// states are eliminated once, in their order, and without subtractions (Grassmann, Taksar, Heyman). So all entries of w
// are accurate to some roundings. A state from which the chain is never left gets 0. The function may be called many
// times, but not by several goroutines at a time. The error comes from ctx.
func (c *Chain) Rewards(ctx context.Context) (func(r []float64), error) {
	if c == nil {
		return nil, prefixed(blockError(0, "rates", -1, -1, "are missing"))
	}
	f, err := incomplete.EliminateOpen(ctx, c.rows(), c.out, slices.Clone(c.leave), 0, nil)
	if err != nil {
		return nil, prefixed(err)
	}
	return f.Solve, nil
}
