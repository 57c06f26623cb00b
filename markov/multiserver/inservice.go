package multiserver

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// moves holds the rates between the states in service of a level, without arrivals and departures, and the total rate
// out of each state. It is the matrix T = −(D0 ⊕ L). Off holds D0 ⊕ L without its diagonal, n·K_l × n·K_l. Over holds
// the mean times between events, 1/out. The two parts solve with T if it is triangular, see [system.inServiceBlock].
type moves struct {
	statespace.Triangular
	out []float64 // total rate out of each state (a, i), arrivals and departures included: n·K_l
}

// imbalance returns how far the states in service of a level are from balance. x holds their probabilities, and inflow
// the rates of entering them from other levels or switch-overs, by arrival phase and occupancy. diff is inflow, plus
// the moves into each state within the level, minus the flow out of it. It overwrites inflow and shares its storage; x
// stays unchanged. flow is the sum of the flows out of all states. The quotient of ‖diff‖₁ and flow is the residual.
func (m *moves) imbalance(x, inflow []float64) (diff []float64, flow float64) {
	diff = inflow
	m.Off.KronLeft(diff, x, 1)
	for i, xi := range x {
		diff[i] -= xi * m.out[i]
		flow += xi * m.out[i]
	}
	return diff, flow
}

// moves returns the rates between the states in service of a level from 1 to c, without arrivals and departures. It
// also returns the total rates out of the states, arrivals and departures included, and their inverses. A state is an
// arrival phase a and an occupancy i, with the index a·K + i for K occupancies of the level. Speeds of service are
// included; [system.allocate] must have set them. If no phase can change, the matrix lies in the field unmoved and must
// not be changed.
func (s *system) moves(level int) moves {
	k, n := s.index.Size(level), s.ar.N
	numbers := s.store.Vector(2 * n * k)
	out, times := numbers[:n*k:n*k], numbers[n*k:]
	// Neither the arrival phase nor the phase of a job can change: only the diagonal is left.
	if s.ar.Diagonal && s.t[level-1].IsZero() {
		served := out[:k] // becomes the rates out of the first arrival phase last
		s.setDepartureRates(served, level)
		for a := n - 1; a >= 0; a-- {
			row := out[a*k : (a+1)*k]
			copy(row, served)
			floats.AddConst(s.ar.Out[a], row)
		}
		block.SetInverses(times, out)
		return moves{statespace.Triangular{Off: &s.unmoved[level], Over: times}, out}
	}
	served := s.departureRates(level)
	local := s.index.Local(level, s.t[level-1], s.speeds[level])
	floats.Add(served, local.RowSums())
	b := statespace.NewSparse(s.store, n*k, n*k, n*(len(local.Val)+n*k))
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
	block.SetInverses(times, out)
	return moves{statespace.Triangular{Off: &b.Sparse, Over: times}, out}
}

// departureRates returns the rate of departures, per unit of time, for each occupancy of a level from 1 to c. It is Σ_j
// n_j·exit_j·speed_j for an occupancy with n_j jobs in phase j. exit_j is the exit rate of the phase. speed_j is the
// factor of its speed in this occupancy, 1 if the queue has no speeds. The result is a new vector. The occupancies must
// be numbered; see [system.allocate].
func (s *system) departureRates(level int) []float64 {
	rates := s.store.Vector(s.index.Size(level))
	s.setDepartureRates(rates, level)
	return rates
}

// setDepartureRates overwrites rates, a number for each occupancy of a level from 1 to c, with the result of
// [system.departureRates]: departures per unit of time. So the caller can give part of a larger slice.
func (s *system) setDepartureRates(rates []float64, level int) {
	exit := s.exit[level-1]
	for i := range rates {
		sum := 0.0
		for j, n := range s.index.At(level, i) {
			sum += float64(n) * exit[j] * statespace.SpeedAt(s.speeds[level], i*s.m+j)
		}
		rates[i] = sum
	}
}

// inServiceBlock returns the solver with the matrix T of the states in service of a level from 1 to c, given its moves.
// T⁻¹ holds the mean times in each state until the next arrival or departure. T is triangular if neither service nor
// arrival phases have cycles. If only arrival phases have cycles, it is triangular by blocks. If service has cycles, it
// is factored as a dense matrix. m is what [system.moves] returns for the level. The triangular solver is part of m,
// and has no error. The block triangular solver has the error ErrReducible if some state is never left. The dense
// solver wraps it in a *[markov.BlockError] that names the level. If ctx ends, both have the error of ctx.
func (s *system) inServiceBlock(ctx context.Context, level int, m *moves) (statespace.InServiceBlock, error) {
	if s.ordered && s.ar.Ordered {
		return &m.Triangular, nil
	}
	if s.ordered {
		local := s.index.Local(level, s.t[level-1], s.speeds[level])
		return statespace.NewArrivalTriangular(ctx, s.ar.D0, local, s.departureRates(level), s.ar.PhaseRates)
	}
	exit := slices.Repeat(s.departureRates(level), s.ar.N)
	k := s.index.Size(level)
	for i := range exit {
		exit[i] += s.ar.PhaseRates[i/k]
	}
	rates := block.New(len(exit), len(exit))
	m.Off.AddKron(rates, 1, 1)
	f, err := block.FactorGTH(ctx, rates, exit)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, statespace.Wrong(level, "service", -1, -1, "%w", err)
	}
	return statespace.Cyclic{GTH: f}, nil
}

// departureTransitions returns the rates at which departures from a level, 1 to c, change its occupancy: a row for each
// of its occupancies, and a column for each occupancy of one job less. The speeds and the phase map of the departure
// are included. Above level c, departures are the field refill of [saturated] instead. The matrix is W of the package;
// it is new, and incomplete if ctx ends. The occupancies must be numbered.
func (s *system) departureTransitions(ctx context.Context, level int) *statespace.Sparse {
	w := s.index.Departure(level, s.exit[level-1], s.speeds[level])
	if phi, ok := s.phaseMap(level, level-1); ok {
		return s.index.Product(w, s.index.PhaseMap(ctx, level-1, phi))
	}
	return w
}

// arrivalTransitions returns the probabilities by which an arrival at a level, 0 to c−1, changes its occupancy: a row
// for each of its occupancies, and a column for each occupancy of one job more. The phase map of the arrival and the
// first phase of the new job are included. The matrix is U of the package; it is incomplete if ctx ends.
// [system.allocate] must have been called. The matrix may share storage with the matrices of other levels, and must not
// be changed.
func (s *system) arrivalTransitions(ctx context.Context, level int) *statespace.Sparse {
	u := s.newJobs(level)
	if phi, ok := s.phaseMap(level, level+1); ok {
		return s.index.Product(s.index.PhaseMap(ctx, level, phi), u)
	}
	return u
}

// newJobs returns the probabilities by which a new job at a level, 0 to c−1, changes its occupancy, without a phase
// map. It has a row for each occupancy of the level, and a column for each occupancy of one job more. Levels with the
// same initial phases of service as level c share the leading part of the field arrivals, which [system.allocate] must
// have set. So the result must not be changed. Other levels get a new matrix.
func (s *system) newJobs(level int) *statespace.Sparse {
	if !floats.Equal(s.alpha[level], s.alpha[s.c-1]) {
		return s.index.Arrival(level, s.alpha[level])
	}
	return s.index.Leading(s.arrivals, level)
}
