package reduction

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// cyclicReduction is cyclic reduction in a form that never subtracts. With V = (−Local)⁻¹ a step observes the chain on
// every other level:
//
//	Up' = Up·V·Up,  Down' = Down·V·Down,  Local' = Local + Up·V·Down + Down·V·Up,  U' = U + Up·V·Down.
//
// The rates at which the process is left for good become exit' = exit + (Up + Down)·V·exit. All updates are nonnegative.
// Diagonals follow from row sums, and V from an elimination that uses these row sums. So entries of U are accurate
// relative to their own size, also near saturation and for stiff rates. A step costs 12.7·n³ operations. Where first
// passages soon forget where they began, functional iteration takes the place of the last steps, or of all.
//
// References: D. A. Bini, B. Meini, On the solution of a nonlinear matrix equation arising in queueing problems, SIAM J.
// Matrix Anal. Appl. 17 (1996) 906–926; G. T. Nguyen, F. Poloni, Componentwise accurate fluid queue computations using
// doubling algorithms, Numer. Math. 130 (2015) 763–792 (for the triplet representation).
func cyclicReduction(ctx context.Context, b Blocks, exit []float64) (
	u block.Matrix, leave []float64, iterations int, err error) {
	c := newCensored(b, exit)
	defer c.release()
	if err := ctx.Err(); err != nil {
		return u, nil, 0, err
	}
	leave = b.Down.RowSums()
	if len(c.down.from) == 0 { // the process never goes to a lower level, and U is Local
		floats.Add(leave, b.Up.RowSums())
		floats.Add(leave, c.exit)
		return c.u, leave, 0, nil
	}
	tried := 0 // functional iterations, including failed ones; the limit counts only the halvings
	for k := 1; k <= mostSteps; k++ {
		iterated, done, err := c.iterate(ctx, mostSteps)
		tried += iterated
		if done || err != nil {
			floats.Add(leave, c.uExit)
			return c.u, leave, tried + k - 1, err
		}
		if done, err := c.halve(ctx); done || err != nil {
			floats.Add(leave, c.uExit)
			return c.u, leave, tried + k, err
		}
	}
	return u, nil, tried + mostSteps, fmt.Errorf("%w of the cyclic reduction, which is part of all methods, after %d steps: "+
		"some phases last for more than 2^%d transitions", ErrNoConvergence, mostSteps, mostSteps)
}

// censored is a chain observed on every 2^k-th level, without diagonals. u is U as far as it is known: the generator of a
// level observed until the chain goes lower or 2^k levels higher. Only some phases have transitions up or down, and these
// lead to some phases only. The sets stay the same, so the blocks up and down hold only these rows and columns.
type censored struct {
	up, down    passages
	local, u    block.Matrix
	exit, uExit []float64    // rates at which the process is left for good: from a level, and during u
	halvings    int          // k: the chain is observed on every 2^k-th level
	below       memory       // what first passages remember, as far as it was estimated
	work        block.Matrix // scratch, see needWork
	vectors     block.Matrix // scratch for neededVectors vectors over the phases; then exit and uExit
}

// passages holds the rates from the phases from of one level to the phases to of another level.
type passages struct {
	block.Matrix
	from, to []int
}

// newPassages returns the nonzero rows and columns of a block.
func newPassages(m block.Matrix) passages {
	p := passages{from: make([]int, 0, m.Rows), to: columns(m)}
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
	vectors := block.NewRaw(neededVectors+2, n)
	c := &censored{
		exit: zeroed(vectors.Row(neededVectors)), uExit: zeroed(vectors.Row(neededVectors + 1)),
		up: newPassages(b.Up), local: block.ScratchOf(b.Local), down: newPassages(b.Down),
		u: b.Local.Clone(), work: block.NewRaw(0, 0), vectors: vectors,
	}
	copy(c.exit, exit)
	copy(c.uExit, exit)
	return c
}

