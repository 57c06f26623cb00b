package multiserver

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

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

// moves returns the rates of D0 ⊕ L of level l, 1 ≤ l ≤ c, of order n·K_l. State (a, i) has the index a·K_l + i.
func (s *system) moves(l int) moves {
	k, n := s.index.Size(l), s.ar.N
	out := make([]float64, n*k)
	// Neither the arrival phase nor the phase of a job can change: only the diagonal is left.
	if s.ar.Diagonal && s.t[l-1].IsZero() {
		served := out[:k] // becomes the rates out of the first arrival phase last
		s.setDepartureRates(served, l)
		for a := n - 1; a >= 0; a-- {
			row := out[a*k : (a+1)*k]
			copy(row, served)
			floats.AddConst(s.ar.Out[a], row)
		}
		return moves{s.noMoves(n * k), out}
	}
	served := s.departureRates(l)
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

// noMoves returns a matrix of zeros of the given order, at most that of level c. All share their row starts.
func (s *system) noMoves(order int) *statespace.Sparse {
	if s.emptyRows == nil {
		s.emptyRows = make([]int32, s.ar.N*s.index.Size(s.c)+1)
	}
	return &statespace.Sparse{Rows: order, Cols: order, Start: s.emptyRows[:order+1]}
}

// departureRates returns the rate of departures Σ_j n_j·exit_j·speed_j for each occupancy (n_j jobs in phase j) of level
// l ≤ c.
func (s *system) departureRates(l int) []float64 {
	rates := make([]float64, s.index.Size(l))
	s.setDepartureRates(rates, l)
	return rates
}

// setDepartureRates overwrites rates with the result of [system.departureRates] for level l, so that loops over levels share one
// slice.
func (s *system) setDepartureRates(rates []float64, l int) {
	exit := s.exit[l-1]
	for i := range rates {
		sum := 0.0
		for j, n := range s.index.At(l, i) {
			sum += float64(n) * exit[j] * statespace.SpeedAt(s.speeds[l], i*s.m+j)
		}
		rates[i] = sum
	}
}

// inServiceBlock returns the solver with T of level l: triangular where possible, a dense factorisation where service
// has cycles. The error is a *[markov.BlockError] if service never ends from some phase.
func (s *system) inServiceBlock(ctx context.Context, l int, m *moves) (statespace.InServiceBlock, error) {
	if s.ordered && s.ar.Ordered {
		over := block.Ones(len(m.out))
		floats.Div(over, m.out)
		return statespace.Triangular{Off: m.off, Over: over}, nil
	}
	if s.ordered {
		local := s.index.Local(l, s.t[l-1], s.speeds[l])
		return statespace.NewArrivalTriangular(ctx, s.ar.D0, local, s.departureRates(l), s.ar.F.RowSums())
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
	return statespace.Cyclic{GTH: f}, nil
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
