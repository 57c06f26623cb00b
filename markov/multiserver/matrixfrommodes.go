package multiserver

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// The iteration ends when the remaining changes of each entry of T are below entryTol relative to the entry. In the end
// changes fall by the decay rate of the queue or faster. The iteration fails if changes no longer fall by a factor of
// slowestChange per step. It also fails after mostIterations steps, which take as long as a reduction. Results are
// extrapolated from changes of at most nearChange on: changes are nearly linear then.
const (
	entryTol       = 1e-13
	mostIterations = 60
	slowestChange  = 0.9
	nearChange     = 0.01
)

// sojournsFromModes returns x, the mean times in each state in service of level c between an arrival and the first
// passage to a lower level: X of [saturated]. x has a row for each occupancy after the arrival, and a column for each
// arrival phase and occupancy. Arrivals must be renewal, with D0 upper triangular. off is the relative error of an
// entry of T = X·(F⊗I), which takes arrivals from one level to the next. F holds the arrival rates by phase, and A the
// phases after an arrival. L and V are the rates of service without and with a departure. The function starts with the
// matrix T of the modes, and makes steps of the fixed point iteration
//
//	Θ = L + T·V,   X = (A⊗I)·(−(D0⊕Θ))⁻¹,   T ← X·(F⊗I).
//
// Changes fall by a factor of at most the decay rate η. So a last relative change d of an entry leaves a relative error
// of at most d/(1 − η) in it, whatever T the last step began with. The rounding errors of a step come on top. This holds
// for the smallest entries, too, whatever digits the eigenvectors have lost: a step subtracts only in the row sums of the
// matrix that it inverts. A [reduction.Extrapolation] of T saves an eighth of the steps of drawn queues, and 5 of 15 for
// H2/H2/16 with switch-overs. The transitions of b must be set: k, refill and departures, as [system.unsolvedSaturated]
// sets them; b stays unchanged.
//
// The error comes from [spectrum.Station.Modes]: it wraps ErrMethod or ErrNoConvergence. It also wraps ErrNoConvergence
// if the changes do not settle, and ErrInaccurate if a factorisation finds a state that is never left. It is the error
// of ctx if ctx ends. With an error x has no meaning.
func (s *system) sojournsFromModes(ctx context.Context, b *saturated) (x block.Matrix, off float64, err error) {
	m, err := s.station.Modes(ctx)
	if err != nil {
		return x, 0, fmt.Errorf("spectral expansion: %w", err)
	}
	t := m.MatrixT(ctx)
	m.Psi.Release()
	for i, v := range t.Data {
		t.Data[i] = max(0, v)
	}
	x = block.New(b.k, s.ar.N*b.k)
	next, last := block.New(b.k, b.k), math.Inf(1)
	_, _, gap := s.station.Caudal(ctx)
	e := reduction.NewExtrapolation(b.k*b.k, (1-gap)/gap)
	defer e.Release()
	for step := 1; step <= mostIterations; step++ {
		if err := s.sojournsBetweenArrivals(ctx, b, x, t); err != nil {
			if ctx.Err() != nil {
				return x, 0, ctx.Err()
			}
			return x, 0, fmt.Errorf("spectral expansion: %v: %w", err, markov.ErrInaccurate)
		}
		clear(next.Data)
		statespace.KronColsAdd(next, x, s.ar.F, b.k)
		change := block.LargestChange(t.Data, next.Data)
		slow := change > slowestChange*last
		if change <= entryTol*gap || change <= entryTol && slow {
			return x, change / gap, nil
		}
		if math.IsNaN(change) || step > 4 && slow {
			break
		}
		e.Add(t.Data, next.Data)
		if change <= nearChange && !slow {
			e.Extrapolate(next.Data)
		}
		t, next, last = next, t, change
	}
	return x, 0, fmt.Errorf("spectral expansion: the matrix from eigenvectors does not settle: %w", markov.ErrNoConvergence)
}

// sojournsBetweenArrivals overwrites x with the mean time in each state of an interarrival time. Service meanwhile runs
// with the generator Θ = L + T·V, where L and V hold the rates of service without and with a departure. x has a row for
// each of the K occupancies, and n·K columns, by arrival phase and occupancy. It is a step of
// [system.sojournsFromModes]: t holds the last T, K×K, and stays unchanged. Arrivals must be renewal, with D0 upper
// triangular. D0 has the diagonal −δ_a, so the block columns of the arrival phases a follow one after the other:
//
//	X_a = (A_a·I + Σ_{b<a} D0_ba·X_b)·(δ_a·I − Θ)⁻¹,
//
// where A_a is the probability that an interarrival time begins in phase a.
//
// Each δ_a·I − Θ is an M-matrix with known row sums δ_a + departures − T·departures, so its factorisation needs no
// diagonal. These row sums are the only differences. They can be negative where arrival phases have very different
// rates; the pivots are positive even then. Of b, only k, refill and departures are read. The error is ErrReducible if
// a pivot is not positive, or the error of ctx; x is then incomplete.
func (s *system) sojournsBetweenArrivals(ctx context.Context, b *saturated, x, t block.Matrix) error {
	k := b.k
	theta, part := block.NewScratch(k, k), block.NewRaw(k, k)
	defer theta.Release()
	defer part.Release()
	b.refill.MulKronRight(ctx, theta, t, 1)
	s.index.Local(s.c, s.t[s.c-1], nil).AddKron(theta, 1, 1)
	for a, out := range s.ar.Out {
		sums := floats.SubTo(make([]float64, k), b.departures, block.MulVec(t, b.departures))
		floats.AddConst(out, sums)
		if s.ar.Diagonal { // X_a = A_a·(δ_a·I − Θ)⁻¹, for 3/4 of the operations of factors and a solve
			copy(part.Data, theta.Data)
			if err := block.InvertGTH(ctx, part, sums); err != nil {
				return err
			}
			floats.Scale(s.ar.A.At(0, a), part.Data)
		} else if err := s.solvePhase(ctx, part, x, theta, a, sums); err != nil {
			return err
		}
		for i := range k {
			copy(x.Row(i)[a*k:(a+1)*k], part.Row(i))
		}
	}
	return nil
}

// solvePhase overwrites part, K×K for K occupancies, with the mean times in arrival phase a and each occupancy during
// an interarrival time: the block X_a of [system.sojournsBetweenArrivals]. Row i of x, by arrival phase and occupancy,
// must hold row i of the blocks of the phases before a. x stays unchanged, and so does theta, the generator Θ of
// service without its diagonal. sums holds the row sums of δ_a·I − Θ; the factorisation overwrites it. The error is
// ErrReducible if the factorisation finds a state that is never left, or the error of ctx.
func (s *system) solvePhase(ctx context.Context, part, x, theta block.Matrix, a int, sums []float64) error {
	k := part.Rows
	clear(part.Data) // becomes A_a·I + Σ_{b<a} D0_ba·X_b
	for i := range k {
		part.Row(i)[i] = s.ar.A.At(0, a)
		for before := range a {
			floats.AddScaled(part.Row(i), s.ar.D0.At(before, a), x.Row(i)[before*k:(before+1)*k])
		}
	}
	f, err := block.FactorGTH(ctx, block.ScratchOf(theta), sums)
	if err != nil {
		return err
	}
	f.SolveLeftRows(ctx, part)
	f.Release()
	return ctx.Err()
}
