package multiserver

import (
	"context"

	"gonum.org/v1/gonum/floats"

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
	if rp.entries != nil {
		q := balance{modes: rp.modes, entries: rp.entries, from: from}
		if x := q.solve(ctx); x != nil {
			return rp.fromReal(x), ctx.Err()
		}
	}
	return rp.fromReal(rp.balanceByElimination(ctx, from.returns(ctx))), ctx.Err()
}

// balance is the balance of the entries of level c in real form: coefficients are those of the rows of psi. What comes
// back through the boundary is found for a vector at a time, so that flow is never made: with E factored,
//
//	y·(I − E⁻¹·Φ·flow) = 0,   y = b·E,
//
// is a chain of entries, few steps of which are left of any but its stationary vector, as many as it takes jobs to be
// forgotten. It is solved by [krylov.GMRES] for corrections to b, so that what is lost by E, whose rows may nearly depend
// on each other, is found again in the next correction.
type balance struct {
	*modes
	entries *block.LU // E
	from    *boundary
}

// Corrections come until what is out of balance is a few roundings of the entries, or no longer halves. One that takes
// more than mostSteps is not as fast as elimination, and what is then out of balance by more than settled is left to that:
// the tenth part of an error that [certified] passes.
const (
	correction      = 1e-7
	mostSteps       = 60
	mostCorrections = 12
	settled         = certified / 10
)

// solve returns the coefficients, nil if they do not settle.
func (q *balance) solve(ctx context.Context) []float64 {
	b := q.start()
	r, size := q.off(b)
	off := floats.Norm(r, 1)
	for range mostCorrections {
		if ctx.Err() != nil || off <= fewRoundings*size {
			break
		}
		d, _ := krylov.GMRES(ctx, q.times, r, max(correction, fewRoundings*size/off), mostSteps)
		q.entries.SolveLeft(d)
		floats.Add(d, b)
		next, nextSize := q.off(d)
		last := off / size
		if now := floats.Norm(next, 1) / nextSize; !(now < last) {
			break
		}
		b, r, size, off = d, next, nextSize, floats.Norm(next, 1)
		if off/size > last/2 {
			break
		}
	}
	if !(off <= settled*size) {
		return nil
	}
	return b
}

// start returns the coefficients of arrivals that find all occupancies, in all classes, alike.
func (q *balance) start() []float64 {
	s := q.from.sys
	b := make([]float64, q.psi.Rows)
	up := q.from.levels[s.c-1].arrival
	up.kronLeft(b, block.Ones(s.ar.classes*up.rows), s.ar.classes)
	q.entries.SolveLeft(b)
	return b
}

// off returns b·(Φ·flow − E), and |b·E|.
func (q *balance) off(b []float64) (r []float64, size float64) {
	r = q.returned(b)
	entry := q.combined(b, mode.classes, q.from.sys.ar.classes)
	floats.Sub(r, entry)
	return r, floats.Norm(entry, 1)
}

// times returns y·(I − E⁻¹·Φ·flow).
func (q *balance) times(y []float64) []float64 {
	b := append([]float64(nil), y...)
	q.entries.SolveLeft(b)
	x := q.returned(b)
	floats.SubTo(x, y, x)
	return x
}

// returned returns b·Φ·flow.
func (q *balance) returned(b []float64) []float64 {
	return q.from.returning(q.combined(b, func(m mode) []complex128 { return m.a }, q.from.sys.ar.n))
}

// combined returns the sum of v ⊗ ψ over the modes, v being the k numbers that of gives for each.
func (q *balance) combined(b []float64, of func(mode) []complex128, k int) []float64 {
	weights := block.NewRaw(k, len(b))
	defer weights.Release()
	for _, mode := range q.list {
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
	for i := range k {
		block.VecMulAdd(x.Row(i), weights.Row(i), q.psi)
	}
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
		sign += real(b[j] * classes * total)
	}
	for j := range b {
		b[j] /= complex(sign, 0)
	}
	return b
}
