package multiserver

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/krylov"
)

// coefficients returns b such that the entries of level c balance: flow, n·K × r·K, holds the rates from its states in
// service through the boundary back to its entries,
//
//	b·(E − Φ·flow) = 0,
//
// where the rows of E are e ⊗ ψ of the modes, those of Φ a ⊗ ψ.
func (rp *repeatingPart) coefficients(ctx context.Context, from *boundary) ([]complex128, error) {
	if rp.basis != nil {
		q := balance{modes: rp.modes, basis: rp.basis, from: from, refill: rp.refill}
		rp.basis = nil
		defer q.basis.Release()
		if x := q.solve(ctx); x != nil {
			return rp.fromReal(x), ctx.Err()
		}
	}
	if rp.delay != nil {
		return nil, fmt.Errorf("coefficients of modes do not settle: %w", markov.ErrNoConvergence)
	}
	flow, err := from.returns(ctx)
	if err != nil {
		return nil, err
	}
	return rp.fromReal(rp.balanceByElimination(ctx, flow)), ctx.Err()
}

// balance is the balance of the entries of level c in real form: coefficients are those of the rows of psi. What comes
// back through the boundary is found for a vector at a time, so that flow is never made: with E factored,
//
//	y·(I − E⁻¹·Φ·flow) = 0,   y = b·E,
//
// is a chain of entries, few steps of which are left of any but its stationary vector, as many as it takes jobs to be
// forgotten. What is pending after a run of [passes] through the boundary is found with the entries, in vectors with both
// of them. It is solved by [krylov.GMRES] for corrections to b, so that what is lost by E, whose rows may nearly depend
// on each other, is found again in the next correction.
type balance struct {
	*modes
	basis  leftSolver // E
	from   *boundary
	refill *sparse // V

	sizes    []float64 // of the rows of E
	entering float64   // the sum of the absolute values of the entries last looked at
}

// Corrections come until what is out of balance is the roundings of its terms, or no longer halves: each takes off all but
// correction of it. One that takes mostSteps is not as fast as elimination, to which everything is left if more than settled
// roundings are out of balance in the end: coefficients found by iteration are then as good as its own.
const (
	correction      = 1e-10
	mostSteps       = 60
	mostCorrections = 8
	settled         = 16
)

// solve returns the coefficients, nil if they do not settle. It starts from those of the slowest mode alone.
func (q *balance) solve(ctx context.Context) []float64 {
	q.measure()
	b := make([]float64, q.psi.Rows+q.from.pendingSize())
	b[q.list[0].row] = 1
	r, off := q.off(b)
	for range mostCorrections {
		roundings := q.roundings(b)
		if off <= roundings || ctx.Err() != nil {
			break
		}
		d, _ := krylov.GMRES(ctx, q.times, r, max(correction, roundings/off), mostSteps)
		q.basis.SolveLeft(d[:q.psi.Rows])
		floats.Add(d, b)
		next, now := q.off(d)
		if !(now < off) {
			break
		}
		halved := now <= off/2
		if b, r, off = d, next, now; !halved {
			break
		}
	}
	if !(off <= settled*q.roundings(b)) {
		return nil
	}
	own := b[:q.psi.Rows]
	if q.from.pendingSize() > 0 {
		q.from.startFrom(q.from.departing(q.inService(own)), b[q.psi.Rows:])
	}
	return own
}

// measure sets the sums of the absolute values of the rows of E.
func (q *balance) measure() {
	q.sizes = make([]float64, q.psi.Rows)
	for _, mode := range q.list {
		size := floats.Norm(q.psi.Row(mode.row), 1)
		if mode.pair {
			size += floats.Norm(q.psi.Row(mode.row+1), 1)
		}
		q.sizes[mode.row] = q.size(mode) * size
		if mode.pair {
			q.sizes[mode.row+1] = q.sizes[mode.row]
		}
	}
}

// roundings returns one rounding of all terms of b·E, relative to the entries.
func (q *balance) roundings(b []float64) float64 {
	sum := 0.0
	for i, v := range b[:q.psi.Rows] {
		sum += math.Abs(v) * q.sizes[i]
	}
	sum += floats.Norm(b[q.psi.Rows:], 1)
	return block.UnitRoundoff * sum / q.entering
}

