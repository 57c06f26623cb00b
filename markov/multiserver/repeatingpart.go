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
	"github.com/partwise/partwise/markov/multiserver/internal/switchover"
)

// repeatingPart is the part of the chain at and above level c; the package comment defines the symbols. Its states in
// service x_k of level c+k, n·K by arrival phase and occupancy, obey
//
//	x_k = x_{k−1}·R + u_k·Ω,   R = (F⊗I)·X,   u_k = u_{k−1}·(J⊗I),   k ≥ 1,
//
// with X of [saturated]. u_k holds the rates of arrivals to level c+k that find the switch-over of level c unfinished.
// They are listed by class q of the arrival, switch-over phase and occupancy, r·s·K numbers. J is the matrix next of
// the switch-over. A row of Ω belongs to such an arrival. It holds the mean times in each state in service of level
// c+k, after the switch-over ends and until level c+k is left downward.
type repeatingPart struct {
	*saturated
	sys                *system
	switchOver         *switchover.SwitchOver // of level c
	unfinishedSojourns block.Matrix           // Ω, r·s·K × n·K; rows of occupancies that no arrival reaches may be zero
	entered            []int                  // occupancies that can result from an arrival to level c

	// If the levels are known by modes:
	basis   spectrum.LeftSolver // factors of E, the entries of the modes, if coefficients are found by iteration
	balance *balance            // equations of the coefficients, until the solve ends
	b       []complex128        // coefficients, [spectrum.Modes.Order] of them for each mode

	improved bool                   // several levels are corrected because modes lost digits of level c, see [Solution.improve]
	above    *spectrum.Continuation // levels above the corrected ones if improved is set, until the solve ends
	changed  bool                   // the modes have changed at random, see [Solution.afterChange]
	// Results of [repeatingPart.correctLevels]: corrected levels from c on, and the last change of each level.
	corrected, lastChange [][]float64

	vectors spectrum.LevelVectors // sums of modes, until the solve ends
	// unit of levels far out in a [sensitivity.Reading]: the root of the slowest mode, 1 with a switch-over
	farUnit float64
}

// newRepeatingPart returns the levels from c on, given level c with all servers busy, b, and adds the switch-over of
// level c. If b is solved by matrices, it also sets unfinishedSojourns, the mean times in service after an unfinished
// switch-over. If b is solved by modes, it must include the modes of the switch-over already, and farUnit is set. The
// result holds b and does not change it. The error comes from [repeatingPart.solveUnfinishedSojourns].
func (s *system) newRepeatingPart(ctx context.Context, b *saturated) (*repeatingPart, error) {
	rp := &repeatingPart{saturated: b, sys: s, switchOver: s.up[s.c], entered: s.index.Entered(s.c, s.alpha[s.c-1])}
	if b.Modes != nil {
		rp.farUnit = 1
		if b.SwitchOver == nil {
			rp.farUnit = real(b.List[0].Z)
		}
		return rp, nil
	}
	if rp.switchOver.Phases == 0 {
		return rp, nil
	}
	return rp, rp.solveUnfinishedSojourns(ctx)
}

// solveUnfinishedSojourns sets unfinishedSojourns to the matrix Ω. A row belongs to an arrival that finds a switch-over
// of level c unfinished, by class, switch-over phase and occupancy. It holds the mean times in each state in service of
// the arrival's level, by arrival phase and occupancy. They count after the switch-over ends, until the level is left
// downward. Rows of occupancies to which no arrival leads may stay zero. The level must be solved by matrices.
//
// Let Γ hold, for the same rows, the distribution over the states in service of that level when service first begins
// there. With N of [saturated] the mean times in service, Ω = Γ·N. Either the switch-over ends before the next arrival.
// Or the next arrival finds it unfinished one level higher, and the first passage G leads back from there:
//
//	Γ = (ending⊗I) + (next⊗I)·Γ·G,   G = N·(I⊗V).
//
// next and ending belong to the switch-over, V holds the departures, and U = −N⁻¹. If next is upper triangular, as for
// an acyclic switch-over under renewal arrivals, the block rows are solved one by one, from the last. With ω a diagonal
// entry of next, the inverse that block row i needs is
//
//	(I − ωG)⁻¹·N = (−U − ω·(I⊗V))⁻¹,
//
// whose row sums are known again, and Γ_j·G = Ω_j·(I⊗V) for the rows j > i. Otherwise Γ is summed by doubling. The
// error is ErrReducible if a state is never left, or the error of ctx.
func (rp *repeatingPart) solveUnfinishedSojourns(ctx context.Context) error {
	if rp.switchOver.Next.IsUpperTriangular() {
		return rp.unfinishedByBlocks(ctx)
	}
	return rp.unfinishedByDoubling(ctx)
}

