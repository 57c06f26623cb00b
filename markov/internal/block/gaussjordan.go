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
	rowWeights []float64 // the weights, for each row of the block, zeros up to four
	rows       []int32
}

// jordanBlock is the number of columns that are eliminated at a time.
const jordanBlock = side

// NewGaussJordan returns room for matrices of up to so many columns whose rows come in so many groups.
func NewGaussJordan(widest, groups int) GaussJordan {
	widest = PaddedLen(widest)
	numbers := make([]float64, 2*widest+4*jordanBlock)
	return GaussJordan{
		s: NewRaw(jordanBlock, widest), e: NewRaw(jordanBlock, widest), rows: make([]int32, groups),
		over: numbers[:widest], leaves: numbers[widest : 2*widest], rowWeights: numbers[2*widest:],
	}
}

// Release gives the room back.
func (g *GaussJordan) Release() {
	g.s.Release()
	g.e.Release()
}

// Eliminate turns V₀ = X·diag(up), rows in groups of k, k columns, into
//
//	V = X·(I−D)⁻¹·diag(up),   D = Σ_a weights_a·X_a,
//
// X_a being group a, where I − D, with nonnegative D, has the row sums up. Columns are eliminated a block B of them at
// a time and beside the others C,
//
//	S = Σ_a weights_a·V_a,  D = S·diag(up)⁻¹,  Z = (I − D_BB)⁻¹,
//	V_C += V_B·diag(up_B)⁻¹·Z·S_BC,  V_B = V_B·diag(up_B)⁻¹·Z·diag(up_B),
//
// where S are the same combinations of the rows of V throughout: neither D nor an inverse of its size is ever made, and
// 2·n·k³ multiplications do for n groups. What I − D_BB has on its diagonal is the flow out of the block, a sum: to
// columns that are still to be eliminated, and by up, directly or from those that have been. Nothing is ever
// subtracted, and as rows of V keep their sums, roundings do not grow from one elimination to the next.
//
// It returns [ErrReducible] if some column has no flow out, and the error of ctx if that ends.
func (g *GaussJordan) Eliminate(ctx context.Context, v Padded, k int, weights, up []float64) error {
	for i, u := range up[:k] {
		g.over[i] = 1 / u
	}
	copy(g.leaves, g.over[:k])
	clear(g.leaves[k:v.Cols])
	for j := range jordanBlock {
		copy(g.rowWeights[4*j:4*j+4], weights)
	}
	for j := 0; j < k; j += jordanBlock {
		if j > 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := g.eliminateBlock(ctx, v, k, j, min(j+jordanBlock, k), weights, up); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (g *GaussJordan) eliminateBlock(ctx context.Context, v Padded, k, j0, j1 int, weights, up []float64) error {
	m := j1 - j0
	s, e := Matrix{m, v.Cols, g.s.Data[:m*v.Cols]}, Matrix{m, v.Cols, g.e.Data[:m*v.Cols]}
	g.combined(s, v, k, j0, weights)
	clear(g.leaves[j0:j1])
	for j := range m {
		row, z := s.Row(j), &g.z[j]
		floats.MulTo(z[:m], row[j0:j1], g.over[j0:j1])
		clear(z[m:])
		z[side] = up[j0+j] + floats.Dot(row, g.leaves[:v.Cols])
	}
	if i := invertSmall(&g.z, m); i < m {
		return fmt.Errorf("entry %d of %d is never left: %w", j0+i, k, ErrReducible)
	}
	for j := range m {
		floats.Scale(g.over[j0+j], g.z[j][:m])
		g.leaves[j0+j] = 1
	}
	clear(e.Data)
	z := blas64.General{Rows: m, Cols: m, Stride: len(g.z[0]), Data: g.z.numbers()}
	addProduct(ctx, z, s.general(), e.general())
	for j := range m {
		floats.MulTo(e.Row(j)[j0:j1], g.z[j][:m], up[j0:j1])
	}
	gaussJordanStep(ctx, v.general(), j0, e.general())
	return nil
}

// combined sets s to the rows of Σ_a weights_a·V_a from j0 on.
func (g *GaussJordan) combined(s Matrix, v Padded, k, j0 int, weights []float64) {
	n := len(g.rows)
	if n <= 4 {
		var starts [4]int
		for a := range starts {
			starts[a] = (min(a, n-1)*k + j0) * v.Cols
		}
		combinations(s.general(), nil, g.rowWeights, v.Data, starts, v.Cols)
		return
	}
	rows := g.rows
	for j := range s.Rows {
		for a := range rows {
			rows[a] = int32(a*k + j0 + j)
		}
		combination(s.Row(j), nil, weights, rows, v.Data, v.Cols)
	}
}
