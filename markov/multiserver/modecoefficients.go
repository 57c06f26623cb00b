package multiserver

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/cmplxs"
	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// balance holds the equations for the coefficients b of the modes: the entries of level c balance,
//
//	b·(E − Φ·flow) = 0.
//
// A mode j has a root and vectors: e over the classes of arrivals, a over the arrival phases and ψ over the
// occupancies; see [spectrum.Modes]. E, r·K × r·K, has a row e ⊗ ψ, and Φ, r·K × n·K, a row a ⊗ ψ, for each mode. flow,
// n·K × r·K, holds the rates from the states in service at level c through the boundary back to the entries of level c.
// So b·E are the entries that the modes need, and b·Φ·flow the entries that the boundary gives. Complex pairs of modes
// are in real form: each row of Psi has one real coefficient.
//
// Elimination forms the matrix E − Φ·flow and factors it. Iteration only needs products with vectors. With the factors
// of E, and entries y = b·E,
//
//	y·(I − E⁻¹·Φ·flow) = 0
//
// is the stationary equation of a chain of entries, which forgets its start in a few steps. [reduction.GMRES] or the factors
// of [balance.factorChain] give corrections to b. Each restores digits that the condition of E took from the last. If the
// boundary uses [passes], the departures that are pending after a run are further unknowns.
//
// With a switch-over at level c the entries y are unknowns as well. The modes without a switch-over take the share of y
// whose switch-over takes no time. The other entries start the switch-over in the phases that [spectrum.StageBasis]
// describes. The coefficients of all modes follow from y by E, and y = b·Φ·flow closes the equations.
//
// The unknowns are listed in this order: coefficients, entries if there is a switch-over, pending departures if there
// are passes.
type balance struct {
	*spectrum.Modes
	below  *boundary
	basis  spectrum.LeftSolver // E, where the coefficients are found by iteration
	matrix *block.LU           // E − Φ·flow, where they are found by elimination
	chain  *block.LU           // factors of the chain of entries, see [balance.factorChain]
	b      []float64           // the coefficients, then the entries if there is a switch-over, then the pending departures

	imbalance []float64 // residual of the equations for b
	sizes     []float64 // sum of absolute coefficients of each unknown in its equations; 1 for entries and pending departures
	entry     []float64 // entries of level c at the last call of [balance.imbalanceOf]
	units     []float64 // unit of the imbalance of each entry and pending departure; nil, for ones, before entries are known
}

