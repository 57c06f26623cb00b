package multiserver

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// balance is the system of equations for the coefficients b of the modes: the entries of level c balance,
//
//	b·(E − Φ·flow) = 0.
//
// The rows of E are e ⊗ ψ, the rows of Φ are a ⊗ ψ, and flow, n·K × r·K, holds the rates from the states in service at level c
// through the boundary back to the entries. Coefficients are in real form, one for each row of psi. Elimination forms the
// matrix and factors it. Iteration needs products with vectors only: with E factored,
//
//	y·(I − E⁻¹·Φ·flow) = 0,   y = b·E,
//
// is a chain of entries, which forgets its start in a few steps. [reduction.GMRES] finds corrections to b, and each correction
// restores digits that the condition of E has taken from the correction before. Departures that are pending after a run of
// [passes] are further unknowns of the iteration.
//
// With a switch-over at level c the entries y are unknown as well: y begins without a switch-over, but for the probability that
// takes no time, and starts what [spectrum.StageBasis] says, from which the coefficients follow; and y = b·Φ·flow.
type balance struct {
	*spectrum.Modes
	from   *boundary
	basis  spectrum.LeftSolver // E, where the coefficients are found by iteration
	matrix *block.LU           // E − Φ·flow, where they are found by elimination
	b      []float64           // the coefficients, followed by the entries where there is a switch-over, and the pending departures

	imbalance []float64 // what b leaves
	sizes     []float64 // of the coefficients in their equations, and ones for entries and what is pending
	entering  float64   // the sum of the absolute values of the entries last looked at
	scale     []float64 // what the imbalance of an entry is measured by, once entries are known; ones before
}

// solveBalance finds the coefficients by iteration if E is factored, and by elimination if the iteration does not settle.
func (rp *repeatingPart) solveBalance(ctx context.Context, from *boundary) (*balance, error) {
	q := &balance{Modes: rp.Modes, from: from, basis: rp.basis}
	if q.basis != nil && q.iterate(ctx) {
		return q, ctx.Err()
	}
	if rp.SwitchOver != nil {
		return nil, fmt.Errorf("spectral expansion: the coefficients do not settle: %w", markov.ErrNoConvergence)
	}
	flow, err := from.returns(ctx)
	if err != nil {
		return nil, err
	}
	q.basis = nil
	q.eliminate(ctx, flow)
	q.refine(ctx)
	q.imbalance, _ = q.off(q.b)
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
	q.sizes = append(q.Sizes(), block.Ones(q.own()-q.Order()*q.Psi.Rows+q.from.pendingSize())...)
	q.b = make([]float64, q.own()+q.from.pendingSize())
	q.b[q.List[0].Row] = 1
	if q.SwitchOver != nil { // the entries of that
		copy(q.b[q.own()-q.Psi.Rows:], q.entry(q.b))
		copy(q.b, q.fromEntry(q.b[q.own()-q.Psi.Rows:q.own()]))
	}
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
	q.imbalance = r
	if q.from.pendingSize() > 0 {
		q.from.startFrom(q.from.departing(q.inService(q.b)), q.b[q.own():])
	}
	return true
}

// own is the number of unknowns but for what is pending.
func (q *balance) own() int {
	if q.SwitchOver == nil {
		return q.Psi.Rows
	}
	return (q.Order() + 1) * q.Psi.Rows
}

// trim leaves out what was pending where the boundary eliminated all levels after the coefficients were found.
func (q *balance) trim() {
	pending := q.from.pendingSize()
	for _, v := range []*[]float64{&q.b, &q.imbalance} {
		*v = (*v)[:min(q.own()+pending, len(*v))]
	}
	q.scale = q.scale[:min(q.Psi.Rows+pending, len(q.scale))]
}

