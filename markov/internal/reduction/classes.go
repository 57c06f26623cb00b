package reduction

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// ByClasses is [Method.Reduce] for a repeating part whose phases are in classes of the given orders, one after the other:
// those of the first lead to the first only, those of another to the first and to themselves. Fewer than two orders
// stand for one class of all phases. What each class does on its own is a smaller process, see [Transient].
//
// Reference: M. F. Neuts, Matrix-Geometric Solutions in Stochastic Models, Johns Hopkins, 1981, section 1.4, for
// reducible processes.
func ByClasses(ctx context.Context, b Blocks, orders []int, method Method, maxIter int) (block.Matrix, int, error) {
	if len(orders) < 2 {
		return method.Reduce(ctx, b, maxIter)
	}
	n0 := orders[0]
	u := b.Local.Clone()
	closed := b.within(0, n0)
	u0, iterations, err := method.Reduce(ctx, closed, maxIter)
	if err != nil {
		return u, iterations, err
	}
	put(u, 0, 0, u0)
	if err := block.InvertGTH(ctx, u0, closed.Down.RowSums()); err != nil {
		return u, iterations, err
	}
	g := Stochastic(Times(ctx, u0, closed.Down))
	from := n0
	for _, n := range orders[1:] {
		t := Transient{Own: b.within(from, n), Into: b.between(from, n, n0)}
		k, err := t.Solve(ctx, g, method, maxIter)
		if iterations = max(iterations, k); err != nil {
			return u, iterations, err
		}
		put(u, from, from, t.U)
		put(u, from, 0, t.ToFirst)
		from += n
	}
	return u, iterations, ctx.Err()
}

// Transient is a class t of phases that is left for another class, the first: the rates within it and those into the first.
// With the rest of the machine being a phase † that only goes down, the class is a process of its own, of which U_tt is
// found. With U_tt and the first passages G_00 of the first class, first passages into it are the sum
//
//	G_t0 = Σ_k M^k·(−U_tt)⁻¹·B·G_00^k,  M = (−U_tt)⁻¹·Up_tt,  B = Down_t0 + Local_t0·G_00 + Up_t0·G_00²,
//
// which is doubled, without a subtraction.
type Transient struct {
	Own, Into Blocks
	// Orders, if there are any, are those of classes within it, as [ByClasses] takes them.
	Orders []int

	// What Solve finds: U_tt, (−U_tt)⁻¹, and U_t0, the rows of U of the class into the first class.
	U, Sojourns, ToFirst block.Matrix
}

// Solve solves the class for the first passages g of the first class; it returns the number of iterations.
func (t *Transient) Solve(ctx context.Context, g block.Matrix, method Method, maxIter int) (iterations int, err error) {
	n := t.Own.Local.Rows
	ending := t.Own.ending(t.exits())
	defer ending.release()
	ut, iterations, err := t.reduceOwn(ctx, ending, method, maxIter)
	if err != nil {
		return iterations, err
	}
	t.U = cut(ut, 1, 1, n, n)
	exit := ending.Down.RowSums()[1:]
	for i := range exit {
		exit[i] += ut.At(1+i, 0) // † goes down
	}
	t.Sojourns = t.U.Clone()
	if err := block.InvertGTH(ctx, t.Sojourns, exit); err != nil {
		return iterations, err
	}
	t.ToFirst = t.passages(ctx, g)
	return iterations, ctx.Err()
}

// passages returns U_t0. First passages from the class, into either class, have the probability 1: those into the first
// are divided by what the sum has become over many levels.
func (t *Transient) passages(ctx context.Context, g block.Matrix) block.Matrix {
	returns := t.Into.Down.Clone() // B
	block.MulAddEntries(ctx, returns, t.Into.Local, g)
	rises := !t.Into.Up.IsZero()
	if rises {
		block.MulAddEntries(ctx, returns, t.Into.Up, block.Mul(ctx, g, g))
	}
	x := sumOfPassages(ctx, Times(ctx, t.Sojourns, returns), Times(ctx, t.Sojourns, t.Own.Up), g)
	for i, own := range block.MulVec(t.Sojourns, t.Own.Down.RowSums()) {
		floats.Scale(1/(own+block.Sum(x.Row(i))), x.Row(i))
	}
	into := t.Into.Local.Clone()
	block.MulAddEntries(ctx, into, t.Own.Up, x)
	if rises {
		block.MulAddEntries(ctx, into, t.Into.Up, g)
	}
	return into
}

// Times returns a·b, of either of which few entries may be not zero.
func Times(ctx context.Context, a, b block.Matrix) block.Matrix {
	c := block.New(a.Rows, b.Cols)
	block.MulAddEntries(ctx, c, a, b)
	return c
}

