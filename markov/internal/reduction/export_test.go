package reduction

import (
	"context"

	"github.com/partwise/partwise/markov/internal/block"
)

// ByHalving returns U by cyclic reduction without functional iteration. ok is false if it does not converge.
func ByHalving(ctx context.Context, b Blocks) (u block.Matrix, ok bool) {
	c := newCensored(b, nil)
	defer c.release()
	for range mostSteps {
		if done, err := c.halve(ctx); done || err != nil {
			return c.u, err == nil
		}
	}
	return c.u, false
}

// ByIteration returns U by functional iteration alone. done is false if the iteration is not worth its cost; u is then
// Local.
func ByIteration(ctx context.Context, b Blocks) (u block.Matrix, iterations int, done bool, err error) {
	c := newCensored(b, nil)
	defer c.release()
	iterations, done, err = c.iterate(ctx, mostSteps)
	return c.u, iterations, done, err
}
