package multiserver

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// repeatingPart is the part of the chain at and above level c. Its states in service obey
//
//	x_k = x_{k−1}·R + u_k·Ω,   R = (F⊗I)·X,   k ≥ 1 levels above c,
//
// u_k being the switch-overs that arrivals to level c+k find unfinished, by class of the arrival, phase of the
// switch-over and occupancy, and Ω the mean times spent in each state in service from their end until the level is left
// downward.
type repeatingPart struct {
	*saturated
	sys        *system
	switchOver *switchOver  // of level c
	after      block.Matrix // Ω, r·s·K × n·K; rows that are not entered may be zero
	entered    []int        // occupancies in which an arrival to level c−1 may result

	basis   spectrum.LeftSolver // the entries of the modes, if their coefficients are found by iteration
	balance *balance            // of the coefficients, until the solve ends
	b       []complex128        // the coefficients, [spectrum.Modes.Order] for each mode, if it is by them that the levels are known

	// of [repeatingPart.sweep], by level from c on
	sweeps     int
	near, step [][]float64
}

// newRepeatingPart adds the switch-over of level c.
func (s *system) newRepeatingPart(ctx context.Context, b *saturated) (*repeatingPart, error) {
	rp := &repeatingPart{saturated: b, sys: s, switchOver: s.up[s.c], entered: s.entered()}
	if rp.switchOver.phases == 0 || b.Modes != nil {
		return rp, nil
	}
	return rp, rp.solveAfter(ctx)
}

// entered returns the occupancies of c jobs in which an arrival to level c−1 may result: some job is in a phase in which
// service begins.
func (s *system) entered() (all []int) {
	alpha := s.alpha[s.c-1]
	for i := range s.index.Size(s.c) {
		for j, n := range s.index.At(s.c, i) {
			if n > 0 && alpha[j] > 0 {
				all = append(all, i)
				break
			}
		}
	}
	return all
}

// solveAfter solves for Ω = Γ·N, where Γ is the distribution over the states in service of a level when service first
// begins there, starting just after an arrival that finds a switch-over unfinished, counted from that arrival's level:
//
//	Γ = (ending⊗I) + (next⊗I)·Γ·G,   G = N·(I⊗V).
//
// An acyclic switch-over under renewal arrivals has triangular next and is solved block by block: with ω its diagonal
// entry, (I − ωG)⁻¹·N = (−U − ω·(I⊗V))⁻¹, whose row sums are known again, and Γ_j·G = Ω_j·(I⊗V). Otherwise Γ is summed
// by doubling.
func (rp *repeatingPart) solveAfter(ctx context.Context) error {
	if upperTriangular(rp.switchOver.next) {
		return rp.afterByBlocks(ctx)
	}
	return rp.afterByDoubling(ctx)
}

func upperTriangular(m block.Matrix) bool {
	for i := range m.Rows {
		for j := range i {
			if m.At(i, j) != 0 {
				return false
			}
		}
	}
	return true
}

func (rp *repeatingPart) afterByBlocks(ctx context.Context) error {
	n, k := rp.sys.ar.N, rp.k
	next, ends := rp.switchOver.next, rp.switchOver.ending.RowSums()
	rp.after = block.New(next.Rows*k, n*k)
	solved := make([]block.Matrix, next.Rows) // rows of Ω by phase of the switch-over
	var inner *block.GTH
	omega, left := -1.0, -1.0
	for i := next.Rows - 1; i >= 0; i-- {
		w, rest := next.At(i, i), ends[i]+block.Sum(next.Row(i)[i+1:])
		if !sameNumber(w, omega) || !sameNumber(rest, left) { // stages of one rate have the same, but for roundings
			if inner != nil {
				inner.Release()
			}
			f, err := rp.factorShifted(ctx, w, rest)
			if err != nil {
				return err
			}
			inner, omega, left = f, w, rest
		}
		rows := block.NewScratch(len(rp.entered), n*k)
		defer rows.Release()
		for e, place := range rp.entered {
			for a, p := range rp.switchOver.ending.Row(i) {
				rows.Row(e)[a*k+place] = p
			}
		}
		for j := i + 1; j < next.Rows; j++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			if w := next.At(i, j); w != 0 {
				later := block.ScratchOf(solved[j])
				floats.Scale(w, later.Data)
				for e := range rp.entered {
					rp.refill.KronLeft(rows.Row(e), later.Row(e), n)
				}
				later.Release()
			}
		}
		inner.SolveLeftRows(ctx, rows)
		for e, place := range rp.entered {
			copy(rp.after.Row(i*k+place), rows.Row(e))
		}
		solved[i] = rows
	}
	inner.Release()
	return nil
}

// sameNumber reports whether two sums of a few positive terms are the same but for their roundings.
func sameNumber(a, b float64) bool { return math.Abs(a-b) <= fewRoundings/2*a }

// factorShifted factors −U − ω·(I⊗V). What ω lacks to one is given: of a switch-over that lasts for many arrivals the
// difference would have few digits.
func (rp *repeatingPart) factorShifted(ctx context.Context, omega, rest float64) (*block.GTH, error) {
	p := rp.sys.censored(ctx, rp.saturated)
	rp.refill.AddKron(p, omega, rp.sys.ar.N)
	exit := repeat(rp.departures, rp.sys.ar.N)
	floats.Scale(rest, exit)
	return block.FactorGTH(ctx, p, exit)
}

