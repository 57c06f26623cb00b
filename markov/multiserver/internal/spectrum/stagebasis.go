package spectrum

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// StageBasis finds the coefficients (b, η) with which modes give the required entries of a level c that has a
// switch-over; see [SwitchOver] for symbols. First, the entries without a switch-over:
//
//	Re Σ_j (b_j·e_j + η_j·ẽ_j) ⊗ ψ_j,   ẽ_j = −e[−C, s_j]·exit.
//
// Second, the entries that begin a switch-over, for each branch and each switch-over phase d:
//
//	Re Σ_j (η_jd·ψ_j − Σ_{c≤d} η_jc·H_cd·ψ_j·V),   a sum over the modes j of the branch.
//
// The second equations are solved phase by phase, with factors of the K×K matrix of rows ψ_j − H_dd·ψ_j·V. Then the
// first are solved for b with factors of the rows e ⊗ ψ.
type StageBasis struct {
	m       *Modes
	plain   LeftSolver   // factors of the rows e ⊗ ψ; nil if b is not needed
	rows    [][]int      // rows of Psi, by branch
	phases  [][]block.LU // by branch and phase
	factors []block.LU   // each of the phases once: phases of one rate share theirs
}

// factorStages returns the factors of a [StageBasis], with which coefficients follow from entries if level c has a
// switch-over; the modes must come from [Modes.During]. There is one K×K matrix over the occupancies for each
// eigenvalue of the arrivals and each switch-over phase. Consecutive phases of the same rate share their factors. The
// matrix of [Modes.Entries] is factored as well, unless no entry can begin without a switch-over. The caller must
// release the factors. They are incomplete if ctx ends.
func (m *Modes) factorStages(ctx context.Context) LeftSolver {
	v, k := m.SwitchOver, m.Psi.Cols
	f := &StageBasis{m: m, rows: make([][]int, len(v.branches)), phases: make([][]block.LU, len(v.branches))}
	if len(v.branches) > 1 || v.Atom > 0 { // ẽ of one class is zero
		f.plain = m.factorPlain(ctx) // else no entry begins without a switch-over: with one class ẽ is zero
	}
	refilled := &Modes{Psi: block.NewRaw(m.Psi.Rows, k)} // the rows ψ_j·V
	defer refilled.Psi.Release()
	v.Refill.MulKronRight(ctx, refilled.Psi, m.Psi, 1)
	s := len(v.Gamma)
	for b := range v.branches {
		for _, mode := range m.List {
			for p := range mode.height() {
				if mode.branch == b {
					f.rows[b] = append(f.rows[b], mode.Row+p)
				}
			}
		}
		for d := range s {
			if d > 0 && v.rates[d] == v.rates[d-1] {
				f.phases[b] = append(f.phases[b], f.phases[b][d-1])
				continue
			}
			lu := block.FactorLU(ctx, m.phaseRows(b, d, refilled))
			f.phases[b], f.factors = append(f.phases[b], lu), append(f.factors, lu)
		}
	}
	return f
}

// phaseRows returns the K×K matrix of rows ψ_j − H_dd·ψ_j·V of the modes of a branch, for phase d of the switch-over.
// refilled holds the rows ψ_j·V.
func (m *Modes) phaseRows(branch, d int, refilled *Modes) block.Matrix {
	s, k, row := len(m.SwitchOver.Gamma), m.Psi.Cols, 0
	w := &Modes{Psi: block.NewRaw(k, k)}
	for _, mode := range m.List {
		if mode.branch != branch {
			continue
		}
		part := mode
		part.Row = row
		w.copyRows(part, m.Psi, mode.Row)
		w.subtractRows(part, mode.during.h[d*s+d], refilled.Psi, mode.Row)
		row += mode.height()
	}
	return w.Psi
}

// copyRows copies the vector of a mode over the occupancies to the rows of the mode in m.Psi: one row, or two for a
// pair of conjugate roots. The vector stands in the block from, in the given first row and the row after it.
func (m *Modes) copyRows(mode Mode, from block.Matrix, first int) {
	for p := range mode.height() {
		copy(m.Psi.Row(mode.Row+p), from.Row(first+p))
	}
}

// subtractRows subtracts v·ψ from the rows of a mode in m.Psi, in place. ψ is a vector over the occupancies in the
// given first row of the block from. For a pair of conjugate roots, the next row holds its imaginary part, and the
// product is complex.
func (m *Modes) subtractRows(mode Mode, v complex128, from block.Matrix, first int) {
	re := m.Psi.Row(mode.Row)
	floats.AddScaled(re, -real(v), from.Row(first))
	if mode.Pair {
		im := m.Psi.Row(mode.Row + 1)
		floats.AddScaled(re, imag(v), from.Row(first+1))
		floats.AddScaled(im, -imag(v), from.Row(first))
		floats.AddScaled(im, -real(v), from.Row(first+1))
	}
}

// SolveLeft overwrites x with the coefficients in real form, the modes first, as [Modes.Coefficients] takes them.
// Before, x holds required entries of level c. Entries without a switch-over come first: class q and occupancy i at q·K
// + i. Entries with a switch-over follow: branch b of the arrivals, switch-over phase d and occupancy i at r·K + (b·s +
// d)·K + i. So x has (1+s)·r·K numbers for s switch-over phases, r classes of arrivals and K occupancies. Coefficients
// of modes are 0 if no entry can begin without a switch-over.
func (f *StageBasis) SolveLeft(x []float64) {
	f.solve(block.Over(1, len(x), x), func(by LeftSolver, part block.Matrix) { by.SolveLeft(part.Data) })
}

