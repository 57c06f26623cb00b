package reduction

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// cyclicReduction is cyclic reduction in a form that never subtracts. With V = (−Local)⁻¹ a step censors the chain
// on every other level:
//
//	Local' = Local + Up·V·Down + Down·V·Up,  Up' = Up·V·Up,  Down' = Down·V·Down,  U' = U + Up·V·Down,
//
// and exit' = exit + (Up + Down)·V·exit for what leaves the process, all updates nonnegative; diagonals follow from row sums, and V from an elimination that uses them. Entries of U
// are accurate relative to their own size, near saturation and for stiff rates too. Cost 12.7·n³ a step.
//
// References: D. A. Bini, B. Meini, On the solution of a nonlinear matrix equation arising in queueing problems, SIAM
// J. Matrix Anal. Appl. 17 (1996) 906–926; G. T. Nguyen, F. Poloni, Componentwise accurate fluid queue computations
// using doubling algorithms, Numer. Math. 130 (2015) 763–792 (for the triplet representation).
func cyclicReduction(ctx context.Context, b Blocks, exit []float64) (
	u block.Matrix, leave []float64, iterations int, err error) {
	c := newCensored(b, exit)
	defer c.release()
	if err := ctx.Err(); err != nil {
		return u, nil, 0, err
	}
	leave = b.Down.RowSums()
	if len(c.down.from) == 0 { // what rises does not come back
		floats.Add(leave, b.Up.RowSums())
		floats.Add(leave, c.exit)
		return c.u, leave, 0, nil
	}
	for k := 1; k <= mostSteps; k++ {
		if done, err := c.halve(ctx); done || err != nil {
			floats.Add(leave, c.uExit)
			return c.u, leave, k, err
		}
	}
	return u, nil, mostSteps, fmt.Errorf("cyclic reduction: %w after %d steps", ErrNoConvergence, mostSteps)
}

// censored is a chain observed on every 2^k-th level, without its diagonal, and U as far as it is known: the generator
// of a level censored on neither going lower nor 2^k levels higher. Only some phases lead up, or down, and only to some
// phases: as these stay the same, the blocks up and down are of these rows and columns.
type censored struct {
	up, down    passages
	local, u    block.Matrix
	exit, uExit []float64    // rates out of a level for good, and those out of U
	work        block.Matrix // room for 3×3 blocks
}

// passages are the rates from some phases to some phases of another level.
type passages struct {
	block.Matrix
	from, to []int
}

// newPassages returns the rows and columns of a block that are not zero.
func newPassages(m block.Matrix) passages {
	p := passages{to: columns(m)}
	for i := range m.Rows {
		if slices.ContainsFunc(m.Row(i), func(v float64) bool { return v != 0 }) {
			p.from = append(p.from, i)
		}
	}
	p.Matrix = chosen(m, p.from, p.to)
	return p
}

// newCensored returns the chain observed on all levels.
func newCensored(b Blocks, exit []float64) *censored {
	n := b.Local.Rows
	exit = append(exit, make([]float64, n-len(exit))...)
	return &censored{
		exit: exit, uExit: slices.Clone(exit),
		up: newPassages(b.Up), local: block.ScratchOf(b.Local), down: newPassages(b.Down),
		u: b.Local.Clone(), work: block.NewRaw(3*n, 3*n),
	}
}

// release gives back all but U.
func (c *censored) release() {
	for _, m := range []block.Matrix{c.up.Matrix, c.down.Matrix, c.local, c.work} {
		m.Release()
	}
}

// halve leaves out every other level, and reports whether that changed nothing in U.
func (c *censored) halve(ctx context.Context) (done bool, err error) {
	n, up, down := c.u.Rows, c.up, c.down
	upper, lower := n, n+up.Rows // rows of m; columns are those of up, then those of down
	rows, cols := lower+down.Rows, n+up.Cols+down.Cols
	m := block.Over(rows, cols, c.work.Data[:rows*cols])
	c.fill(m)
	exit := append(slices.Clone(c.exit), make([]float64, rows-n)...)
	if err := block.Censor(ctx, m, exit, n); err != nil {
		return false, err
	}
	done = true
	for k, i := range up.from {
		row, leaves := m.Row(upper+k), exit[upper+k]
		back := row[n+up.Cols:]
		done = done && settled(c.u.Row(i), back, down.to, i) && leaves <= EntryTol*c.uExit[i]
		c.exit[i] += leaves
		c.uExit[i] += leaves
		down.addTo(c.u.Row(i), back)
		down.addTo(c.local.Row(i), back)
		copy(up.Row(k), row[n:])
	}
	for k, i := range down.from {
		row := m.Row(lower + k)
		c.exit[i] += exit[lower+k]
		up.addTo(c.local.Row(i), row[n:n+up.Cols])
		copy(down.Row(k), row[n+up.Cols:])
	}
	return done, ctx.Err()
}

// fill sets m to the rates of a level that is left out, and beside them those to and from the levels around it.
func (c *censored) fill(m block.Matrix) {
	n, up, down := c.u.Rows, c.up, c.down
	clear(m.Data)
	for i := range n {
		copy(m.Row(i), c.local.Row(i))
	}
	for k, i := range up.from {
		copy(m.Row(i)[n:], up.Row(k))
		up.spread(m.Row(n + k)[:n], k)
	}
	for k, i := range down.from {
		copy(m.Row(i)[n+up.Cols:], down.Row(k))
		down.spread(m.Row(n + up.Rows + k)[:n], k)
	}
}

// toAll reports whether there are passages to each of n phases, which then are the columns.
func (p passages) toAll(n int) bool { return len(p.to) == n }

// spread copies row k to the columns that it is of.
func (p passages) spread(to []float64, k int) {
	if p.toAll(len(to)) {
		copy(to, p.Row(k))
		return
	}
	for e, v := range p.Row(k) {
		to[p.to[e]] = v
	}
}

// addTo adds numbers for the columns of the passages to a row of all columns.
func (p passages) addTo(row, add []float64) {
	if p.toAll(len(row)) {
		floats.Add(row, add)
		return
	}
	for e, j := range p.to {
		row[j] += add[e]
	}
}

// settled reports whether adding d in the given columns to row i of u would change nothing off its diagonal.
func settled(u, d []float64, to []int, i int) bool {
	for e, j := range to {
		if d[e] > EntryTol*u[j] && i != j {
			return false
		}
	}
	return true
}