// unfinishedByBlocks sets unfinishedSojourns to the matrix Ω, for renewal arrivals and switch-overs whose phases have
// no cycle. A row of Ω belongs to an arrival that finds the switch-over of level c unfinished: its phase i, then the
// occupancy. The row holds the mean time in each state in service, by arrival phase and occupancy. The time counts from
// the end of the switch-over until the level of the arrival is left downward. The block rows Ω_i are solved from the
// last phase to the first:
//
//	Ω_i = (ending_i⊗I + Σ_{j>i} next_ij·Ω_j·(I⊗V))·(−U − next_ii·(I⊗V))⁻¹.
//
// U holds the rates between the states until the level is left, and V the departures. Only the rows of the occupancies
// in the field entered, to which an arrival can lead, are computed; all other rows of Ω stay zero. The matrix x of
// [saturated] must be set. The error is ErrReducible if some state is never left, or the error of ctx.
func (rp *repeatingPart) unfinishedByBlocks(ctx context.Context) error {
	n, k := rp.sys.ar.N, rp.k
	next, ends := rp.switchOver.Next, rp.switchOver.Ending.RowSums()
	rp.unfinishedSojourns = block.New(next.Rows*k, n*k)
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
		rows, err := rp.unfinishedStarts(ctx, i, solved)
		defer rows.Release()
		if err != nil {
			return err
		}
		inner.SolveLeftRows(ctx, rows)
		for e, place := range rp.entered {
			copy(rp.unfinishedSojourns.Row(i*k+place), rows.Row(e))
		}
		solved[i] = rows
	}
	inner.Release()
	return ctx.Err()
}