// needWork makes room for so many numbers in c.work. All its numbers are lost.
func (c *censored) needWork(numbers int) {
	if len(c.work.Data) < numbers {
		c.work.Release()
		c.work = block.NewRaw(1, numbers)
	}
}

// release releases the storage of all matrices except U.
func (c *censored) release() {
	for _, m := range []block.Matrix{c.up.Matrix, c.down.Matrix, c.local, c.work, c.vectors} {
		m.Release()
	}
}

// halve leaves out every other level. It reports whether no entry of U, and no exit rate, changed by more than a rounding
// error, and further steps would change no entry. One call of [block.Censor] eliminates a level that is left out: the
// rows upper and lower of m hold Up and Down into that level, and the columns after n hold Up and Down out of it.
func (c *censored) halve(ctx context.Context) (done bool, err error) {
	n, up, down := c.u.Rows, c.up, c.down
	upper, lower := n, n+up.Rows // rows of m; the columns of up come before the columns of down
	rows, cols := lower+down.Rows, n+up.Cols+down.Cols
	c.needWork(rows * (cols + 1))
	m := block.Over(rows, cols, c.work.Data[:rows*cols])
	c.fill(m)
	exit := zeroed(c.work.Data[rows*cols:][:rows])
	copy(exit, c.exit)
	if err := block.Censor(ctx, m, exit, n); err != nil {
		return false, err
	}
	c.halvings++
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
	return done && c.higherAreNegligible(), ctx.Err()
}

// higherAreNegligible reports whether excursions that go higher than those in U would change no entry of U by more than a
// rounding error. A step that changes nothing is no proof: where rates are far apart, later steps can change more. Higher
// excursions begin at the rates Up and end with a transition Down of the chain that is left. So the part of them that ends
// in phase j is at most the largest share of j in a row of Down.
//
// Where the process can be left for good, excursions need not end, and the step decides.
func (c *censored) higherAreNegligible() bool {
	if floats.Max(c.exit) > 0 {
		return true
	}
	shares := zeroed(c.vectors.Row(0)[:c.down.Cols])
	for k := range c.down.from {
		ends := c.down.Row(k)
		if total := block.Sum(ends); total > 0 {
			for e, v := range ends {
				shares[e] = max(shares[e], v/total)
			}
		}
	}
	for k, i := range c.up.from {
		higher := block.Sum(c.up.Row(k))
		for e, j := range c.down.to {
			if higher*shares[e] > EntryTol*c.u.At(i, j) && i != j {
				return false
			}
		}
	}
	return true
}

// fill overwrites m with the rates Local, Up and Down of a level that is left out. Below them stand the rates into that
// level: from the lower level (Up), then from the higher level (Down). Row n+k belongs to phase up.from[k], row n+up.Rows+k to phase
// down.from[k].
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

// toAll reports whether the passages lead to each of n phases. Then to is 0 to n−1.
func (p passages) toAll(n int) bool { return len(p.to) == n }

// fromAll reports whether the passages begin in each of n phases. Then from is 0 to n−1.
func (p passages) fromAll(n int) bool { return len(p.from) == n }

// spread copies row k to the columns of a full row.
func (p passages) spread(to []float64, k int) {
	if p.toAll(len(to)) {
		copy(to, p.Row(k))
		return
	}
	for e, v := range p.Row(k) {
		to[p.to[e]] = v
	}
}

// addTo adds numbers, one for each column of the passages, to a full row.
func (p passages) addTo(row, add []float64) {
	if p.toAll(len(row)) {
		floats.Add(row, add)
		return
	}
	for e, j := range p.to {
		row[j] += add[e]
	}
}

// settled reports whether adding d in the given columns to row i of u would change no off-diagonal entry by more than a
// rounding error.
func settled(u, d []float64, to []int, i int) bool {
	for e, j := range to {
		if d[e] > EntryTol*u[j] && i != j {
			return false
		}
	}
	return true
}
