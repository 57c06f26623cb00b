package multiserver

import (
	"context"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
)

// balance is the system of equations for the coefficients b of the modes: the entries of level c balance,
//
//	b·(E − Φ·flow) = 0.
//
// The rows of E are e ⊗ ψ (with a switch-over, see [spectrum.SwitchOver]), the rows of Φ are a ⊗ ψ, and flow, n·K × r·K, holds the rates from the states in service at level c
// through the boundary back to the entries. Coefficients are in real form, one for each row of psi. Elimination forms the
// matrix and factors it. Iteration needs products with vectors only: with E factored,
//
//	y·(I − E⁻¹·Φ·flow) = 0,   y = b·E,
//
// is a chain of entries, which forgets its start in a few steps. [reduction.GMRES] finds corrections to b, and each correction
// restores digits that the condition of E has taken from the correction before. Departures that are pending after a run of
// [passes] are further unknowns of the iteration.
type balance struct {
	*spectrum.Modes
	from   *boundary
	basis  spectrum.LeftSolver // E, where the coefficients are found by iteration
	matrix *block.LU           // E − Φ·flow, where they are found by elimination
	b      []float64           // the coefficients, followed by the pending departures

	sizes    []float64 // of the rows of E, and ones for what is pending
	entering float64   // the sum of the absolute values of the entries last looked at
	scale    []float64 // what the imbalance of an entry is measured by, once entries are known; ones before
}

// solveBalance finds the coefficients by iteration if E is factored, and by elimination if the iteration does not settle.
func (rp *repeatingPart) solveBalance(ctx context.Context, from *boundary) (*balance, error) {
	q := &balance{Modes: rp.Modes, from: from, basis: rp.basis}
	if q.basis != nil && q.iterate(ctx) {
		return q, ctx.Err()
	}
	flow, err := from.returns(ctx)
	if err != nil {
		return nil, err
	}
	q.basis = nil
	q.eliminate(ctx, flow)
	q.refine(ctx)
	return q, ctx.Err()
}

// Corrections come until the imbalance is the roundings of its terms, or no longer halves: each correction removes all but a
// share of the imbalance. An iteration of mostSteps is slower than elimination, which takes over if more than settled
// roundings are out of balance in the end. Departures that are pending leave some tens of roundings, which the bounds count.
const (
	correction      = 1e-10
	mostSteps       = 60
	mostCorrections = 8
	settled         = 64
)

// iterate finds the coefficients by corrections, starting from the slowest mode alone; false if they do not settle.
func (q *balance) iterate(ctx context.Context) bool {
	q.measure()
	q.b = make([]float64, q.Psi.Rows+q.from.pendingSize())
	q.b[q.List[0].Row] = 1
	r, off := q.off(q.b)
	for range mostCorrections {
		roundings := q.roundings(q.b)
		if off <= roundings || ctx.Err() != nil {
			break
		}
		d := q.correct(ctx, r, max(correction, roundings/off))
		floats.Add(d, q.b)
		if q.scale == nil {
			q.scaleBy(d)
		}
		next, now := q.off(d)
		if !(now < off) {
			break
		}
		halved := now <= off/2
		if q.b, r, off = d, next, now; !halved {
			break
		}
	}
	if !(off <= settled*q.roundings(q.b)) {
		return false
	}
	if q.from.pendingSize() > 0 {
		q.from.startFrom(q.from.departing(q.inService(q.b)), q.b[q.Psi.Rows:])
	}
	return true
}

// trim leaves out what was pending where the boundary eliminated all levels after the coefficients were found.
func (q *balance) trim() {
	n := q.Psi.Rows + q.from.pendingSize()
	q.b = q.b[:min(n, len(q.b))]
	q.scale = q.scale[:min(n, len(q.scale))]
}

// correct returns d with d·(E − Φ·flow) = r but for a share tol of r.
func (q *balance) correct(ctx context.Context, r []float64, tol float64) []float64 {
	if q.matrix != nil {
		d := append([]float64(nil), r...)
		q.matrix.SolveLeft(d)
		return d
	}
	times := q.times
	if q.scale != nil {
		r = floats.DivTo(make([]float64, len(r)), r, q.scale)
		times = func(y []float64) []float64 {
			x := q.times(floats.MulTo(make([]float64, len(y)), y, q.scale))
			floats.Div(x, q.scale)
			return x
		}
	}
	d, _ := reduction.GMRES(ctx, times, r, tol, mostSteps)
	if q.scale != nil {
		floats.Mul(d, q.scale)
	}
	q.basis.SolveLeft(d[:q.Psi.Rows])
	return d
}

// scaleBy has imbalances measured relative to the entries and the pending departures that coefficients b give: rare entries are
// corrected as well as others. What rounding has made negative is of the size of roundings.
func (q *balance) scaleBy(b []float64) {
	entry := q.entry(b)
	q.scale = append(entry, b[q.Psi.Rows:]...)
	least := block.UnitRoundoff * block.UnitRoundoff * floats.Norm(q.scale, math.Inf(1))
	for i, v := range q.scale {
		q.scale[i] = max(math.Abs(v), least)
	}
}

// mostRefinements is the number of corrections of what elimination gives: it leaves rare entries out of balance, the more so the
// rarer they are, and each correction balances entries that are rarer by many orders of magnitude.
const mostRefinements = 4