// off returns b·(Φ·flow − E), with what is pending, and its sum of absolute values relative to that of the entries.
func (q *balance) off(b []float64) (r []float64, share float64) {
	r = q.returned(b)
	entry := q.entry(b[:q.psi.Rows])
	floats.Sub(r[:len(entry)], entry)
	floats.Sub(r[q.psi.Rows:], b[q.psi.Rows:])
	q.entering = floats.Norm(entry, 1)
	return r, floats.Norm(r, 1) / q.entering
}

// times returns y·(I − E⁻¹·Φ·flow).
func (q *balance) times(y []float64) []float64 {
	b := append([]float64(nil), y...)
	q.basis.SolveLeft(b[:q.psi.Rows])
	x := q.returned(b)
	floats.SubTo(x, y, x)
	return x
}

// returned returns b·Φ·flow, with what is pending.
func (q *balance) returned(b []float64) []float64 {
	return q.from.run(q.inService(b[:q.psi.Rows]), b[q.psi.Rows:])
}

// inService returns b·Φ.
func (q *balance) inService(b []float64) []float64 {
	return q.combined(b, func(m *mode) []complex128 { return m.a }, q.from.sys.ar.n)
}

// combined returns the sum of v ⊗ ψ over the modes, v being the k numbers that of gives for each.
func (q *balance) combined(b []float64, of func(*mode) []complex128, k int) []float64 {
	weights := block.NewRaw(k, len(b))
	defer weights.Release()
	for j := range q.list {
		mode := &q.list[j]
		for i, v := range of(mode) {
			row := weights.Row(i)[mode.row:]
			row[0] = real(v) * b[mode.row]
			if mode.pair {
				row[0] += imag(v) * b[mode.row+1]
				row[1] = real(v)*b[mode.row+1] - imag(v)*b[mode.row]
			}
		}
	}
	x := block.New(k, q.psi.Cols)
	block.FewMulAdd(x, weights, q.psi)
	return x.Data
}

// balanceByElimination returns the coefficients in real form.
func (m *modes) balanceByElimination(ctx context.Context, flow block.Matrix) []float64 {
	balance := m.entries()
	defer balance.Release()
	psi := m.psi
	k := psi.Cols
	back := block.NewRaw(psi.Rows, flow.Cols)
	defer back.Release()
	for a := range flow.Rows / k {
		clear(back.Data)
		block.MulAdd(ctx, back, psi, flow.RowRange(a*k, (a+1)*k))
		for _, mode := range m.list {
			re, im := real(mode.a[a]), imag(mode.a[a])
			floats.AddScaled(balance.Row(mode.row), -re, back.Row(mode.row))
			if mode.pair {
				floats.AddScaled(balance.Row(mode.row), im, back.Row(mode.row+1))
				floats.AddScaled(balance.Row(mode.row+1), -im, back.Row(mode.row))
				floats.AddScaled(balance.Row(mode.row+1), -re, back.Row(mode.row+1))
			}
		}
	}
	return block.LeftNullVector(ctx, balance)
}

// fromReal returns the coefficients of the modes for those of the rows of psi, such that entries are positive.
func (m *modes) fromReal(x []float64) []complex128 {
	b := make([]complex128, len(m.list))
	sign := 0.0
	for j, mode := range m.list {
		b[j] = complex(x[mode.row], 0)
		if mode.pair {
			b[j] = complex(x[mode.row], -x[mode.row+1])
		}
		var classes complex128
		for _, v := range mode.classes() {
			classes += v
		}
		total := complex(block.Sum(m.psi.Row(mode.row)), 0)
		if mode.pair {
			total += complex(0, block.Sum(m.psi.Row(mode.row+1)))
		}
		if m.delay != nil { // in place of the entries, states in service
			classes, total = 1, mode.total
		}
		sign += real(b[j] * classes * total)
	}
	for j := range b {
		b[j] /= complex(sign, 0)
	}
	return b
}
