package block

import (
	"context"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// GaussJordan eliminates the columns of padded matrices in place.
type GaussJordan struct {
	width  int // of a block of columns
	s, e   Matrix
	room   Matrix    // of leaves
	z      *square   // D_BB and the flow out, then the inverse Z, if the block is narrow
	leaves []float64 // in room: factor by which an entry of S is a flow out of the block: 1, or up for eliminated columns
}

// Columns are eliminated in blocks of side, which [invertSmall] inverts. Wider blocks pass fewer times over a matrix that
// the caches of a core do not hold: wideJordan columns for matrices of wideFrom numbers, widestJordan from widestFrom on,
// which no cache holds. The limits are measured.
const (
	wideJordan   = 4 * side
	wideFrom     = 500_000
	widestJordan = 8 * side
	widestFrom   = 2_000_000
)

// jordanWidth returns the number of columns of a block for a matrix of so many numbers.
func jordanWidth(numbers int) int {
	switch {
	case numbers >= widestFrom:
		return widestJordan
	case numbers >= wideFrom:
		return wideJordan
	}
	return side
}

// NewGaussJordan returns scratch for matrices of up to so many rows and columns.
func NewGaussJordan(rows, columns int) GaussJordan {
	columns = PaddedLen(columns)
	width := jordanWidth(PaddedLen(rows) * columns)
	room := NewRaw(1, columns)
	return GaussJordan{
		s: NewRaw(width, columns), e: NewRaw(width, columns), room: room, z: squares.Get().(*square), leaves: room.Data,
	}
}

// squares holds the squares of eliminations that have ended.
var squares = sync.Pool{New: func() any { return new(square) }}

// Release releases the storage.
func (g *GaussJordan) Release() {
	g.s.Release()
	g.e.Release()
	g.room.Release()
	squares.Put(g.z)
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

// Combine sets the first rows of to, which has as many columns as v, to all combinations of the rows of v.
func (c Combinations) Combine(to Matrix, v Padded) {
	c.rows(Matrix{len(c.Start) - 1, to.Cols, to.Data}, v, 0)
}

// rows sets to to the combinations from j0 on. Four rows that move on by one from each combination to the next are
// combined by one call of the kernel.
func (c Combinations) rows(to Matrix, v Padded, j0 int) {
	if starts, ok := c.movingOn(j0, j0+to.Rows); ok {
		for e := range starts {
			starts[e] *= v.Cols
		}
		combinations(to.general(), nil, c.Weights[c.Start[j0]:], v.Data, starts, v.Cols)
		return
	}
	for j := range to.Rows {
		c.row(to.Row(j), v, j0+j)
	}
}

// movingOn returns the four rows of combination j0. ok is false if a combination up to j1−1 has not four rows, or if
// they are not the next rows after the rows of the combination before.
func (c Combinations) movingOn(j0, j1 int) (rows [4]int, ok bool) {
	for j := j0; j < j1; j++ {
		own := c.Rows[c.Start[j]:c.Start[j+1]]
		if len(own) != len(rows) {
			return rows, false
		}
		for e, row := range own {
			if j == j0 {
				rows[e] = int(row)
			} else if int(row) != rows[e]+j-j0 {
				return rows, false
			}
		}
	}
	return rows, true
}

// row sets to to combination j of the rows of v.
func (c Combinations) row(to []float64, v Padded, j int) {
	from, end := c.Start[j], c.Start[j+1]
	combination(to, c.Weights[from:end], c.Rows[from:end], v.Data, v.Cols)
}

// Eliminate overwrites X with
//
//	Y = X·(I−D)⁻¹,   D = C·X,
//
// where C are combinations of the rows, as many as X has columns without padding. I − D, with nonnegative D, has the row
// sums up. Columns are eliminated in blocks B. With the other columns O and Y the present matrix, a step is
//
//	S = C·Y,  Z = (I − S_BB)⁻¹,   Y_O += Y_B·Z·S_BO,  Y_B = Y_B·Z.
//
// S is formed only for the rows of B: neither D nor its inverse is ever formed, and 2·(rows of X)·(columns)² operations
// are enough. The diagonal of I − S_BB is computed as the flow out of the block, a sum: to columns that are not
// eliminated yet, and by up, directly or from eliminated columns. Nothing is subtracted. Y·up are the row sums
// of X, so rounding errors do not grow from one elimination to the next.
//
// The error is [ErrReducible] if some column has no flow out, or the error of ctx.
func (g *GaussJordan) Eliminate(ctx context.Context, x Padded, c Combinations, up []float64) error {
	all := len(c.Start) - 1
	g.width = jordanWidth(len(x.Data))
	for j := range x.Cols {
		g.leaves[j] = 0
		if j < all {
			g.leaves[j] = 1
		}
	}
	for j := 0; j < all; j += g.width {
		if j > 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := g.eliminateBlock(ctx, x, c, j, up[j:min(j+g.width, all)]); err != nil {
			return fmt.Errorf("entry %d of %d and those after it: %w", j, all, err)
		}
	}
	return ctx.Err()
}

// eliminateBlock eliminates the columns from j0 on, as many as up has numbers: the block B of [GaussJordan.Eliminate].
func (g *GaussJordan) eliminateBlock(ctx context.Context, y Padded, c Combinations, j0 int, up []float64) error {
	m := len(up)
	s, e := Matrix{m, y.Cols, g.s.Data[:m*y.Cols]}, Matrix{m, y.Cols, g.e.Data[:m*y.Cols]}
	c.rows(s, y, j0)
	clear(g.leaves[j0 : j0+m])
	z, err := g.inverse(ctx, s, j0, up)
	if err != nil {
		return err
	}
	copy(g.leaves[j0:j0+m], up)
	clear(e.Data)
	addProduct(ctx, z, s.general(), e.general())
	for j := range m {
		copy(e.Row(j)[j0:j0+m], z.Data[j*z.Stride:])
	}
	gaussJordanStep(ctx, y.general(), j0, e.general())
	if m > side {
		Matrix{Data: z.Data}.Release()
	}
	return nil
}

// inverse returns Z of the block whose rows of S are s and whose first column is j0. Row j of I − S_BB sums to up_j + Σ_i
// s_ji·leaves_i. Z of more than side columns is a scratch block.
func (g *GaussJordan) inverse(ctx context.Context, s Matrix, j0 int, up []float64) (blas64.General, error) {
	m := s.Rows
	leaves := g.leaves[:s.Cols]
	if m > side {
		wide, exit := NewRaw(m, m), make([]float64, m)
		for j := range m {
			copy(wide.Row(j), s.Row(j)[j0:j0+m])
			exit[j] = up[j] + floats.Dot(s.Row(j), leaves)
		}
		return wide.general(), InvertGTH(ctx, wide, exit)
	}
	for j := range m {
		row, z := s.Row(j), &g.z[j]
		clear(z[copy(z[:], row[j0:j0+m]):])
		z[side] = up[j] + floats.Dot(row, leaves)
	}
	z := blas64.General{Rows: m, Cols: m, Stride: len(g.z[0]), Data: g.z.numbers()}
	if i := invertSmall(g.z, m); i < m {
		return z, fmt.Errorf("state %d of %d is never left: %w", i, m, ErrReducible)
	}
	return z, nil
}
