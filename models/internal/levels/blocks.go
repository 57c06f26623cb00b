// This file writes chains of levels as the dense blocks of a quasi-birth-and-death process.

package levels

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
)

// QBD returns the blocks of the chain: boundary levels 0..Repeats and the repeating part above. The error
// wraps [markov.ErrTooLarge] if the blocks and the states take more memory than allowed. A solve reserves them together with
// its own memory.
func (c *Chain[S]) QBD(ctx context.Context, memory *markov.Memory) (*markov.QBD, error) {
	if err := c.Explore(ctx, memory); err != nil {
		return nil, err
	}
	if err := memory.Check(c.Held()); err != nil {
		return nil, fmt.Errorf("%d levels of up to %d phases: %w", len(c.phases), c.Largest(), err)
	}
	q := &markov.QBD{Held: c.Held()}
	q.Repeating = c.level(c.Repeats + 1)
	for l := range c.Repeats + 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q.Boundary = append(q.Boundary, c.level(l))
	}
	return q, nil
}

// Held returns the bytes of the states, after they have been found, and of their blocks.
func (c *Chain[S]) Held() float64 {
	total, lower := 0.0, 0
	for _, states := range c.phases {
		n := len(states)
		total += float64(n) * float64(n+2*lower)
		lower = n
	}
	return c.kept + 8*(total+3*float64(lower)*float64(lower))
}

// level returns the blocks of a level, with Repeats+1 for the repeating part.
func (c *Chain[S]) level(l int) markov.Level {
	size := func(l int) int { return len(c.phases[min(l, c.Repeats)]) }
	local, up := mat.NewDense(size(l), size(l), nil), mat.NewDense(size(l), size(l+1), nil)
	lev, down := markov.Level{Up: up, Local: local}, (*mat.Dense)(nil)
	if l > 0 {
		down = mat.NewDense(size(l), size(l-1), nil)
		lev.Down = down
	}
	for i, row := range c.rows[l] {
		for _, t := range row {
			m := []*mat.Dense{down, local, up}[t.by+1]
			m.Set(i, int(t.to), m.At(i, int(t.to))+c.rate(t))
		}
	}
	return lev
}