// sumOfPassages returns Σ_k m^k·x·g^k. All but the first term of the sum are as wide as the phases in which g leads:
//
//	m·(Σ_k m^k·(x·g)·g^k)   over the columns of g that are not zero.
func sumOfPassages(ctx context.Context, x, m, g block.Matrix) block.Matrix {
	met := columns(g)
	sum := Times(ctx, x, chosen(g, nil, met))
	power, right := m, chosen(g, met, met)
	for ctx.Err() == nil {
		add := block.Mul(ctx, Times(ctx, power, sum), right)
		done := settledAll(sum, add)
		floats.Add(sum.Data, add.Data)
		if done {
			break
		}
		power = Times(ctx, power, power)
		right = Stochastic(block.Mul(ctx, right, right)) // otherwise roundings would add up over millions of levels
	}
	sum = Times(ctx, m, sum)
	for i := range x.Rows {
		row := x.Row(i)
		for k, j := range met {
			row[j] += sum.At(i, k)
		}
	}
	return x
}

// Stochastic divides the rows of m, and returns it, by their sums, which are 1 but for roundings. Rows of zeros stay zero.
func Stochastic(m block.Matrix) block.Matrix {
	for i, sum := range m.RowSums() {
		if sum > 0 {
			floats.Scale(1/sum, m.Row(i))
		}
	}
	return m
}

// columns returns the columns of a matrix that are not zero.
func columns(m block.Matrix) (all []int) {
	sums := make([]float64, m.Cols)
	for i := range m.Rows {
		floats.Add(sums, m.Row(i))
	}
	for j, v := range sums {
		if v != 0 {
			all = append(all, j)
		}
	}
	return all
}

// chosen returns some rows, nil for all, and columns of a matrix.
func chosen(m block.Matrix, rows, cols []int) block.Matrix {
	if rows == nil {
		for i := range m.Rows {
			rows = append(rows, i)
		}
	}
	part := block.NewRaw(len(rows), len(cols))
	for k, i := range rows {
		row, to := m.Row(i), part.Row(k)
		if len(cols) == m.Cols {
			copy(to, row)
			continue
		}
		for e, j := range cols {
			to[e] = row[j]
		}
	}
	return part
}

// reduceOwn returns U of the smaller process of the class and †.
func (t *Transient) reduceOwn(ctx context.Context, ending Blocks, method Method, maxIter int) (block.Matrix, int, error) {
	if len(t.Orders) > 1 || !t.Own.Down.IsZero() {
		orders := slices.Clone(t.Orders)
		if len(orders) > 0 {
			orders[0]++
		}
		return ByClasses(ctx, ending, orders, method, maxIter)
	}
	u := ending.Local.Clone() // it comes down in †
	for i, rate := range ending.Up.RowSums() {
		u.Row(i)[0] += rate
	}
	return u, 0, nil
}

// exits returns the rates out of the class.
func (t *Transient) exits() []float64 {
	rates := t.Into.Local.RowSums()
	floats.Add(rates, t.Into.Up.RowSums())
	floats.Add(rates, t.Into.Down.RowSums())
	return rates
}

// within returns the blocks among n phases.
func (b Blocks) within(from, n int) Blocks {
	return Blocks{Within(b.Up, from, n), Within(b.Local, from, n), Within(b.Down, from, n)}
}

// Within returns a copy of the part of a matrix among n phases.
func Within(m block.Matrix, from, n int) block.Matrix { return cut(m, from, from, n, n) }

// between returns the blocks that lead from n phases to the first n0.
func (b Blocks) between(from, n, n0 int) Blocks {
	return Blocks{cut(b.Up, from, 0, n, n0), cut(b.Local, from, 0, n, n0), cut(b.Down, from, 0, n, n0)}
}

func (b Blocks) release() {
	for _, m := range []block.Matrix{b.Up, b.Local, b.Down} {
		m.Release()
	}
}

// ending returns, as scratch blocks, the blocks with the phase † before the others: they lead to it at the given rates, and
// it goes down.
func (b Blocks) ending(rates []float64) Blocks {
	n := len(rates)
	e := Blocks{block.NewScratch(n+1, n+1), block.NewScratch(n+1, n+1), block.NewScratch(n+1, n+1)}
	put(e.Up, 1, 1, b.Up)
	put(e.Local, 1, 1, b.Local)
	put(e.Down, 1, 1, b.Down)
	for i, r := range rates {
		e.Local.Row(1 + i)[0] = r
	}
	e.Down.Row(0)[0] = 1
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

// put copies a part into a matrix.
func put(m block.Matrix, row, col int, part block.Matrix) {
	for i := range part.Rows {
		copy(m.Row(row + i)[col:], part.Row(i))
	}
}

// settledAll reports whether no entry of d is more than a rounding of the same entry of g.
func settledAll(g, d block.Matrix) bool {
	for i, v := range d.Data {
		if v > EntryTol*g.Data[i] {
			return false
		}
	}
	return true
}
