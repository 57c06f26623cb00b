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
	z          square    // D_BB and what flows out, then the inverse
	over       []float64 // 1/up
	leaves     []float64 // what a column takes out of the block: 1/up, one for columns that are eliminated
	rowWeights []float64 // the weights of a class, for each row of the block, zeros up to four
	class      int       // whose weights these are
	rows       []int32
}

// NewGaussJordan returns room for matrices of up to so many columns whose rows come in so many groups.
func NewGaussJordan(widest, groups int) GaussJordan {
	widest = PaddedLen(widest)
	numbers := make([]float64, 2*widest+4*side)
	return GaussJordan{
		s: NewRaw(side, widest), e: NewRaw(side, widest), rows: make([]int32, groups),
		over: numbers[:widest], leaves: numbers[widest : 2*widest], rowWeights: numbers[2*widest:],
	}
}

// Release gives the room back.
func (g *GaussJordan) Release() {
	g.s.Release()
	g.e.Release()
}

// Eliminate turns V₀ = X·diag(up), rows in n groups of k, columns in r classes of k, into
//
//	V = X·(I−D)⁻¹·diag(up),   D = (weights⊗I)·X,
//
// weights being r×n, where I − D, with nonnegative D, has the row sums up. Columns are eliminated a block B of them at
// a time and beside the others C,
//
//	S = (weights⊗I)·V,  D = S·diag(up)⁻¹,  Z = (I − D_BB)⁻¹,
//	V_C += V_B·diag(up_B)⁻¹·Z·S_BC,  V_B = V_B·diag(up_B)⁻¹·Z·diag(up_B),
//
// where S are the same combinations of the rows of V throughout: neither D nor an inverse of its size is ever made, and
// 2·n·r²·k³ operations do. What I − D_BB has on its diagonal is the flow out of the block, a sum: to
// columns that are still to be eliminated, and by up, directly or from those that have been. Nothing is ever
// subtracted, and as rows of V keep their sums, roundings do not grow from one elimination to the next.
//
// It returns [ErrReducible] if some column has no flow out, and the error of ctx if that ends.
func (g *GaussJordan) Eliminate(ctx context.Context, v Padded, k int, weights Matrix, up []float64) error {
	return g.eliminate(ctx, v, up, weights.Rows*k, func(s Matrix, j0 int) { g.combined(s, v, k, j0, weights) })
}

// Combinations are of rows of a matrix: row j is the sum of those in Rows from Start[j] to Start[j+1]−1, with their weights.
type Combinations struct {
	Start, Rows []int32
	Weights     []float64
}

// Of returns the combinations of the rows of v, as many columns of them, as a scratch block.
func (c Combinations) Of(v Padded, columns int) Matrix {
	all, row := NewRaw(len(c.Start)-1, columns), NewRaw(1, v.Cols)
	defer row.Release()
	for j := range all.Rows {
		c.row(row.Data, v, j)
		copy(all.Row(j), row.Data)
	}
	return all
}

// row sets to to row j of the combinations of the rows of v.
func (c Combinations) row(to []float64, v Padded, j int) {
	from, end := c.Start[j], c.Start[j+1]
	combination(to, c.Weights[from:end], c.Rows[from:end], v.Data, v.Cols)
}

// EliminateBy is Eliminate for any combinations of the rows of V, as many as it has columns that are not zero:
//
//	D = C·X,  S = C·V.
func (g *GaussJordan) EliminateBy(ctx context.Context, v Padded, c Combinations, up []float64) error {
	return g.eliminate(ctx, v, up, len(c.Start)-1, func(s Matrix, j0 int) {
		for j := range s.Rows {
			c.row(s.Row(j), v, j0+j)
		}
	})
}

// eliminate eliminates all columns; combine sets s to the rows of S from j0 on.
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

// inverse returns Z of the block whose rows of S are s and whose first column is j0.
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
