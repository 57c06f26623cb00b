package reduction

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// Class is a class t of phases that can be left for another class, the first (index 0). Own holds the rates within the
// class, Into the rates into the first class, whose rows are the phases of t. With U_tt of class t alone and the first
// passages G_00 of the first class, the first passages from t into the first class are
//
//	G_t0 = Σ_k M^k·(−U_tt)⁻¹·B·G_00^k,  M = (−U_tt)⁻¹·Up_tt,  B = Down_t0 + Local_t0·G_00 + Up_t0·G_00².
//
// The sum is computed by doubling, without a subtraction.
//
// Reference: M. F. Neuts, Matrix-Geometric Solutions in Stochastic Models, Johns Hopkins, 1981, section 1.4, for
// reducible processes.
type Class struct {
	Own, Into Blocks

	// Results of Solve: Sojourns is (−U_tt)⁻¹; ToFirst is U_t0 = Local_t0 + Up_tt·G_t0 + Up_t0·G_00.
	Sojourns, ToFirst block.Matrix
}

// Solve solves the class, given the first passages g = G_00 of the first class. It returns the number of iterations.
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

// passages returns U_t0. First passages from the class, into either class, sum to 1. The sum over many levels collects
// rounding errors, so each row of G_t0 is divided by the sum of the row and of the passages that stay in the class.
func (t *Class) passages(ctx context.Context, g block.Matrix) block.Matrix {
	returns := block.ScratchOf(t.Into.Down) // B
	defer returns.Release()
	block.MulAddEntries(ctx, returns, t.Into.Local, g)
	rises := !t.Into.Up.IsZero()
	if rises {
		block.MulAddEntries(ctx, returns, t.Into.Up, block.Mul(ctx, g, g))
	}
	x, m := scratchTimes(ctx, t.Sojourns, returns), scratchTimes(ctx, t.Sojourns, t.Own.Up)
	defer x.Release()
	defer m.Release()
	sumOfPassages(ctx, x, m, g)
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

// Times returns a·b. It is fast if few entries of a or of b are nonzero.
func Times(ctx context.Context, a, b block.Matrix) block.Matrix {
	c := block.New(a.Rows, b.Cols)
	block.MulAddEntries(ctx, c, a, b)
	return c
}

// scratchTimes is [Times] with a scratch block as the result, which the caller releases.
func scratchTimes(ctx context.Context, a, b block.Matrix) block.Matrix {
	c := block.NewScratch(a.Rows, b.Cols)
	block.MulAddEntries(ctx, c, a, b)
	return c
}

// squared returns m·m as a scratch block, and releases m.
func squared(ctx context.Context, m block.Matrix) block.Matrix {
	square := scratchTimes(ctx, m, m)
	m.Release()
	return square
}

// sumOfPassages overwrites x with x' = Σ_{k≥0} m^k·x·g^k. All terms but the first have only the columns to which g leads:
//
//	Σ_{k≥1} m^k·x·g^k = m·(Σ_{k≥0} m^k·(x·g)·g^k).
//
// The sum over 2^i terms doubles by S ← S + m^(2^i)·S·g^(2^i).
func sumOfPassages(ctx context.Context, x, m, g block.Matrix) {
	met := columns(g)
	leading := chosen(g, nil, met)
	sum := scratchTimes(ctx, x, leading)
	leading.Release()
	power, right := block.ScratchOf(m), chosen(g, met, met)
	for ctx.Err() == nil {
		through := scratchTimes(ctx, power, sum)
		add := scratchTimes(ctx, through, right)
		through.Release()
		done := settledAll(sum, add)
		floats.Add(sum.Data, add.Data)
		add.Release()
		if done {
			break
		}
		power = squared(ctx, power)
		right = Stochastic(squared(ctx, right)) // rounding errors would add up over millions of levels
	}
	power.Release()
	right.Release()
	below := scratchTimes(ctx, m, sum)
	sum.Release()
	for i := range x.Rows {
		row := x.Row(i)
		for k, j := range met {
			row[j] += below.At(i, k)
		}
	}
	below.Release()
}

// Stochastic divides the rows of m by their sums, which are 1 up to rounding, and returns m. Rows of zeros stay zero.
func Stochastic(m block.Matrix) block.Matrix {
	for i, sum := range m.RowSums() {
		if sum > 0 {
			floats.Scale(1/sum, m.Row(i))
		}
	}
	return m
}

// columns returns the indices of the nonzero columns of m. It reads rows until each column has a nonzero entry.
func columns(m block.Matrix) (all []int) {
	sums := block.NewScratch(1, m.Cols)
	defer sums.Release()
	for i := 0; i < m.Rows && slices.Contains(sums.Data, 0); i++ {
		floats.Add(sums.Data, m.Row(i))
	}
	all = make([]int, 0, m.Cols)
	for j, v := range sums.Data {
		if v != 0 {
			all = append(all, j)
		}
	}
	return all
}

// chosen returns the given rows and columns of m. All rows are meant if rows is nil.
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

// exits returns the rates out of each phase of the class into the first class.
func (t *Class) exits() []float64 {
	rates := t.Into.Local.RowSums()
	floats.Add(rates, t.Into.Up.RowSums())
	floats.Add(rates, t.Into.Down.RowSums())
	return rates
}

// settledAll reports whether every entry of d is at most a rounding error of the same entry of g.
func settledAll(g, d block.Matrix) bool {
	for i, v := range d.Data {
		if v > EntryTol*g.Data[i] {
			return false
		}
	}
	return true
}
