package multiserver

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// inServiceBlock solves with the matrix T = −(D0 ⊕ L) of the states in service (a, i) of a level. The moves in T are
// neither arrivals nor departures. The diagonal of T holds the total rate out of each state, arrivals and departures
// included.
type inServiceBlock interface {
	// Solve overwrites b with T⁻¹·b, unless ctx ends.
	Solve(ctx context.Context, b block.Matrix)
	// SolveLeft overwrites x with x·T⁻¹.
	SolveLeft(x []float64)
	// solveTransposed overwrites the columns of b with T⁻ᵀ times them.
	solveTransposed(b block.Matrix)
}

// moves holds the off-diagonal rates of D0 ⊕ L, and the total rate out of each state, arrivals and departures included.
type moves struct {
	off *statespace.Sparse
	out []float64
}

// imbalance returns inflow − x·T, which overwrites inflow, and the total flow Σ_i x_i·T_ii out of the states. Their
// quotient is the residual of the balance of a level.
func (m *moves) imbalance(x, inflow []float64) (diff []float64, flow float64) {
	diff = inflow
	m.off.KronLeft(diff, x, 1)
	for i, xi := range x {
		diff[i] -= xi * m.out[i]
		flow += xi * m.out[i]
	}
	return diff, flow
}

// triangular is the block of a level without cycles. Arrival phases and service phases are numbered so that every move
// leads to a later state. So T is upper triangular and stays sparse.
type triangular struct {
	*moves
	over []float64 // 1/out, because divisions take longer than all else in a solve
}

// Solve overwrites b with T⁻¹·b by backward substitution; columns of b are shared between processors.
func (t triangular) Solve(ctx context.Context, b block.Matrix) {
	block.Share(b.Cols, 16, (len(t.off.Val)+len(t.out))*b.Cols, func(from, to int) {
		for i := len(t.out) - 1; i >= 0 && !block.Stopped(ctx, i); i-- {
			row := b.Row(i)[from:to]
			cols, vals := t.off.Row(i)
			for e, j := range cols {
				floats.AddScaled(row, vals[e], b.Row(int(j))[from:to])
			}
			floats.Scale(t.over[i], row)
		}
	})
}

// SolveLeft overwrites x with x·T⁻¹ by forward substitution. States from which nothing flows are skipped.
func (t triangular) SolveLeft(x []float64) {
	for i, over := range t.over {
		if x[i] == 0 {
			continue
		}
		xi := x[i] * over
		x[i] = xi
		cols, vals := t.off.Row(i)
		for e, j := range cols {
			x[j] += xi * vals[e]
		}
	}
}

// arrivalTriangular is the block of a level whose service has no cycles, for any arrivals. Ordered by occupancy, T is
// upper triangular by blocks of order n. The diagonal block of occupancy i is δ_i·I − D0 with δ_i the rate of departures
// and moves of service.
type arrivalTriangular struct {
	n       int
	local   *statespace.Sparse // L: moves of service without its diagonal
	inverse []float64          // of the diagonal blocks, one n×n matrix after the other
}