func (rp *repeatingPart) afterByDoubling(ctx context.Context) error {
	n, k := rp.sys.ar.N, rp.k
	minU, err := rp.factorShifted(ctx, 0, 1)
	if err != nil {
		return err
	}
	g := block.New(n*k, n*k)
	rp.refill.AddKron(g, 1, n)
	minU.Solve(ctx, g)
	gamma := kronIdentity(rp.switchOver.ending, k)
	power, ended := rp.switchOver.next.Clone(), rp.switchOver.ending.RowSums()
	for power.NormInf() > reduction.EntryTol {
		if err := ctx.Err(); err != nil {
			return err
		}
		complement(power, ended)
		complement(g, make([]float64, g.Rows))
		step := block.Mul(ctx, gamma, g)
		statespace.KronRowsAdd(ctx, gamma, power, step, k)
		floats.Add(ended, block.MulVec(power, ended))
		power = block.Mul(ctx, power, power)
		g = block.Mul(ctx, g, g)
	}
	minU.SolveLeftRows(ctx, gamma)
	rp.after = gamma
	return nil
}

// complement scales the rows of m so that they and the rest, which has the digits of a sum, make one: rounding errors of
// powers would add up over the arrivals of a long switch-over. Once most is in the rest, the rows have those digits.
func complement(m block.Matrix, rest []float64) {
	for i, p := range rest {
		if row := m.Row(i); p < 0.5 {
			floats.Scale((1-p)/block.Sum(row), row)
		}
	}
}

// entries returns the rows of the entries (q, n) of level c that there are.
func (rp *repeatingPart) entries() (rows []int) {
	for q := range rp.sys.ar.Classes {
		for _, place := range rp.entered {
			rows = append(rows, q*rp.k+place)
		}
	}
	return rows
}

// sojourns returns the mean times in each state in service of level c from an arrival that starts its switch-over until
// the level is left downward, a scratch block with a row for each entry.
func (rp *repeatingPart) sojourns(entries []int) block.Matrix {
	g := rp.switchOver
	out := block.NewRaw(len(entries), rp.x.Cols)
	for e, i := range entries {
		row := out.Row(e)
		copy(row, rp.x.Row(i))
		if g.phases == 0 {
			continue
		}
		floats.Scale(g.atom, row)
		q, place := i/rp.k, i%rp.k
		for c, p := range g.gamma {
			floats.AddScaled(row, p, rp.after.Row((q*g.phases+c)*rp.k+place))
		}
	}
	return out
}

// levelCByMatrices returns, up to one factor, the entries of level c and the stationary vector of its states in service. flow
// holds the rates at which excursions below level c lead back to its entries: the chain of entries is stochastic, entry
// = entry·sojourns·flow, and inService = entry·sojourns.
func (rp *repeatingPart) levelCByMatrices(ctx context.Context, b *boundary) (entry, inService []float64, err error) {
	entries := rp.entries()
	all, err := b.returns(ctx)
	if err != nil {
		return nil, nil, err
	}
	sojourns, flow := rp.sojourns(entries), all
	defer sojourns.Release()
	if len(entries) < flow.Cols {
		flow = block.NewRaw(flow.Rows, len(entries))
		defer flow.Release()
		for i := range flow.Rows {
			row, from := flow.Row(i), all.Row(i)
			for e, j := range entries {
				row[e] = from[j]
			}
		}
	}
	chain := block.NewScratch(len(entries), len(entries))
	defer chain.Release()
	block.MulAdd(ctx, chain, sojourns, flow)
	among, err := block.StationaryGTH(ctx, chain)
	if err != nil {
		return nil, nil, err
	}
	entry = make([]float64, all.Cols)
	for e, i := range entries {
		entry[i] = among[e]
	}
	return entry, block.VecMul(among, sojourns), nil
}

// started returns the switch-overs that entries of level c start, by class, phase and occupancy.
func (rp *repeatingPart) started(entry []float64) []float64 {
	g, k := rp.switchOver, rp.k
	u := make([]float64, g.next.Rows*k)
	for q := range rp.sys.ar.Classes {
		for c, p := range g.gamma {
			floats.AddScaled(u[(q*g.phases+c)*k:(q*g.phases+c+1)*k], p, entry[q*k:(q+1)*k])
		}
	}
	return u
}

// arrivalsOf returns x·(F⊗I).
func (rp *repeatingPart) arrivalsOf(x []float64) []float64 {
	a := make([]float64, rp.sys.ar.Classes*rp.k)
	statespace.KronVec(a, x, rp.sys.ar.F, rp.k)
	return a
}

// timesR returns x·R.
func (rp *repeatingPart) timesR(x []float64) []float64 { return block.VecMul(rp.arrivalsOf(x), rp.x) }

// sumR returns x·(I−R)⁻¹ = x + x·(F⊗I)·(I−T)⁻¹·X.
func (rp *repeatingPart) sumR(x []float64) []float64 {
	a := rp.arrivalsOf(x)
	rp.sumT.SolveLeft(a)
	v := slices.Clone(x)
	block.VecMulAdd(v, a, rp.x)
	return v
}