// solveBalance returns the solved linear equations for the coefficients of the modes: the modes have the entries of
// level c, arrivals from below, that the boundary gives back. The boundary below holds the levels below c. rp.Modes must
// be set. rp.basis may hold the factors of the matrix from coefficients to entries. With them, iteration finds the
// coefficients. If it does not settle, or without a basis, elimination finds them, which eliminates all levels of the
// boundary. The caller releases the result.
//
// With a switch-over at level c there is no elimination, and the error wraps ErrNoConvergence if iteration does not
// settle. Otherwise the error comes from [balance.solveByElimination], or from ctx.
func (rp *repeatingPart) solveBalance(ctx context.Context, below *boundary) (*balance, error) {
	q := &balance{Modes: rp.Modes, below: below, basis: rp.basis}
	if q.basis != nil && q.solveByIteration(ctx) {
		return q, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if rp.SwitchOver != nil {
		return nil, fmt.Errorf("spectral expansion: the coefficients do not settle: %w", markov.ErrNoConvergence)
	}
	q.basis = nil
	if err := q.solveByElimination(ctx); err != nil {
		return nil, err
	}
	q.refine(ctx)
	return q, ctx.Err()
}

// The iteration ends when the imbalance is one rounding of its terms, or settled and no longer halved by a correction.
//
//   - correction: the share of the imbalance that a correction may leave.
//   - mostSteps: the most GMRES steps of a correction; more are slower than elimination.
//   - mostCorrections: the most corrections.
//   - settled: the imbalance, in roundings, up to which the result is accepted. Above it elimination takes over. Pending
//     departures leave some tens of roundings, which the error bounds include.
const (
	correction      = 1e-10
	mostSteps       = 60
	mostCorrections = 8
	settled         = 64
)

// solveByIteration finds the unknowns of the [balance] by corrections that start with the slowest mode alone. Modes,
// below and the factored basis must be set. It sets b, sizes, imbalance and entry, and units at the first correction.
// It reports whether the result is accepted: the imbalance left is at most settled, 64, times the rounding errors of
// the equations. Otherwise, or if ctx ends early, b is not to be used, and the caller turns to elimination.
//
// Where some levels below c are not eliminated, departures that [passes] have not followed to their end are unknowns,
// too. The boundary stores the pending departures of an accepted result, as the start of later passes.
func (q *balance) solveByIteration(ctx context.Context) bool {
	q.beginWithSlowest()
	r, _ := q.imbalanceOf(q.b)
	if q.factorsChain() && q.factorChain(ctx) != nil {
		return false
	}
	r, off := q.correct(ctx, r)
	if !(off <= settled*q.roundingSize(q.b)) {
		return false
	}
	q.imbalance = r
	if q.below.pendingSize() > 0 {
		q.below.keepPending(q.below.departing(q.inService(q.b)), q.b[q.ownUnknowns():])
	}
	return true
}

// beginWithSlowest sets b to the slowest mode alone, with the coefficient one, and sizes. With a switch-over, b holds the
// entries of this mode and the coefficients that belong to them.
func (q *balance) beginWithSlowest() {
	own := q.ownUnknowns()
	// Entries and pending departures are unknowns with the coefficient 1 in their own equations.
	q.sizes = append(q.TermSizes(), block.Ones(own-q.Order()*q.Psi.Rows+q.below.pendingSize())...)
	q.b = make([]float64, own+q.below.pendingSize())
	q.b[q.List[0].Row] = 1
	if q.SwitchOver != nil {
		entered, _ := q.levelC(q.b)
		copy(q.b[own-q.Psi.Rows:], entered)
		copy(q.b, q.fromEntry(q.b[own-q.Psi.Rows:own]))
	}
}

// correct adds corrections to b until its imbalance is one rounding of its terms, or settled and no longer halved. r is
// the imbalance of b. It sets units at the first correction. It returns the imbalance left, and its share of the terms
// of the equations. If ctx ends, corrections end early.
func (q *balance) correct(ctx context.Context, r []float64) (left []float64, off float64) {
	off = q.share(r)
	for range mostCorrections {
		roundings := q.roundingSize(q.b)
		if off <= roundings || ctx.Err() != nil {
			break
		}
		d := q.correctionFor(ctx, r, max(correction, roundings/off))
		floats.Add(d, q.b)
		// The first correction gives the size of every entry. From here on, rare entries are corrected relative to their
		// own size.
		if q.units == nil {
			q.setUnits(d)
		}
		next, _ := q.imbalanceOf(d)
		now := q.share(next)
		// A correction that does not reduce the imbalance is dropped.
		if !(now < off) {
			break
		}
		// A correction that does not halve a settled imbalance is the last one: the rest are rounding errors. A larger
		// imbalance may stay for one correction and fall in the next.
		halved := now <= off/2
		if q.b, r, off = d, next, now; !halved && off <= settled*roundings {
			break
		}
	}
	return r, off
}

// ownUnknowns returns the number of unknowns of the linear equations without the pending departures. These are r·K
// coefficients of the modes, for r classes of arrivals and K occupancies. With a switch-over of s phases at level c,
// there are (1+s)·r·K coefficients, followed by r·K entries of level c.
func (q *balance) ownUnknowns() int {
	if q.SwitchOver == nil {
		return q.Psi.Rows
	}
	return (q.Order() + 1) * q.Psi.Rows
}

// dropPending removes the pending departures, which [passes] have not followed yet, from b, imbalance and units. It
// does so if the boundary has eliminated all levels since the coefficients were found: no departures stay pending then.
// If some levels are still left to passes, it changes nothing.
func (q *balance) dropPending() {
	pending := q.below.pendingSize()
	for _, v := range []*[]float64{&q.b, &q.imbalance} {
		*v = (*v)[:min(q.ownUnknowns()+pending, len(*v))]
	}
	q.units = q.units[:min(q.Psi.Rows+pending, len(q.units))]
}

// correctionFor returns a correction of the unknowns, to be added to them, that removes their imbalance r up to a share
// tol of r. Both have an entry for each unknown of the [balance], in its order, and r stays unchanged. The correction
// is new; a solution must not keep it, because it can lie in the scratch of the system. Either matrix or the factored
// basis must be set.
//
// After elimination the factors of the equations give the correction directly, and tol is not used. By iteration,
// [reduction.GMRES] finds it, for the unknowns b and entry of the last call of [balance.imbalanceOf]. With a switch-over, the
// equations of the coefficients come first and are solved with the factors of the basis. GMRES then solves for the entries of
// level c, each in its own unit, and the coefficients follow from the entries. After mostSteps, 60, steps, or if ctx ends, more
// than the share tol may be left. If [balance.factorChain] has set the factors of the chain, they take the place of GMRES, and
// tol is not used.
func (q *balance) correctionFor(ctx context.Context, r []float64, tol float64) []float64 {
	// After elimination: d = r·(E − Φ·flow)⁻¹.
	if q.matrix != nil {
		d := q.below.sys.scratch.Clone(r)
		q.matrix.SolveLeft(d)
		return d
	}
	// With a switch-over: solve the equations of the coefficients for d. The states in service of d then add entries to
	// r.
	size := q.ownUnknowns() - q.Psi.Rows // number of coefficients where the entries are unknowns as well, else 0
	all := q.below.sys.scratch.Clone(r)
	d, r := all[:size], all[size:]
	if size > 0 {
		q.basis.SolveLeft(d)
		floats.Add(r, q.below.runPasses(q.inService(d), make([]float64, len(r)-q.Psi.Rows)))
	}
	q.balanceTotal(r)
	y := r
	if q.chain != nil {
		q.chain.SolveLeft(y)
	} else {
		y = reduction.GMRESInUnits(ctx, q.timesChain, r, q.units, tol, mostSteps)
	}
	b := q.fromEntry(y[:q.Psi.Rows])
	if size == 0 {
		return append(b, y[q.Psi.Rows:]...)
	}
	floats.Add(d, b)
	copy(all[size:], y)
	return all
}

// chainTo is the number of entries of level c up to which the chain of entries is factored. The factors take some n³
// multiplications for n entries, in products of blocks. GMRES takes some sixty rounds of the chain for all corrections of
// a solve, each a few products of a vector and a matrix. With 33 or 65 entries the factors take a third off a solve.
const chainTo = 100

// factorsChain reports whether [balance.factorChain] pays and is accurate: with a switch-over at level c, at most chainTo
// entries, and renewal arrivals. With modulated arrivals the chain may take long to forget where it began.
func (q *balance) factorsChain() bool {
	return q.SwitchOver != nil && q.Psi.Rows <= chainTo && q.below.sys.ar.Classes == 1 && q.below.pendingSize() == 0
}

// factorChain sets chain to the factors of I − P + 1·v. P is the matrix of a round of the chain of entries, see
// [balance.timesChain]. v holds its present entries, divided by their sum. The chain forgets its start in a few rounds,
// so rows of P are nearly v, and the matrix is nearly the identity. P conserves the flow. So if the sum of an imbalance r
// is zero, y·(I − P + 1·v) = r gives a y with the sum zero and y·(I − P) = r.
//
// It eliminates all levels of the boundary. The error comes from [boundary.entriesAfterRows].
func (q *balance) factorChain(ctx context.Context) error {
	n, phases := q.Psi.Rows, q.below.sys.ar.N
	coefficients := block.NewRaw(n, q.Order()*n)
	defer coefficients.Release()
	for i, single := 0, block.Identity(n); i < n; i++ {
		q.setRequired(coefficients.Row(i), single.Row(i))
	}
	q.basis.SolveLeftRows(ctx, coefficients)
	departing := block.NewRaw(n, phases*q.below.departure.Cols)
	defer departing.Release()
	q.below.departure.MulKronRight(ctx, departing, q.InServiceOf(coefficients), phases)
	chain, err := q.below.entriesAfterRows(ctx, departing)
	if err != nil {
		return err
	}
	floats.Scale(-1, chain.Data)
	for i := range n {
		chain.Row(i)[i]++
		floats.AddScaled(chain.Row(i), 1/block.Sum(q.entry), q.entry)
	}
	f := block.FactorLU(ctx, chain)
	q.chain = &f
	return nil
}

// balanceTotal subtracts a multiple of the present entries and pending departures from their imbalance r, in place, so
// that its sum is zero. A round of the chain conserves the total flow. So an imbalance has the sum zero, but rounding
// errors of the modes leave a small sum. Only a change of the total flow of many orders of magnitude more would remove
// it. GMRES takes some fifteen steps to find this change, which is lost anyway when the solution is normalised.
func (q *balance) balanceTotal(r []float64) {
	flow := slices.Concat(q.entry, q.b[q.ownUnknowns():])
	floats.AddScaled(r, -block.Sum(r)/block.Sum(flow), flow)
}

// fromEntry returns the coefficients of the modes, in real form, that give the entries y of level c. y has r·K numbers,
// class of the arrival major and occupancy minor, and stays unchanged. The result has as many numbers without a
// switch-over. With a switch-over of s phases it has (1+s)·r·K, the coefficients of the modes first: only the share
// Atom of y enters service at once, the rest starts the switch-over. The result is new and lies in the scratch of the
// system. The basis must be factored.
func (q *balance) fromEntry(y []float64) []float64 {
	b := q.below.sys.scratch.Vector(q.Order() * q.Psi.Rows)
	q.setRequired(b, y)
	q.basis.SolveLeft(b)
	return b
}

// setRequired overwrites to with what the basis turns into coefficients for the entries y of level c. This is y itself.
// With a switch-over it is the share Atom of y and then the entries that start the switch-over: r·s·K numbers by
// eigenvalue of the arrivals, switch-over phase and occupancy, as [spectrum.StageBasis] takes them. y has r·K numbers by
// class of the arrival and occupancy, and stays unchanged.
func (q *balance) setRequired(to, y []float64) {
	v := q.SwitchOver
	if v == nil {
		copy(to, y)
		return
	}
	entered, started := to[:len(y)], to[len(y):]
	floats.ScaleTo(entered, v.Atom, y)
	clear(started)
	statespace.KronVec(started, y, v.Contents, q.Psi.Cols)
}

// setUnits sets units, in which the imbalance is measured: r·K numbers for the entries of level c, by class of the
// arrival and occupancy, then a number for each pending departure. The unit is the absolute value of the number with
// the unknowns b, so rare entries are corrected relative to their own size. It is at least 2⁻¹⁰⁶ times the largest, a
// rounding error squared.
//
// Entries to which no arrival leads are rounding errors of zero. They get the size of the largest number: in a smaller
// unit they would exceed all others in the norm of the imbalance, and corrections would end too early.
func (q *balance) setUnits(b []float64) {
	entered, _ := q.levelC(b)
	q.units = append(slices.Clone(q.entries(b, entered)), b[q.ownUnknowns():]...)
	largest := floats.Norm(q.units, math.Inf(1))
	least := block.UnitRoundoff * block.UnitRoundoff * largest
	for i, v := range q.units {
		q.units[i] = max(math.Abs(v), least)
	}
	s := q.below.sys
	occupancies := s.index.Entered(s.c, s.alpha[s.c-1])
	for i := range q.Psi.Rows {
		if _, reached := slices.BinarySearch(occupancies, i%q.Psi.Cols); !reached {
			q.units[i] = largest
		}
	}
}

// mostRefinements is the largest number of corrections after elimination. Elimination leaves rare entries out of
// balance. Each correction balances entries that are rarer by many orders of magnitude.
const mostRefinements = 4

// refine corrects the coefficients b of the modes after elimination, at least once and at most mostRefinements, 4,
// times. It ends when the largest relative imbalance of an entry of level c no longer halves. A later correction that
// does not reduce it is dropped. The first is kept even then: rare modes gain digits that no entry of level c shows.
// matrix and b must be set. It sets b, and imbalance to what is left. If ctx ends, the caller drops the result.
func (q *balance) refine(ctx context.Context) {
	r, entry := q.imbalanceOf(q.b)
	q.imbalance = r
	last := block.LargestRatio(r, entry)
	for n := range mostRefinements {
		b := q.correctionFor(ctx, q.imbalance, 0)
		floats.Add(b, q.b)
		next, _ := q.imbalanceOf(b)
		worst := block.LargestRatio(next, entry)
		if n > 0 && !(worst < last) {
			return
		}
		q.b, q.imbalance = b, next
		if !(worst <= last/2) {
			return
		}
		last = worst
	}
}

// roundingSize returns the size of one rounding error in all terms of the equations with the unknowns b. It is relative
// to the sum of the entries of level c. An imbalance of this size cannot be reduced. sizes must be set, and
// [balance.imbalanceOf] must have set entry.
func (q *balance) roundingSize(b []float64) float64 {
	sum := 0.0
	for i, v := range b {
		sum += math.Abs(v) * q.sizes[i]
	}
	return block.UnitRoundoff * sum / floats.Norm(q.entry, 1)
}

// imbalanceOf returns the imbalance r of the equations of the [balance] with the unknowns b, in new storage. The
// correction for r is to be added to b. entry holds the entries of level c that belong to b; the field entry is set to
// them. b stays unchanged.
//
// Let there be r classes of arrivals and K occupancies. With a switch-over of s phases, the vector begins with the
// equations of the coefficients: r·K entries without a switch-over, then r·s·K that start it. The next r·K numbers are
// the entries that the boundary gives, minus the entries that belong to b. The changes of pending departures in a run
// of [passes] come last.
func (q *balance) imbalanceOf(b []float64) (r, entry []float64) {
	entered, inService := q.levelC(b)
	entry, r = q.entries(b, entered), q.below.runPasses(inService, b[q.ownUnknowns():])
	floats.Sub(r[:len(entry)], entry)
	floats.Sub(r[len(entry):], b[q.ownUnknowns():])
	if q.SwitchOver != nil {
		scratch, size := q.below.sys.scratch, q.Order()*q.Psi.Rows
		all := scratch.Vector(size + len(r))
		q.setRequired(all[:size], entry)
		floats.Sub(all[:len(entry)], entered)
		floats.Sub(all[len(entry):size], q.Started(scratch, q.Coefficients(scratch, b)))
		copy(all[size:], r)
		r = all
	}
	q.entry = entry
	return r, entry
}

// beyondRoundings returns the imbalance that is left of the equations for b, as far as it shows more than the arithmetic:
// for each entry of level c, what exceeds 4 roundings of the entry. A smaller imbalance has another size and sign if
// products add in another order. Its effect is that of errors in the numbers of the modes, which are changed by more.
// Rare entries have a larger imbalance relative to themselves, which stays. Imbalances of the other equations stay, too.
// The vector is new. imbalance and entry must be set.
func (q *balance) beyondRoundings() []float64 {
	r := slices.Clone(q.imbalance)
	of := r[q.ownUnknowns()-len(q.entry):]
	for i, v := range q.entry {
		of[i] = math.Copysign(max(0, math.Abs(of[i])-fewRoundings/2*math.Abs(v)), of[i])
	}
	return r
}

// share returns the absolute sum of an imbalance r over the absolute sum of the entries of level c, which
// [balance.imbalanceOf] must have set. The iteration ends by this number.
func (q *balance) share(r []float64) float64 { return floats.Norm(r, 1) / floats.Norm(q.entry, 1) }

// timesChain returns y minus what one round of the chain of entries makes of y. y holds the entries of level c, by
// class of the arrival and occupancy, and then the pending departures; it stays unchanged. A round is: coefficients
// that give these entries, states in service, and entries that the boundary gives back. [reduction.GMRES] needs this
// product. The basis must be factored. Of its vectors only the result is new; all others lie in scratch that the next
// product uses again.
func (q *balance) timesChain(y []float64) []float64 {
	left := make([]float64, len(y))
	q.below.sys.scratch.Within(func() {
		x := q.below.runPasses(q.inService(q.fromEntry(y[:q.Psi.Rows])), y[q.Psi.Rows:])
		floats.SubTo(left, y, x)
	})
	return left
}

// entries returns the entries of level c that belong to the unknowns b: r·K arrivals from below, by class and
// occupancy. With a switch-over the entries are unknowns, a part of b. Otherwise they are entered, the entries that
// begin in service, as [balance.levelC] gives them for b. The result shares the storage of b or entered.
func (q *balance) entries(b, entered []float64) []float64 {
	if q.SwitchOver != nil {
		return b[q.ownUnknowns()-q.Psi.Rows : q.ownUnknowns()]
	}
	return entered
}

// levelC returns two vectors of level c, given the unknowns b. entered holds the entries that begin without a
// switch-over: r·K arrivals from below, by class and occupancy. inService holds the probabilities of the states in
// service: n·K numbers, by arrival phase and occupancy. Both are new, lie in the scratch of the system, and have the
// same unknown factor as b. Of b only the coefficients are read, which come first. One product with Psi gives both.
func (q *balance) levelC(b []float64) (entered, inService []float64) {
	s := q.below.sys
	r, n, o := s.ar.Classes, s.ar.N, q.Order()
	all := q.Coefficients(s.scratch, b)
	x := q.Combined(s.scratch, s.scratch, r+n, func(to []complex128, j int) {
		q.Class(to[:r], j, all[j*o:(j+1)*o])
		q.Vector(to[r:], j, all[j*o:(j+1)*o])
	})
	return x.RowRange(0, r).Data, x.RowRange(r, r+n).Data
}

// inService returns the second vector of [balance.levelC] alone, in less time.
func (q *balance) inService(b []float64) []float64 {
	s, o := q.below.sys, q.Order()
	all := q.Coefficients(s.scratch, b)
	return q.Combined(s.scratch, s.scratch, s.ar.N, func(to []complex128, j int) {
		q.Vector(to, j, all[j*o:(j+1)*o])
	}).Data
}

// normalisedCoefficients returns the complex coefficients of the modes, given the unknowns b, divided by the sum of the
// entries of level c. Each mode has [spectrum.Modes.Order] of them, in the order of the list of modes. They lie in
// store. b stays unchanged.
func (q *balance) normalisedCoefficients(store *block.Arena, b []float64) []complex128 {
	all := q.Coefficients(store, b)
	entering := 0.0
	if q.SwitchOver != nil {
		entering = block.Sum(q.entries(b, nil))
	} else {
		entering = q.Entering(all)
	}
	cmplxs.Scale(complex(1/entering, 0), all)
	return all
}

// solveByElimination sets b, the coefficients of the modes, and matrix, the factors of their equations, which
// [balance.release] gives back. b is the left null vector of the matrix E − Φ·flow of [balance]: entries of level c of
// each mode minus the entries that the boundary gives back for its states in service. All levels of the boundary are
// eliminated for it. The scale of b is arbitrary. Modes and below must be set; level c must have no switch-over. The error
// comes from [boundary.entriesAfterRows]. The caller has to look at ctx once more: the last step does not.
func (q *balance) solveByElimination(ctx context.Context) error {
	departing := &spectrum.Modes{Psi: block.NewRaw(q.Psi.Rows, q.below.departure.Cols), List: q.List}
	q.below.departure.MulKronRight(ctx, departing.Psi, q.Psi, 1)
	rows := departing.InService()
	departing.Psi.Release()
	back, err := q.below.entriesAfterRows(ctx, rows)
	rows.Release()
	if err != nil {
		return err
	}
	defer back.Release()
	balance := q.Entries()
	floats.Sub(balance.Data, back.Data)
	b, f := block.LeftNullVector(ctx, balance)
	q.b, q.matrix = b, &f // no departures are pending: all levels are eliminated
	return nil
}

// release gives the storage of the factors of the equations back, if elimination made some. The coefficients stay. A
// second call does nothing.
func (q *balance) release() {
	for _, factors := range []**block.LU{&q.matrix, &q.chain} {
		if *factors != nil {
			(*factors).Release()
			*factors = nil
		}
	}
}