// newArrivalTriangular returns the block of level l with the inverses of its diagonal blocks δ_i·I − D0. These are
// found by elimination without subtractions: their row sums are δ_i plus the arrival rates of the phases.
func (s *system) newArrivalTriangular(ctx context.Context, l int) (*arrivalTriangular, error) {
	n, k := s.ar.N, s.index.Size(l)
	t := &arrivalTriangular{n: n, local: s.index.Local(l, s.t[l-1], s.speeds[l]), inverse: make([]float64, k*n*n)}
	served, arrival := s.departureRates(l), s.ar.F.RowSums()
	floats.Add(served, t.local.RowSums())
	exit := make([]float64, n)
	for i, out := range served {
		if block.Stopped(ctx, i) {
			return nil, ctx.Err()
		}
		rates := block.ScratchOf(s.ar.D0)
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
func (t *arrivalTriangular) Solve(ctx context.Context, b block.Matrix) {
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
func (t *arrivalTriangular) SolveLeft(x []float64) {
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

// moves returns the rates of D0 ⊕ L of level l, 1 ≤ l ≤ c, of order n·K_l. State (a, i) has the index a·K_l + i.
func (s *system) moves(l int) moves {
	k, n := s.index.Size(l), s.ar.N
	out := make([]float64, n*k)
	served := s.departureRates(l)
	// Neither the arrival phase nor the phase of a job can change: only the diagonal is left.
	if s.ar.Diagonal && s.t[l-1].IsZero() {
		for a := range n {
			copy(out[a*k:], served)
			floats.AddConst(s.ar.Out[a], out[a*k:(a+1)*k])
		}
		return moves{&statespace.Sparse{Rows: n * k, Cols: n * k, Start: make([]int32, n*k+1)}, out}
	}
	local := s.index.Local(l, s.t[l-1], s.speeds[l])
	floats.Add(served, local.RowSums())
	b := statespace.NewSparse(n*k, n*k, n*(len(local.Val)+n*k))
	for a := range n {
		for i := range k {
			cols, vals := local.Row(i)
			for e, j := range cols {
				b.Add(a*k+int(j), vals[e])
			}
			for c := range n {
				b.Add(c*k+i, s.ar.D0.At(a, c))
			}
			b.EndRow()
			out[a*k+i] = s.ar.Out[a] + served[i]
		}
	}
	return moves{&b.Sparse, out}
}

// departureRates returns the rate of departures Σ_j n_j·exit_j·speed_j for each occupancy (n_j jobs in phase j) of level
// l ≤ c.
func (s *system) departureRates(l int) []float64 {
	rates := make([]float64, s.index.Size(l))
	for i := range rates {
		for j, n := range s.index.At(l, i) {
			rates[i] += float64(n) * s.exit[l-1][j] * statespace.SpeedAt(s.speeds[l], i*s.m+j)
		}
	}
	return rates
}

// inServiceBlock returns the solver with T of level l: triangular where possible, a dense factorisation where service
// has cycles. The error is a *[markov.BlockError] if service never ends from some phase.
func (s *system) inServiceBlock(ctx context.Context, l int, m *moves) (inServiceBlock, error) {
	if s.ordered && s.ar.Ordered {
		over := block.Ones(len(m.out))
		floats.Div(over, m.out)
		return triangular{m, over}, nil
	}
	if s.ordered {
		return s.newArrivalTriangular(ctx, l)
	}
	exit := slices.Repeat(s.departureRates(l), s.ar.N)
	k := s.index.Size(l)
	for i := range exit {
		exit[i] += block.Sum(s.ar.F.Row(i / k))
	}
	rates := block.New(len(exit), len(exit))
	m.off.AddKron(rates, 1, 1)
	f, err := block.FactorGTH(ctx, rates, exit)
	if err != nil {
		return nil, statespace.Wrong(l, "service", -1, -1, "%w", err)
	}
	return cyclic{f}, nil
}

// departureTransitions returns W, K_l × K_{l−1}: the rates at which departures change the occupancies of level l, phase
// map included.
func (s *system) departureTransitions(ctx context.Context, l int) *statespace.Sparse {
	w := s.index.Departure(l, s.exit[l-1], s.speeds[l])
	if phi, ok := s.phaseMap(l, l-1); ok {
		return w.Times(s.index.PhaseMap(ctx, l-1, phi))
	}
	return w
}

// arrivalTransitions returns U, K_l × K_{l+1}: the probabilities by which an arrival changes the occupancies of level l,
// phase map included.
func (s *system) arrivalTransitions(ctx context.Context, l int) *statespace.Sparse {
	u := s.index.Arrival(l, s.alpha[l])
	if phi, ok := s.phaseMap(l, l+1); ok {
		return s.index.PhaseMap(ctx, l, phi).Times(u)
	}
	return u
}

// collapse returns the sum of each run of k entries of x. So a vector over pairs with an occupancy is summed over the K
// occupancies.
func collapse(x []float64, k int) []float64 {
	y := make([]float64, len(x)/k)
	for i := range y {
		y[i] = block.Sum(x[i*k : (i+1)*k])
	}
	return y
}
