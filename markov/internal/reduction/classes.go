package reduction

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// ByClasses is [Method.Reduce] for a repeating part whose phases are in classes of the given orders, one after the other:
// those of the first lead to the first only, those of another to the first and to themselves. What each class does on
// its own is a smaller process, the rest of the machine being a phase † that only goes down; and with U_tt and G_00 of
// these, first passages from class t into the first are the sum
//
//	G_t0 = Σ_k M^k·(−U_tt)⁻¹·B·G_00^k,  M = (−U_tt)⁻¹·Up_tt,  B = Down_t0 + Local_t0·G_00 + Up_t0·G_00²,
//
// which is doubled, without a subtraction.
//
// Reference: M. F. Neuts, Matrix-Geometric Solutions in Stochastic Models, Johns Hopkins, 1981, section 1.4, for
// reducible processes.
func ByClasses(ctx context.Context, b Blocks, orders []int, method Method, maxIter int) (block.Matrix, int, error) {
	n0 := orders[0]
	u := b.Local.Clone()
	closed := b.within(0, n0)
	u0, iterations, err := method.Reduce(ctx, closed, maxIter)
	if err != nil {
		return u, iterations, err
	}
	put(u, 0, 0, u0)
	f, err := block.FactorGTH(ctx, u0, closed.Down.RowSums())
	if err != nil {
		return u, iterations, err
	}
	g := closed.Down.Clone()
	f.Solve(ctx, g)
	from := n0
	for _, n := range orders[1:] {
		k, err := b.transient(ctx, u, from, n, g, method, maxIter)
		if iterations = max(iterations, k); err != nil {
			return u, iterations, err
		}
		from += n
	}
	return u, iterations, ctx.Err()
}

// transient writes the rows of U of the class of n phases that begins with the given one.
func (b Blocks) transient(ctx context.Context, u block.Matrix, from, n int, g block.Matrix, method Method, maxIter int) (
	int, error) {
	n0 := g.Rows
	own := b.within(from, n).ending(b.exits(from, n))
	ut, iterations, err := own.Local.Clone(), 0, error(nil)
	if down := Within(b.Down, from, n); !down.IsZero() {
		if ut, iterations, err = method.Reduce(ctx, own, maxIter); err != nil {
			return iterations, err
		}
	} else { // it comes down in †
		for i, rate := range own.Up.RowSums() {
			ut.Row(i)[n] += rate
		}
	}
	put(u, from, from, cut(ut, 0, 0, n, n))
	f, err := block.FactorGTH(ctx, ut.Clone(), own.Down.RowSums())
	if err != nil {
		return iterations, err
	}
	up := cut(b.Up, from, from, n, n)
	x := grown(cut(b.Down, from, 0, n, n0), n+1, n0) // B, then the sum
	local, upper := grown(cut(b.Local, from, 0, n, n0), n+1, n0), grown(cut(b.Up, from, 0, n, n0), n+1, n0)
	block.MulAdd(ctx, x, local, g)
	power := block.Mul(ctx, g, g)
	block.MulAdd(ctx, x, upper, power)
	f.Solve(ctx, x)
	m := own.Up.Clone()
	f.Solve(ctx, m)
	for right := g; ctx.Err() == nil; {
		add := block.Mul(ctx, block.Mul(ctx, m, x), right)
		done := settledAll(x, add)
		floats.Add(x.Data, add.Data)
		if done {
			break
		}
		m, right = block.Mul(ctx, m, m), power
		power = block.Mul(ctx, power, power)
	}
	into := cut(b.Local, from, 0, n, n0)
	block.MulAdd(ctx, into, up, cut(x, 0, 0, n, n0))
	block.MulAdd(ctx, into, cut(upper, 0, 0, n, n0), g)
	put(u, from, 0, into)
	return iterations, ctx.Err()
}

// within returns the blocks among n phases.
func (b Blocks) within(from, n int) Blocks {
	return Blocks{Within(b.Up, from, n), Within(b.Local, from, n), Within(b.Down, from, n)}
}

// Within returns a copy of the part of a matrix among n phases.
func Within(m block.Matrix, from, n int) block.Matrix { return cut(m, from, from, n, n) }

// exits returns the rates out of a transient class.
func (b Blocks) exits(from, n int) []float64 {
	rates := make([]float64, n)
	for _, m := range []block.Matrix{b.Up, b.Local, b.Down} {
		for i := range n {
			rates[i] += floats.Sum(m.Row(from + i)[:from]) + floats.Sum(m.Row(from + i)[from+n:])
		}
	}
	return rates
}

// ending returns the blocks with the phase † after the others: they lead to it at the given rates, and it goes down.
func (b Blocks) ending(rates []float64) Blocks {
	n := len(rates)
	e := Blocks{grown(b.Up, n+1, n+1), grown(b.Local, n+1, n+1), grown(b.Down, n+1, n+1)}
	for i, r := range rates {
		e.Local.Row(i)[n] = r
	}
	e.Down.Row(n)[n] = 1
	return e
}

// cut returns a copy of a part of a matrix.
func cut(m block.Matrix, row, col, rows, cols int) block.Matrix {
	part := block.New(rows, cols)
	for i := range rows {
		copy(part.Row(i), m.Row(row + i)[col:col+cols])
	}
	return part
}

// grown returns a copy with zeros below and to the right.
func grown(m block.Matrix, rows, cols int) block.Matrix {
	larger := block.New(rows, cols)
	put(larger, 0, 0, m)
	return larger
}

// put copies a part into a matrix.
func put(m block.Matrix, row, col int, part block.Matrix) {
	for i := range part.Rows {
		copy(m.Row(row + i)[col:], part.Row(i))
	}
}
