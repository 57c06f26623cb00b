package block

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// GaussJordan eliminates the columns of padded matrices in place.
type GaussJordan struct {
	s, e       Matrix
	z          square    // D_BB and the flow out, then the inverse Z
	over       []float64 // 1/up
	leaves     []float64 // factor by which an entry of S is a flow out of the block: 1/up, or 1 for eliminated columns
	rowWeights []float64 // weights of class, repeated for each row of the block, zeros up to four
	class      int       // class of rowWeights
	rows       []int32
}

// NewGaussJordan returns scratch for matrices of up to widest columns whose rows come in so many groups.
func NewGaussJordan(widest, groups int) GaussJordan {
	widest = PaddedLen(widest)
	numbers := make([]float64, 2*widest+4*side)
	return GaussJordan{
		s: NewRaw(side, widest), e: NewRaw(side, widest), rows: make([]int32, groups),
		over: numbers[:widest], leaves: numbers[widest : 2*widest], rowWeights: numbers[2*widest:],
	}
}

// Release releases the storage.
func (g *GaussJordan) Release() {
	g.s.Release()
	g.e.Release()
}

// Eliminate overwrites V = X·diag(up), with rows in n groups of k and columns in r classes of k, with
//
//	V = X·(I−D)⁻¹·diag(up),   D = (weights⊗I)·X,
//
// where weights is r×n and I − D, with nonnegative D, has the row sums up. Columns are eliminated in blocks B of at most
// 12. With C the other columns and V the present matrix, a step is
//
//	S = (weights⊗I)·V,  D = S·diag(up)⁻¹,  Z = (I − D_BB)⁻¹,
//	V_C += V_B·diag(up_B)⁻¹·Z·S_BC,  V_B = V_B·diag(up_B)⁻¹·Z·diag(up_B).
//
// S is formed only for the rows of B: neither D nor its inverse is ever formed, and 2·n·r²·k³ operations are enough. The
// diagonal of I − D_BB is computed as the flow out of the block, a sum: to columns that are not eliminated yet, and by
// up, directly or from eliminated columns. Nothing is subtracted. Rows of V keep their sums, so rounding errors do not
// grow from one elimination to the next.
//
// The error is [ErrReducible] if some column has no flow out, or that of ctx.
func (g *GaussJordan) Eliminate(ctx context.Context, v Padded, k int, weights Matrix, up []float64) error {
	return g.eliminate(ctx, v, up, weights.Rows*k, func(s Matrix, j0 int) { g.combined(s, v, k, j0, weights) })
}

// Combinations are combinations of the rows of a matrix: row j is the sum of the rows Rows[e], with weights Weights[e],
// for Start[j] ≤ e < Start[j+1].
type Combinations struct {
	Start, Rows []int32
	Weights     []float64
}

// Of returns the first columns of all combinations of the rows of v, as a scratch block.
func (c Combinations) Of(v Padded, columns int) Matrix {
	all, row := NewRaw(len(c.Start)-1, columns), NewRaw(1, v.Cols)
	defer row.Release()
	for j := range all.Rows {
		c.row(row.Data, v, j)
		copy(all.Row(j), row.Data)
	}
	return all
}

// row sets to to combination j of the rows of v.
func (c Combinations) row(to []float64, v Padded, j int) {
	from, end := c.Start[j], c.Start[j+1]
	combination(to, c.Weights[from:end], c.Rows[from:end], v.Data, v.Cols)
}

// EliminateBy is Eliminate for any combinations C of the rows of V, as many as V has columns without padding:
//
//	D = C·X,  S = C·V.
func (g *GaussJordan) EliminateBy(ctx context.Context, v Padded, c Combinations, up []float64) error {
	return g.eliminate(ctx, v, up, len(c.Start)-1, func(s Matrix, j0 int) {
		for j := range s.Rows {
			c.row(s.Row(j), v, j0+j)
		}
	})
}

// eliminate eliminates all columns. combine sets s to the rows of S from j0 on.
func (g *GaussJordan) eliminate(
	ctx context.Context, v Padded, up []float64, all int, combine func(s Matrix, j0 int)) error {
	for i, u := range up[:all] {
		g.over[i] = 1 / u
	}
	copy(g.leaves, g.over[:all])
	clear(g.leaves[all:v.Cols])
	g.class = -1
	for j := 0; j < all; j += side {
		if j > 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := g.eliminateBlock(ctx, v, j, min(j+side, all), up, combine); err != nil {
			return fmt.Errorf("entry %d of %d and those after it: %w", j, all, err)
		}
	}
	return ctx.Err()
}

// eliminateBlock eliminates the columns j0 to j1−1, the block B of [GaussJordan.Eliminate].
func (g *GaussJordan) eliminateBlock(
	ctx context.Context, v Padded, j0, j1 int, up []float64, combine func(s Matrix, j0 int)) error {
	m := j1 - j0
	s, e := Matrix{m, v.Cols, g.s.Data[:m*v.Cols]}, Matrix{m, v.Cols, g.e.Data[:m*v.Cols]}
	combine(s, j0)
	clear(g.leaves[j0:j1])
	z, err := g.inverse(s, j0, up[j0:j1])
	if err != nil {
		return err
	}
	for j := range m {
		floats.Scale(g.over[j0+j], z.Data[j*z.Stride:][:m])
		g.leaves[j0+j] = 1
	}
	clear(e.Data)
	addProduct(ctx, z, s.general(), e.general())
	for j := range m {
		floats.MulTo(e.Row(j)[j0:j1], z.Data[j*z.Stride:][:m], up[j0:j1])
	}
	gaussJordanStep(ctx, v.general(), j0, e.general())
	return nil
}

// inverse returns Z of the block whose rows of S are s and whose first column is j0. Row j of I − D_BB sums to up_j + Σ_i
// s_ji·leaves_i.
func (g *GaussJordan) inverse(s Matrix, j0 int, up []float64) (blas64.General, error) {
	m := s.Rows
	leaves, over := g.leaves[:s.Cols], g.over[j0:j0+m]
	for j := range m {
		row, z := s.Row(j), &g.z[j]
		floats.MulTo(z[:m], row[j0:j0+m], over)
		clear(z[m:])
		z[side] = up[j] + floats.Dot(row, leaves)
	}
	z := blas64.General{Rows: m, Cols: m, Stride: len(g.z[0]), Data: g.z.numbers()}
	if i := invertSmall(&g.z, m); i < m {
		return z, fmt.Errorf("state %d of %d is never left: %w", i, m, ErrReducible)
	}
	return z, nil
}

// combined sets s to the rows of (weights⊗I)·V from j0 on.
func (g *GaussJordan) combined(s Matrix, v Padded, k, j0 int, weights Matrix) {
	n, class := len(g.rows), j0/k
	if first := j0 - class*k; n <= 4 && first+s.Rows <= k {
		if class != g.class {
			g.class = class
			for j := range side {
				copy(g.rowWeights[4*j:4*j+4], weights.Row(class))
			}
		}
		var starts [4]int
		for a := range starts {
			starts[a] = (min(a, n-1)*k + first) * v.Cols
		}
		combinations(s.general(), nil, g.rowWeights, v.Data, starts, v.Cols)
		return
	}
	rows := g.rows
	for j := range s.Rows {
		class := (j0 + j) / k
		for a := range rows {
			rows[a] = int32(a*k + j0 + j - class*k)
		}
		combination(s.Row(j), weights.Row(class), rows, v.Data, v.Cols)
	}
}
