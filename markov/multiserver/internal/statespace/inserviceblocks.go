package statespace

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// InServiceBlock solves with the matrix T = −(D0 ⊕ L) of the n·K_l states in service (a, i) of a level. State (a, i)
// has arrival phase a, occupancy i and the index a·K_l + i. K_l is the number of occupancies of the level. D0 holds the
// rates of the n arrival phases, L the moves of service phases. The diagonal of T holds the total rate out of each
// state, arrivals and departures included. T⁻¹ holds the mean times in each state until the next arrival or departure.
// Right-hand sides must be nonnegative: some kinds of block lose digits with numbers of both signs.
type InServiceBlock interface {
	// Solve overwrites b, a row for each state, with T⁻¹·b. If ctx ends, b is incomplete and the caller checks ctx.
	Solve(ctx context.Context, b block.Matrix)
	// SolveLeft overwrites x, an entry for each state, with x·T⁻¹.
	SolveLeft(x []float64)
	// SolveTransposed overwrites each column v of b with T⁻ᵀ·v: SolveLeft for many vectors, which stand in the columns.
	SolveTransposed(b block.Matrix)
}

// Triangular is the [InServiceBlock] of a level whose service and arrivals have no cycles. Both kinds of phases are
// numbered so that every move leads to a later state. So T is upper triangular and stays sparse. Both fields must be
// set.
type Triangular struct {
	Off  *Sparse   // the moves
	Over []float64 // 1/T_ii, because divisions take longer than all else in a solve
}

// Solve overwrites b, which has a row for each state, with T⁻¹·b by backward substitution. T⁻¹ holds the mean times in
// each state of the level until the next arrival or departure. Several columns are computed in parallel, and b is
// incomplete if ctx ends. A single column ignores ctx.
func (t Triangular) Solve(ctx context.Context, b block.Matrix) {
	if b.Cols == 1 {
		t.solveVector(b.Data)
		return
	}
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

// solveVector overwrites x, one entry for each state of the level, with T⁻¹·x by backward substitution. T⁻¹ holds the
// mean times in each state until the next arrival or departure. It is Solve for one column, which needs no second
// processor.
func (t Triangular) solveVector(x []float64) {
	if len(t.Off.Val) == 0 {
		floats.Mul(x, t.Over)
		return
	}
	for i := len(t.Over) - 1; i >= 0; i-- {
		sum := x[i]
		cols, vals := t.Off.Row(i)
		for e, j := range cols {
			sum += vals[e] * x[j]
		}
		x[i] = sum * t.Over[i]
	}
}

// SolveLeft overwrites x, one entry for each state of a level, with x·T⁻¹ by forward substitution. T⁻¹ holds the mean
// times in each state until the next arrival or departure. So rates x of entering the states become the probabilities
// of the states. Entries that are zero when their turn comes stay zero and are skipped. Rows have a few entries each, so
// the loop does not make slices of every row.
func (t Triangular) SolveLeft(x []float64) {
	if len(t.Off.Val) == 0 {
		floats.Mul(x, t.Over)
		return
	}
	col, val := t.Off.Col, t.Off.Val[:len(t.Off.Col)]
	over := t.Over[:len(x)]
	e := 0 // entries follow one another row by row
	for i, end := range t.Off.Start[1 : len(x)+1] {
		if x[i] == 0 {
			e = int(end)
			continue
		}
		xi := x[i] * over[i]
		x[i] = xi
		for ; e < int(end); e++ {
			x[col[e]] += xi * val[e]
		}
	}
}

// ArrivalTriangular is the [InServiceBlock] of a level whose service has no cycles, for any arrivals. Ordered by
// occupancy, T is upper triangular by blocks of order n, the number of arrival phases. The diagonal block of occupancy
// i is δ_i·I − D0, where δ_i is the total rate of departures and moves of service in occupancy i.
type ArrivalTriangular struct {
	n       int
	local   *Sparse   // L: moves of service without its diagonal
	inverse []float64 // of the diagonal blocks, one n×n matrix after the other
}

// NewArrivalTriangular returns the solver with the matrix T of a level whose service has no cycles, with n arrival
// phases and K occupancies. T⁻¹ holds the mean times in each state until the next arrival or departure. It computes the
// inverses of the diagonal blocks of T, n×n for each occupancy. All arguments are rates per unit of time. They stay
// unchanged. The solver refers to local:
//
//   - d0: rates between arrival phases without an arrival, n×n, diagonal zero;
//   - local: moves of service between occupancies, K×K, strictly upper triangular;
//   - served: rate of departures of each occupancy, K entries;
//   - arrival: rate of arrivals of each arrival phase, n entries.
//
// The inverses are found by elimination without subtractions. The error comes from ctx, or is ErrReducible if a state
// cannot be left.
func NewArrivalTriangular(ctx context.Context, d0 block.Matrix, local *Sparse,
	served, arrival []float64) (*ArrivalTriangular, error) {
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

// Solve overwrites b with x = T⁻¹·b by backward substitution over the K occupancies. The row of the state with arrival
// phase a and occupancy i is a·K + i. T⁻¹ holds the mean times in each state until the next arrival or departure. D_i
// is the diagonal block of T for occupancy i, and L the moves of service. b_i and x_i are the rows of occupancy i, one
// for each arrival phase:
//
//	x_i = D_i⁻¹·(b_i + Σ_{j>i} L_ij·x_j).
//
// Columns are computed in parallel. b is incomplete if ctx ends.
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

// SolveLeft overwrites x with x·T⁻¹ by forward substitution over the K occupancies. The entry of the state with arrival
// phase a and occupancy i is a·K + i. T⁻¹ holds the mean times in each state until the next arrival or departure. So
// rates x of entering the states become the probabilities of the states. D_i is the diagonal block of T for occupancy
// i, and L the moves of service. The new entries x_i of occupancy i, one for each arrival phase, are
//
//	x_i ← (x_i + Σ_{j<i} L_ji·x_j)·D_i⁻¹.
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

// Transposed returns a new matrix: a copy of m with rows and columns exchanged.
func Transposed(m block.Matrix) block.Matrix {
	t := block.New(m.Cols, m.Rows)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			t.Data[j*t.Cols+i] = v
		}
	}
	return t
}