// unfinishedStarts returns the rates at which service begins after switch-overs that an arrival finds in phase i, as a
// factor of the block row Ω_i of [repeatingPart.unfinishedByBlocks]: ending_i⊗I + Σ_{j>i} next_ij·Ω_j·(I⊗V). solved holds
// Ω_j for the phases j after i. All matrices have a row for each occupancy in the field entered, and a column for each
// arrival phase and occupancy. The caller releases rows, which are incomplete after an error. The error comes from ctx.
func (rp *repeatingPart) unfinishedStarts(ctx context.Context, i int, solved []block.Matrix) (rows block.Matrix, err error) {
	n, k, next := rp.sys.ar.N, rp.k, rp.switchOver.Next
	rows = block.NewScratch(len(rp.entered), n*k)
	for e, place := range rp.entered {
		for a, p := range rp.switchOver.Ending.Row(i) {
			rows.Row(e)[a*k+place] = p
		}
	}
	for j := i + 1; j < next.Rows; j++ {
		if err := ctx.Err(); err != nil {
			return rows, err
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
	return rows, nil
}

// sameNumber reports whether two sums a and b of a few positive terms differ by no more than 4 roundings of a. Phases
// of a switch-over with the same rate then share the factors of a matrix.
func sameNumber(a, b float64) bool { return math.Abs(a-b) <= fewRoundings/2*a }

// factorShifted returns the factors of −U − omega·(I⊗V), with which rows of mean times in service are solved; see
// [repeatingPart.solveUnfinishedSojourns]. U holds the rates between states of level c, watched until it is left
// downward, and V the departures. rp must be solved by matrices. omega is a probability below 1.
//
// rest is 1 − omega: the rows of the matrix sum to rest times the departure rates. The caller gives rest as a sum: for
// a switch-over that lasts many arrivals, the difference would have few digits. The caller may release the factors. The
// error is ErrReducible if a state is never left, or the error of ctx.
func (rp *repeatingPart) factorShifted(ctx context.Context, omega, rest float64) (*block.GTH, error) {
	p := rp.sys.censoredRates(ctx, rp.saturated)
	rp.refill.AddKron(p, omega, rp.sys.ar.N)
	exit := slices.Repeat(rp.departures, rp.sys.ar.N)
	floats.Scale(rest, exit)
	return block.FactorGTH(ctx, p, exit)
}

// unfinishedByDoubling sets unfinishedSojourns, the matrix Ω of [repeatingPart.solveUnfinishedSojourns], for
// switch-overs with cycles or modulated arrivals. It sets all rows: one for each class of an arrival, phase in which it
// finds the switch-over, and occupancy. The matrices next and ending of the switch-over lead to the next arrival, and
// to the end before it. G is the first passage from a level to the level below. The function sums Γ = Σ_j
// (next^j·ending ⊗ I)·G^j. After step i the sum has 2^i terms:
//
//	Γ ← Γ + (next^(2^i)⊗I)·Γ·G^(2^i).
//
// The sum ends when the row sums of next^(2^i) are at most 10⁻¹⁵. Then Ω = Γ·(−U)⁻¹, with the mean times in service
// (−U)⁻¹. The matrix x of [saturated] must be set. The error is ErrReducible if a state is never left, or the error of
// ctx.
func (rp *repeatingPart) unfinishedByDoubling(ctx context.Context) error {
	n, k := rp.sys.ar.N, rp.k
	minU, err := rp.factorShifted(ctx, 0, 1)
	if err != nil {
		return err
	}
	g := block.New(n*k, n*k)
	rp.refill.AddKron(g, 1, n)
	minU.Solve(ctx, g)
	gamma := block.KronIdentity(rp.switchOver.Ending, k)
	power, ended := rp.switchOver.Next.Clone(), rp.switchOver.Ending.RowSums()
	for power.NormInf() > reduction.EntryTol {
		if err := ctx.Err(); err != nil {
			return err
		}
		statespace.Complement(power, ended)
		statespace.Complement(g, make([]float64, g.Rows))
		step := block.Mul(ctx, gamma, g)
		statespace.KronRowsAdd(ctx, gamma, power, step, k)
		floats.Add(ended, block.MulVec(power, ended))
		power = block.Mul(ctx, power, power)
		g = block.Mul(ctx, g, g)
	}
	minU.SolveLeftRows(ctx, gamma)
	rp.unfinishedSojourns = gamma
	return ctx.Err()
}

// entries returns the indices of the entries of level c that occur, ascending: q·K + i for an arrival of class q that
// leads to occupancy i, with K occupancies. Only these are states of the chain of successive entries.
func (rp *repeatingPart) entries() (rows []int) {
	for q := range rp.sys.ar.Classes {
		for _, place := range rp.entered {
			rows = append(rows, q*rp.k+place)
		}
	}
	return rows
}

// sojourns returns the mean times in each state in service of level c, from an entry until the level is left downward.
// It has a row for each of the given entries, indices as [repeatingPart.entries] returns them. It has n·K columns, by
// arrival phase and occupancy. The result is a scratch block that the caller releases. The level must be solved by
// matrices. atom is the probability that the switch-over takes no time, and γ its initial phases. With X of [saturated]
// and Ω of [repeatingPart], row (q, i) is
//
//	atom·X_(q,i) + Σ_c γ_c·Ω_(q,c,i).
func (rp *repeatingPart) sojourns(entries []int) block.Matrix {
	g := rp.switchOver
	out := block.NewRaw(len(entries), rp.x.Cols)
	for e, i := range entries {
		row := out.Row(e)
		copy(row, rp.x.Row(i))
		if g.Phases == 0 {
			continue
		}
		floats.Scale(g.Atom, row)
		q, place := i/rp.k, i%rp.k
		for c, p := range g.Gamma {
			floats.AddScaled(row, p, rp.unfinishedSojourns.Row((q*g.Phases+c)*rp.k+place))
		}
	}
	return out
}

// levelCByMatrices returns two vectors of level c, for levels solved by matrices. entry holds its entries, which are
// arrivals from below: r·K rates by class and occupancy, zero where no arrival leads. inService holds the probabilities
// of its states in service: n·K by arrival phase and occupancy. Both have the same unknown factor.
//
// Let flow hold the rates at which excursions below level c, the boundary b, lead back to its entries;
// [boundary.entriesAfterRows] multiplies by it. The chain of successive entries has the stochastic matrix
// sojourns·flow, so
//
//	entry = entry·sojourns·flow,   inService = entry·sojourns.
//
// The error comes from [boundary.entriesAfterRows] or from ctx, or is ErrReducible if the chain of entries has more
// than one closed class.
func (rp *repeatingPart) levelCByMatrices(ctx context.Context, b *boundary) (entry, inService []float64, err error) {
	entries := rp.entries()
	sojourns := rp.sojourns(entries)
	defer sojourns.Release()
	departures := block.NewRaw(len(entries), rp.sys.ar.N*b.departure.Cols)
	defer departures.Release()
	b.departure.MulKronRight(ctx, departures, sojourns, rp.sys.ar.N)
	all, err := b.entriesAfterRows(ctx, departures)
	if err != nil {
		return nil, nil, err
	}
	defer all.Release()
	chain := block.NewRaw(len(entries), len(entries))
	defer chain.Release()
	for i := range entries {
		for e, j := range entries {
			chain.Row(i)[e] = all.Row(i)[j]
		}
	}
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

// switchOversStarted returns the rates at which entries of level c start its switch-over: r·s·K numbers by class,
// switch-over phase and occupancy. entry holds the rates of the entries, r·K by class and occupancy, and stays
// unchanged. The result is new, and lies in the scratch of the system while the queue is solved. Without a switch-over
// at level c it is empty.
func (rp *repeatingPart) switchOversStarted(entry []float64) []float64 {
	g, k := rp.switchOver, rp.k
	u := rp.sys.scratch.Vector(g.Next.Rows * k)
	for q := range rp.sys.ar.Classes {
		for c, p := range g.Gamma {
			floats.AddScaled(u[(q*g.Phases+c)*k:(q*g.Phases+c+1)*k], p, entry[q*k:(q+1)*k])
		}
	}
	return u
}

// arrivalsOf returns the rates of arrivals out of the states in service of a level from c on, whose probabilities are
// x. The new vector has r·K numbers, by class and occupancy, and lies in the store. x has n·K, by arrival phase and
// occupancy, and stays unchanged. Arrivals during a switch-over are not included.
func (rp *repeatingPart) arrivalsOf(x []float64, store *block.Arena) []float64 {
	a := store.Vector(rp.sys.ar.Classes * rp.k)
	statespace.KronVec(a, x, rp.sys.ar.F, rp.k)
	return a
}

// timesR returns x·R, with the rate matrix R of matrix-analytic methods: the probabilities of the states in service one
// level above a level with the probabilities x. Both have n·K numbers, by arrival phase and occupancy. The result is new,
// and lies in the scratch of the system. Arrivals that find a switch-over unfinished are not included. The level must be
// solved by matrices.
func (rp *repeatingPart) timesR(x []float64) []float64 {
	scratch := rp.sys.scratch
	next := scratch.Vector(rp.x.Cols)
	block.VecMulAdd(next, rp.arrivalsOf(x, scratch), rp.x)
	return next
}

// sumR returns the sum of the states in service of a level, x, and of all higher levels that follow from x. Both are
// listed by arrival phase and occupancy; x stays unchanged. It is x·(I−R)⁻¹ with the rate matrix R of matrix-analytic
// methods, computed as x + x·(F⊗I)·(I−T)⁻¹·X; see [saturated]. The level must be solved by matrices.
func (rp *repeatingPart) sumR(x []float64) []float64 {
	a := rp.arrivalsOf(x, rp.sys.scratch)
	rp.sumT.SolveLeft(a)
	v := rp.sys.store.Clone(x)
	block.VecMulAdd(v, a, rp.x)
	return v
}
