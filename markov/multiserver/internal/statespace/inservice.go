package statespace

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// InServiceBlock solves with the matrix T = −(D0 ⊕ L) of the states in service (a, i) of a level. The moves in T are
// neither arrivals nor departures. The diagonal of T holds the total rate out of each state, arrivals and departures
// included.
type InServiceBlock interface {
	// Solve overwrites b with T⁻¹·b, unless ctx ends.
	Solve(ctx context.Context, b block.Matrix)
	// SolveLeft overwrites x with x·T⁻¹.
	SolveLeft(x []float64)
	// SolveTransposed overwrites the columns of b with T⁻ᵀ times them.
	SolveTransposed(b block.Matrix)
}

// Triangular is the block of a level without cycles. Arrival phases and service phases are numbered so that every move
// leads to a later state. So T is upper triangular and stays sparse.
type Triangular struct {
	Off  *Sparse   // the moves
	Over []float64 // 1/T_ii, because divisions take longer than all else in a solve
}

// Solve overwrites b with T⁻¹·b by backward substitution; columns of b are shared between processors.
func (t Triangular) Solve(ctx context.Context, b block.Matrix) {
	block.Share(b.Cols, 16, (len(t.Off.Val)+len(t.Over))*b.Cols, func(from, to int) {
		for i := len(t.Over) - 1; i >= 0 && !block.Stopped(ctx, i); i-- {
			row := b.Row(i)[from:to]
			cols, vals := t.Off.Row(i)
			for e, j := range cols {
				floats.AddScaled(row, vals[e], b.Row(int(j))[from:to])
			}
			floats.Scale(t.Over[i], row)
		}
	})
}

// SolveLeft overwrites x with x·T⁻¹ by forward substitution. States from which nothing flows are skipped.
func (t Triangular) SolveLeft(x []float64) {
	if len(t.Off.Val) == 0 {
		floats.Mul(x, t.Over)
		return
	}
	for i, over := range t.Over {
		if x[i] == 0 {
			continue
		}
		xi := x[i] * over
		x[i] = xi
		cols, vals := t.Off.Row(i)
		for e, j := range cols {
			x[j] += xi * vals[e]
		}
	}
}

// ArrivalTriangular is the block of a level whose service has no cycles, for any arrivals. Ordered by occupancy, T is
// upper triangular by blocks of order n. The diagonal block of occupancy i is δ_i·I − D0 with δ_i the rate of departures
// and moves of service.
type ArrivalTriangular struct {
	n       int
	local   *Sparse   // L: moves of service without its diagonal
	inverse []float64 // of the diagonal blocks, one n×n matrix after the other
}

// NewArrivalTriangular returns the block of a level with the inverses of its diagonal blocks δ_i·I − D0. local holds the
// moves of service without their diagonal, served the rates of departures by occupancy, arrival those of arrivals by phase.
// The inverses are found by elimination without subtractions: their row sums are δ_i plus the arrival rates of the phases.
func NewArrivalTriangular(ctx context.Context, d0 block.Matrix, local *Sparse, served, arrival []float64) (*ArrivalTriangular, error) {
	n, k := d0.Rows, local.Rows
	t := &ArrivalTriangular{n: n, local: local, inverse: make([]float64, k*n*n)}
	leaves := floats.AddTo(make([]float64, k), served, local.RowSums())
	exit := make([]float64, n)
	for i, out := range leaves {
		if block.Stopped(ctx, i) {
			return nil, ctx.Err()
		}
		rates := block.ScratchOf(d0)
		copy(exit, arrival)
		floats.AddConst(out, exit)
		f, err := block.FactorGTH(ctx, rates, exit)
		if err != nil {
			return nil, err
		}
		inverse := block.Over(n, n, t.inverse[i*n*n:(i+1)*n*n])
		for a := range n {
			inverse.Data[a*n+a] = 1
		}
		f.Solve(ctx, inverse)
		f.Release()
	}
	return t, nil
}