// refine corrects coefficients until no entry comes closer to its balance.
func (q *balance) refine(ctx context.Context) {
	r, _ := q.off(q.b)
	entry := q.entry(q.b)
	last := math.Inf(1)
	for range mostRefinements {
		b := q.correct(ctx, r, 0)
		floats.Add(b, q.b)
		next, _ := q.off(b)
		worst := 0.0
		for i, v := range entry {
			if v != 0 {
				worst = max(worst, math.Abs(next[i]/v))
			}
		}
		if !(worst < last) {
			return
		}
		q.b, r = b, next
		if worst > last/2 {
			return
		}
		last = worst
	}
}

// measure sets sizes, sums of absolute values.
func (q *balance) measure() {
	q.sizes = append(make([]float64, q.Psi.Rows), block.Ones(q.from.pendingSize())...)
	for _, mode := range q.List {
		size := floats.Norm(q.Psi.Row(mode.Row), 1)
		if mode.Pair {
			size += floats.Norm(q.Psi.Row(mode.Row+1), 1)
		}
		classes := 0.0
		for _, v := range mode.Classes() {
			classes += cmplx.Abs(v)
		}
		if g := q.SwitchOver; g != nil {
			classes = (1 + cmplx.Abs(mode.H)*g.Fastest) / g.Rate
		}
		q.sizes[mode.Row] = classes * size
		if mode.Pair {
			q.sizes[mode.Row+1] = q.sizes[mode.Row]
		}
	}
}

// roundings returns one rounding of all terms of b·E, relative to the entries.
func (q *balance) roundings(b []float64) float64 {
	sum := 0.0
	for i, v := range b {
		sum += math.Abs(v) * q.sizes[i]
	}
	return block.UnitRoundoff * sum / q.entering
}

// off returns b·(Φ·flow − E), with what is pending, and its sum of absolute values relative to that of the entries.
func (q *balance) off(b []float64) (r []float64, share float64) {
	r = q.returned(b)
	entry := q.entry(b)
	floats.Sub(r[:len(entry)], entry)
	floats.Sub(r[q.Psi.Rows:], b[q.Psi.Rows:])
	q.entering = floats.Norm(entry, 1)
	return r, floats.Norm(r, 1) / q.entering
}

// times returns y·(I − E⁻¹·Φ·flow).
func (q *balance) times(y []float64) []float64 {
	b := append([]float64(nil), y...)
	q.basis.SolveLeft(b[:q.Psi.Rows])
	x := q.returned(b)
	floats.SubTo(x, y, x)
	return x
}

// returned returns b·Φ·flow, with what is pending.
func (q *balance) returned(b []float64) []float64 {
	return q.from.run(q.inService(b), b[q.Psi.Rows:])
}

// entry returns b·E.
func (q *balance) entry(b []float64) []float64 {
	entry := q.combined(b, (*spectrum.Mode).Classes, q.from.sys.ar.Classes)
	if g := q.SwitchOver; g != nil {
		refilled := make([]float64, len(entry))
		g.Refill.KronLeft(refilled, q.combined(b, func(m *spectrum.Mode) []complex128 { return []complex128{m.H} }, 1), 1)
		floats.Sub(entry, refilled)
		floats.Scale(1/g.Rate, entry)
	}
	return entry
}

// inService returns b·Φ.
func (q *balance) inService(b []float64) []float64 {
	return q.combined(b, func(m *spectrum.Mode) []complex128 { return m.A }, q.from.sys.ar.N)
}

// combined returns the sum of v ⊗ ψ over the modes, v being the k numbers that of gives for each.
func (q *balance) combined(b []float64, of func(*spectrum.Mode) []complex128, k int) []float64 {
	weights := block.NewRaw(k, q.Psi.Rows)
	defer weights.Release()
	for j := range q.List {
		mode := &q.List[j]
		for i, v := range of(mode) {
			row := weights.Row(i)[mode.Row:]
			row[0] = real(v) * b[mode.Row]
			if mode.Pair {
				row[0] += imag(v) * b[mode.Row+1]
				row[1] = real(v)*b[mode.Row+1] - imag(v)*b[mode.Row]
			}
		}
	}
	x := block.New(k, q.Psi.Cols)
	block.FewMulAdd(x, weights, q.Psi)
	return x.Data
}

// eliminate finds the coefficients from the factors of E − Φ·flow.
func (q *balance) eliminate(ctx context.Context, flow block.Matrix) {
	m := q.Modes
	balance := m.Entries(ctx)
	k := m.Psi.Cols
	back := block.NewRaw(m.Psi.Rows, flow.Cols)
	defer back.Release()
	for a := range flow.Rows / k {
		clear(back.Data)
		block.MulAdd(ctx, back, m.Psi, flow.RowRange(a*k, (a+1)*k))
		for _, mode := range m.List {
			re, im := real(mode.A[a]), imag(mode.A[a])
			floats.AddScaled(balance.Row(mode.Row), -re, back.Row(mode.Row))
			if mode.Pair {
				floats.AddScaled(balance.Row(mode.Row), im, back.Row(mode.Row+1))
				floats.AddScaled(balance.Row(mode.Row+1), -im, back.Row(mode.Row))
				floats.AddScaled(balance.Row(mode.Row+1), -re, back.Row(mode.Row+1))
			}
		}
	}
	b, f := block.LeftNullVector(ctx, balance)
	q.b, q.matrix = append(b, make([]float64, q.from.pendingSize())...), &f
}

// release gives the storage of the factors back.
func (q *balance) release() {
	if q.matrix != nil {
		q.matrix.Release()
		q.matrix = nil
	}
}