// correct returns d with d·(E − Φ·flow) = r but for a share tol of r.
func (q *balance) correct(ctx context.Context, r []float64, tol float64) []float64 {
	if q.matrix != nil {
		d := slices.Clone(r)
		q.matrix.SolveLeft(d)
		return d
	}
	size := q.own() - q.Psi.Rows // of what precedes the entries
	d := slices.Clone(r[:size])
	r = slices.Clone(r[size:])
	if size > 0 {
		q.basis.SolveLeft(d)
		floats.Add(r, q.from.run(q.inService(d), make([]float64, len(r)-q.Psi.Rows)))
	}
	times := q.times
	if q.scale != nil {
		floats.Div(r, q.scale)
		times = func(y []float64) []float64 {
			x := q.times(floats.MulTo(make([]float64, len(y)), y, q.scale))
			floats.Div(x, q.scale)
			return x
		}
	}
	y, _ := reduction.GMRES(ctx, times, r, tol, mostSteps)
	if q.scale != nil {
		floats.Mul(y, q.scale)
	}
	b := q.fromEntry(y[:q.Psi.Rows])
	if size == 0 {
		return append(b, y[q.Psi.Rows:]...)
	}
	floats.Add(d, b)
	return append(d, y...)
}

// fromEntry returns the coefficients that make entries y.
func (q *balance) fromEntry(y []float64) []float64 {
	b := slices.Clone(y)
	if v := q.SwitchOver; v != nil {
		floats.Scale(v.Atom, b)
		b = append(b, q.starting(y)...)
	}
	q.basis.SolveLeft(b)
	return b
}

// starting returns what entries y start, by branch of the arrivals, phase of the switch-over and occupancy.
func (q *balance) starting(y []float64) []float64 {
	started := make([]float64, q.SwitchOver.Contents.Cols*q.Psi.Cols)
	statespace.KronVec(started, y, q.SwitchOver.Contents, q.Psi.Cols)
	return started
}

// scaleBy has imbalances measured relative to the entries and the pending departures that coefficients b give: rare entries are
// corrected as well as others. What rounding has made negative is of the size of roundings.
func (q *balance) scaleBy(b []float64) {
	q.scale = append(q.entries(b), b[q.own():]...)
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

// roundings returns one rounding of all terms of b·E, relative to the entries.
func (q *balance) roundings(b []float64) float64 {
	sum := 0.0
	for i, v := range b {
		sum += math.Abs(v) * q.sizes[i]
	}
	return block.UnitRoundoff * sum / q.entering
}

// off returns how far the equations are from their balance with b, and the sum of absolute values of that relative to the entries.
func (q *balance) off(b []float64) (r []float64, share float64) {
	returned, entry := q.from.run(q.inService(b), b[q.own():]), q.entries(b)
	floats.Sub(returned[:len(entry)], entry)
	floats.Sub(returned[len(entry):], b[q.own():])
	if v := q.SwitchOver; v != nil {
		r = floats.ScaleTo(make([]float64, len(entry)), v.Atom, entry)
		floats.Sub(r, q.entry(b))
		started := q.starting(entry)
		floats.Sub(started, q.Started(q.Coefficients(b)))
		r = append(r, started...)
	}
	r = append(r, returned...)
	q.entering = floats.Norm(entry, 1)
	return r, floats.Norm(r, 1) / q.entering
}

// times returns y·(I − E⁻¹·Φ·flow), with what is pending.
func (q *balance) times(y []float64) []float64 {
	x := q.from.run(q.inService(q.fromEntry(y[:q.Psi.Rows])), y[q.Psi.Rows:])
	floats.SubTo(x, y, x)
	return x
}

// entries returns the entries of level c.
func (q *balance) entries(b []float64) []float64 {
	if q.SwitchOver != nil {
		return slices.Clone(b[q.own()-q.Psi.Rows : q.own()])
	}
	return q.entry(b)
}

// entry returns b·E: the entries that begin without a switch-over.
func (q *balance) entry(b []float64) []float64 {
	all, o := q.Coefficients(b), q.Order()
	return q.Combined(q.from.sys.ar.Classes, func(to []complex128, j int) { q.Class(to, j, all[j*o:(j+1)*o]) }).Data
}

// inService returns b·Φ.
func (q *balance) inService(b []float64) []float64 {
	all, o := q.Coefficients(b), q.Order()
	return q.Combined(q.from.sys.ar.N, func(to []complex128, j int) { q.Vector(to, j, all[j*o:(j+1)*o]) }).Data
}

// positive returns the coefficients of the modes with a factor that makes the entries of level c add up to one.
func (q *balance) positive(b []float64) []complex128 {
	all, entering := q.Coefficients(b), block.Sum(q.entries(b))
	for i := range all {
		all[i] /= complex(entering, 0)
	}
	return all
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