// SolveTransposed overwrites each column v of b, one entry for each state of a level, with T⁻ᵀ·v by forward
// elimination. T⁻¹ holds the mean times in each state until the next arrival or departure, and T⁻ᵀ is its transpose. It
// is SolveLeft for many vectors at once, which stand in the columns.
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

// SolveTransposed overwrites each column v of b with x = T⁻ᵀ·v by forward elimination over the K occupancies. The row
// of the state with arrival phase a and occupancy i is a·K + i. It is SolveLeft for many vectors at once, which stand
// in the columns. T⁻¹ holds the mean times in each state until the next arrival or departure. D_i is the diagonal block
// of T for occupancy i, and L the moves of service. x_i and v_i are the rows of occupancy i, one for each arrival
// phase:
//
//	x_i = D_i⁻ᵀ·(v_i + Σ_{j<i} L_ji·x_j).
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

// Cyclic is the [InServiceBlock] of a level whose service has cycles: the dense factors of T, found without
// subtractions.
type Cyclic struct{ *block.GTH }

// SolveTransposed overwrites each column v of b, one entry for each state of a level, with T⁻ᵀ·v. T⁻¹ holds the mean
// times in each state until the next arrival or departure. The entries of b must be nonnegative. It is SolveLeft for
// many vectors at once, which stand in the columns.
func (c Cyclic) SolveTransposed(b block.Matrix) {
	rows := Transposed(b)
	c.SolveLeftRows(context.Background(), rows) // a panel, as in an elimination
	copy(b.Data, Transposed(rows).Data)
}