// Solve overwrites b with T⁻¹·b by backward substitution over the occupancies i. With D_i⁻¹ the inverse of diagonal
// block i and L the moves of service,
//
//	x_i = D_i⁻¹·(b_i + Σ_{j>i} L_ij·x_j).
//
// The columns of b are shared between processors.
func (t *ArrivalTriangular) Solve(ctx context.Context, b block.Matrix) {
	n, k := t.n, t.local.Rows
	block.Share(b.Cols, 16, n*(len(t.local.Val)+n*k)*b.Cols, func(from, to int) {
		old := block.NewRaw(n, to-from)
		defer old.Release()
		for i := k - 1; i >= 0 && !block.Stopped(ctx, i); i-- {
			cols, vals := t.local.Row(i)
			for a := range n {
				row := b.Row(a*k + i)[from:to]
				for e, j := range cols {
					floats.AddScaled(row, vals[e], b.Row(a*k + int(j))[from:to])
				}
				copy(old.Row(a), row)
			}
			inverse := t.inverse[i*n*n : (i+1)*n*n]
			for a := range n {
				row := b.Row(a*k + i)[from:to]
				floats.ScaleTo(row, inverse[a*n], old.Row(0))
				for c := 1; c < n; c++ {
					if v := inverse[a*n+c]; v != 0 {
						floats.AddScaled(row, v, old.Row(c))
					}
				}
			}
		}
	})
}

// SolveLeft overwrites b with x = b·T⁻¹ by forward substitution over the occupancies, x_i = (b_i + Σ_{j<i}
// L_ji·x_j)·D_i⁻¹.
func (t *ArrivalTriangular) SolveLeft(x []float64) {
	n, k := t.n, t.local.Rows
	v := make([]float64, n)
	for i := range k {
		clear(v)
		inverse := t.inverse[i*n*n : (i+1)*n*n]
		for a := range n {
			if xa := x[a*k+i]; xa != 0 {
				floats.AddScaled(v, xa, inverse[a*n:(a+1)*n])
			}
		}
		cols, vals := t.local.Row(i)
		for a, xa := range v {
			x[a*k+i] = xa
			for e, j := range cols {
				x[a*k+int(j)] += xa * vals[e]
			}
		}
	}
}

// Transposed returns a copy of a matrix with rows and columns exchanged.
func Transposed(m block.Matrix) block.Matrix {
	t := block.New(m.Cols, m.Rows)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			t.Data[j*t.Cols+i] = v
		}
	}
	return t
}

// SolveTransposed overwrites the columns of b with T⁻ᵀ times them by forward elimination: Tᵀ is lower triangular.
func (t Triangular) SolveTransposed(b block.Matrix) {
	for i, over := range t.Over {
		row := b.Row(i)
		floats.Scale(over, row)
		cols, vals := t.Off.Row(i)
		for e, j := range cols {
			floats.AddScaled(b.Row(int(j)), vals[e], row)
		}
	}
}

// SolveTransposed overwrites the columns of b with T⁻ᵀ times them by forward elimination over the occupancies i. With
// D_i⁻¹ the inverse of diagonal block i and L the moves of service,
//
//	x_i = D_i⁻ᵀ·(b_i + Σ_{j<i} L_ji·x_j),   one column of b at a time, with x_i over the arrival phases.
func (t *ArrivalTriangular) SolveTransposed(b block.Matrix) {
	n, k := t.n, t.local.Rows
	old := block.NewRaw(n, b.Cols)
	defer old.Release()
	for i := range k {
		for a := range n {
			copy(old.Row(a), b.Row(a*k+i))
		}
		inverse := t.inverse[i*n*n : (i+1)*n*n]
		cols, vals := t.local.Row(i)
		for c := range n {
			row := b.Row(c*k + i)
			floats.ScaleTo(row, inverse[c], old.Row(0))
			for a := 1; a < n; a++ {
				if v := inverse[a*n+c]; v != 0 {
					floats.AddScaled(row, v, old.Row(a))
				}
			}
			for e, j := range cols {
				floats.AddScaled(b.Row(c*k+int(j)), vals[e], row)
			}
		}
	}
}

// Cyclic is the factored block of service that has cycles.
type Cyclic struct{ *block.GTH }

// SolveTransposed overwrites the columns of b with T⁻ᵀ times them.
func (c Cyclic) SolveTransposed(b block.Matrix) {
	rows := Transposed(b)
	c.SolveLeftRows(context.Background(), rows) // a panel, as in an elimination
	copy(b.Data, Transposed(rows).Data)
}