// SolveLeftRows is [StageBasis.SolveLeft] for each row of x. It is incomplete if ctx ends.
func (f *StageBasis) SolveLeftRows(ctx context.Context, x block.Matrix) {
	f.solve(x, func(by LeftSolver, part block.Matrix) { by.SolveLeftRows(ctx, part) })
}

// solve overwrites each row of x as [StageBasis.SolveLeft] says. solveRows(by, part) must overwrite each row of part by
// the factors of one matrix.
func (f *StageBasis) solve(x block.Matrix, solveRows func(by LeftSolver, part block.Matrix)) {
	m, k, rows := f.m, f.m.Psi.Cols, f.m.Psi.Rows
	s := m.Order() - 1
	y, part := block.NewScratch(x.Rows, x.Cols), block.NewRaw(x.Rows, k) // y holds coefficients
	defer y.Release()
	defer part.Release()
	// Phase by phase: the terms c < d of the sum over H_cd are known and are added to the entries of phase d.
	for d := range s {
		var before block.Matrix
		if d > 0 {
			before = m.refilledBefore(y, d)
		}
		for b, list := range f.rows {
			for q := range x.Rows {
				copy(part.Row(q), x.Row(q)[rows+(b*s+d)*k:])
				if d > 0 {
					floats.Add(part.Row(q), before.Row(q)[b*k:(b+1)*k])
				}
			}
			solveRows(f.phases[b][d], part)
			for q := range x.Rows {
				from, to := part.Row(q), y.Row(q)[(d+1)*rows:]
				for i, row := range list {
					to[row] = from[i]
				}
			}
		}
	}
	if f.plain != nil {
		f.solvePlain(x, y, solveRows)
	}
	copy(x.Data, y.Data)
}

// solvePlain sets the coefficients of the modes in each row of y, which come first, for the entries in the same row of x.
// The coefficients of the switch-over phases in y must be set. solveRows is the argument of [StageBasis.solve].
func (f *StageBasis) solvePlain(x, y block.Matrix, solveRows func(by LeftSolver, part block.Matrix)) {
	m, rows := f.m, f.m.Psi.Rows
	part := block.NewRaw(x.Rows, rows)
	defer part.Release()
	for q := range x.Rows {
		copy(part.Row(q), x.Row(q))
		if r := len(f.rows); r > 1 {
			all, o := m.Coefficients(nil, y.Row(q)), m.Order()
			from := m.Combined(nil, nil, r, func(to []complex128, j int) { m.Class(to, j, all[j*o:(j+1)*o]) })
			floats.Sub(part.Row(q), from.Data)
		}
	}
	solveRows(f.plain, part)
	for q := range x.Rows {
		copy(y.Row(q), part.Row(q))
	}
}

// refilledBefore returns the contribution of the switch-over phases before d to the equations of phase d in
// [StageBasis]: for each row of coefficients, a number for each eigenvalue of the arrivals and each occupancy, with the
// eigenvalue as major index. The coefficients are in real form, as [Modes.Coefficients] takes them; only the
// coefficients of phases before d matter. For each eigenvalue the sum, over its modes j, is Re Σ_{c<d} Σ_j
// η_jc·H_cd·ψ_j·V.
func (m *Modes) refilledBefore(coefficients block.Matrix, d int) block.Matrix {
	v := m.SwitchOver
	s, r := len(v.Gamma), len(v.branches)
	all := make([][]complex128, coefficients.Rows)
	for q := range all {
		all[q] = m.Coefficients(nil, coefficients.Row(q))
	}
	from := m.Combined(nil, nil, len(all)*r, func(to []complex128, j int) {
		mode := &m.List[j]
		clear(to)
		for q, own := range all {
			for c := range d {
				to[q*r+mode.branch] += own[j*(s+1)+c] * mode.during.h[c*s+d]
			}
		}
	})
	sum := block.New(len(all), r*m.Psi.Cols)
	v.Refill.KronLeft(sum.Data, from.Data, len(all)*r)
	return sum
}

// Started returns the entries of level c that begin a switch-over, as [StageBasis] defines them. all holds the complex
// coefficients of all modes, as [Modes.Coefficients] returns them. Branch b of the arrivals, switch-over phase d of s
// and occupancy i of K have the index (b·s + d)·K + i. The balance of level c compares them with the entries that
// arrivals bring. The result lies in store.
func (m *Modes) Started(store *block.Arena, all []complex128) []float64 {
	v := m.SwitchOver
	s, k, r := len(v.Gamma), m.Psi.Cols, len(v.branches)
	row := func(j int) []complex128 { return all[j*(s+1) : (j+1)*(s+1)] }
	own := m.Combined(store, store, r*s, func(to []complex128, j int) {
		clear(to)
		copy(to[m.List[j].branch*s:], row(j)[:s])
	})
	from := m.Combined(store, store, r*s, func(to []complex128, j int) {
		mode := &m.List[j]
		clear(to)
		for d := range s {
			for c, x := range row(j)[:d+1] {
				to[mode.branch*s+d] -= x * mode.during.h[c*s+d]
			}
		}
	})
	v.Refill.KronLeft(own.Data[:r*s*k], from.Data, r*s)
	return own.Data
}

// Release gives the storage of all factors of the basis back for use by others. The basis must not be used afterwards.
func (f *StageBasis) Release() {
	if f.plain != nil {
		f.plain.Release()
	}
	for _, p := range f.factors {
		p.Release()
	}
}
