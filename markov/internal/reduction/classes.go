package reduction

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// Class is a class t of phases that may be left for another class, the first: the rates within it, and those into the first,
// without rows for the first itself. With U_tt and the first passages G_00 of the first class, first passages into that class
// are the sum
//
//	G_t0 = Σ_k M^k·(−U_tt)⁻¹·B·G_00^k,  M = (−U_tt)⁻¹·Up_tt,  B = Down_t0 + Local_t0·G_00 + Up_t0·G_00²,
//
// which is doubled, without a subtraction.
//
// Reference: M. F. Neuts, Matrix-Geometric Solutions in Stochastic Models, Johns Hopkins, 1981, section 1.4, for
// reducible processes.
type Class struct {
	Own, Into Blocks

	// What Solve finds: (−U_tt)⁻¹, and U_t0, the rows of U of the class into the first class.
	Sojourns, ToFirst block.Matrix
}

// Solve solves the class for the first passages g of the first class; it returns the number of iterations.
func (t *Class) Solve(ctx context.Context, g block.Matrix, method Method) (iterations int, err error) {
	u, leave, iterations, err := method.Reduce(ctx, t.Own, t.exits())
	if err != nil {
		return iterations, err
	}
	if err := block.InvertGTH(ctx, u, leave); err != nil {
		return iterations, err
	}
	t.Sojourns = u
	if t.Into.Local.Rows > 0 {
		t.ToFirst = t.passages(ctx, g)
	}
	return iterations, ctx.Err()
}

// passages returns U_t0. First passages from the class, into either class, have the probability 1: those into the first
// are divided by what the sum has become over many levels.
func (t *Class) passages(ctx context.Context, g block.Matrix) block.Matrix {
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

// exits returns the rates out of the class.
func (t *Class) exits() []float64 {
	rates := t.Into.Local.RowSums()
	floats.Add(rates, t.Into.Up.RowSums())
	floats.Add(rates, t.Into.Down.RowSums())
	return rates
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
