package spectrum

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// Stages are the s phases of a switch-over at level c. Each phase leads to later phases only. Next and Between describe
// the time between two arrivals. The rows of both are pairs of a class and a phase, with the class as major index.
type Stages struct {
	Gamma, Exit []float64    // initial probabilities, and rates at which the switch-over ends
	T           block.Matrix // rates between the phases
	Atom        float64      // probability that the switch-over takes no time
	Next        block.Matrix // r·s × r·s: from just after an arrival to just after the next one, unfinished
	Between     block.Matrix // r·s × n·s: mean times until the next arrival or the end; arrival phase major in the columns
}

// SwitchOver is a switch-over at level c with subgenerator C of s phases, in the form that modes need. Let λ be a
// branch of the eigenvalues of the transform M(s) of the time between arrivals. Its left eigenvectors are e(s) over the
// classes and a(s) = e(s)·A·(sI − D0)⁻¹ over the arrival phases. Functions of the triangular matrix −C describe how the
// switch-over goes on. Arrivals to level c+k find it unfinished, and between arrivals it ends, as
//
//	u_k = λ(−C)^k·e(−C),   flow of ends: λ(−C)^k·a(−C)·exit.
//
// e(−C) is s × r·s. Each mode j of the same branch gets s coefficients η_j. The jobs whose switch-over has ended are in
// service, and enter the levels by divided differences between −C and s_j,
//
//	x_{c+k} = −η_j·(λ^k·a)[−C, s_j]·exit ⊗ ψ_j   for   u_k = η_j·λ(−C)^k·e(−C)·(I⊗ψ_j − H_j⊗ψ_j·V),   H_j = −λ[−C, s_j].
//
// No divided difference is computed as a difference of nearby numbers. So λ(−C) may be arbitrarily near to roots z, and
// phases may have the same rate.
//
// Reference: N. J. Higham, Functions of Matrices, SIAM, 2008, chapter 4, for functions of triangular matrices.
type SwitchOver struct {
	Stages
	ar       transforms
	rates    []float64 // total rate out of each phase: the eigenvalues of −C
	branches []stagesOfBranch
	// r × r·s: coefficients of the rows of e(−C), by branch and phase, in the start of a switch-over by each class
	Contents        block.Matrix
	Refill          *statespace.Sparse // V: a departure after which the first waiting job starts
	Fastest         float64            // the largest row sum of V
	vectorRoundings float64            // relative error of the eigenvectors of the arrivals, in rounding errors
}

// stagesOfBranch holds functions of −C on one branch of the arrivals, by rows.
type stagesOfBranch struct {
	lambda []float64 // λ(−C), s × s
	gap    []float64 // 1 − λ(−C)_dd, to its own digits
	e, a   []float64 // e(−C) and a(−C), s × s × r and s × s × n
}

// extension holds the divided differences of a mode for the phases of a switch-over.
type extension struct {
	h          []complex128 // H, s × s
	lastColumn []complex128 // H·exit, the last column of λ⁺ without z (see [Modes.matrix]): s
	e, a       []complex128 // −e[−C, s_j]·exit, s × r, and −a[−C, s_j]·exit, s × n
	total      []complex128 // sums of the entries of a ⊗ ψ, by phase
}

// During returns the modes of the same queue with a switch-over at level c. stages describes the phases of the
// switch-over and its course between arrivals. ar are the arrivals, and refill is the matrix V over the K occupancies
// of c jobs: rates of a departure after which the first waiting job starts. The result refers to stages and refill, and
// shares Psi with m, which stays unchanged. The error wraps ErrMethod if eigenvalues of the transform of the
// interarrival time coincide or are complex at a rate of the switch-over. It also wraps ErrMethod if an eigenvalue does
// not have K modes. If ctx ends, the error comes from ctx.
func (m *Modes) During(ctx context.Context, ar *statespace.Arrivals, stages Stages, refill *statespace.Sparse) (*Modes, error) {
	v := &SwitchOver{Stages: stages, ar: transforms{ar}, Refill: refill, Fastest: floats.Max(refill.RowSums())}
	if err := v.findBranches(ctx); err != nil {
		return nil, err
	}
	d := &Modes{Psi: m.Psi, List: slices.Clone(m.List), SwitchOver: v}
	rows, extensions := make([]int, ar.Classes), make([]extension, len(d.List))
	store, scratch := block.NewArena(0), block.BorrowArena(0)
	defer scratch.Return()
	for j := range d.List {
		if block.Stopped(ctx, j) {
			return nil, ctx.Err()
		}
		mode := &d.List[j]
		rows[mode.branch] += mode.height()
		mode.during = &extensions[j]
		scratch.Within(func() { v.extend(mode, store, scratch) })
		mode.setTotals()
	}
	for _, n := range rows {
		if n != m.Psi.Cols {
			return nil, fmt.Errorf("%d modes on a branch of the arrivals for %d occupancies: %w", n,
				m.Psi.Cols, markov.ErrMethod)
		}
	}
	return d, nil
}

// setTotals sets Total of a mode, and total of its extension, the further terms that a switch-over adds, if it has one.
// They are the sums of the vectors over arrival phases and occupancies, from which the probabilities of levels follow.
// A, sum and the extension must be set before.
func (m *Mode) setTotals() {
	m.Total = 0
	for _, p := range m.A {
		m.Total += p * m.sum
	}
	if x := m.during; x != nil {
		n := len(m.A)
		for c := range x.total {
			x.total[c] = 0
			for _, p := range x.a[c*n : (c+1)*n] {
				x.total[c] += p * m.sum
			}
		}
	}
}

// Order returns the number of coefficients of a mode: one, and one more for each phase of the switch-over.
func (m *Modes) Order() int {
	if m.SwitchOver == nil {
		return 1
	}
	return 1 + len(m.SwitchOver.Gamma)
}

// realBranch is the largest imaginary part of an eigenvalue or eigenvector of the arrivals, relative to its size, that
// is taken for rounding.
const realBranch = 1e-9

// findBranches sets rates, branches, Contents and vectorRoundings of the switch-over; Stages and ar must be set. A
// branch holds the functions λ(−C) and e(−C) of the subgenerator C, upper triangular matrices over the s switch-over
// phases. λ is one of the r eigenvalues of the transform of the interarrival time by classes, and e its left
// eigenvector. The diagonals are λ and e at the total rates of the phases; [stagesOfBranch.complete] finds the rest.
// Row q of Contents belongs to arrivals of class q. It expresses the start of the switch-over as a combination of the
// rows of e(−C) of all branches. The error wraps ErrMethod if branches coincide or are complex, or comes from ctx.
func (v *SwitchOver) findBranches(ctx context.Context) error {
	s, n, r := len(v.Gamma), v.ar.N, v.ar.Classes
	v.rates = v.T.RowSums()
	floats.Add(v.rates, v.Exit)
	v.branches = make([]stagesOfBranch, r)
	for b := range v.branches {
		v.branches[b] = stagesOfBranch{
			make([]float64, s*s), make([]float64, s), make([]float64, s*s*r), make([]float64, s*s*n),
		}
	}
	for c := range s {
		if err := v.setDiagonals(c); err != nil {
			return err
		}
	}
	all := block.New(r*s, r*s) // e of all branches
	for b := range v.branches {
		v.branches[b].complete(v, all.RowRange(b*s, (b+1)*s))
	}
	v.Contents = block.New(r, r*s)
	// The row of class q starts the switch-over in Γ. Contents expresses that row as a combination of the rows e of all
	// branches.
	f := block.FactorLU(ctx, all)
	for q := range r {
		copy(v.Contents.Row(q)[q*s:], v.Gamma)
		f.SolveLeft(v.Contents.Row(q))
	}
	return ctx.Err()
}

// setDiagonals sets entry (c, c) of λ(−C) and e(−C) of all branches, and vectorRoundings. The functions are upper
// triangular in the phases. So their diagonals are λ and e of each branch at s = rate of phase c. The error is that of
// [SwitchOver.findBranches].
func (v *SwitchOver) setDiagonals(c int) error {
	s, rate := len(v.Gamma), v.rates[c]
	list := v.ar.newArrivalBranches(complex(rate, 0))
	if list == nil {
		return fmt.Errorf("branches of the arrivals coincide at %v: %w", rate, markov.ErrMethod)
	}
	for i, at := range list {
		b := &v.branches[i]
		lambda, _ := at.at(complex(rate, 0))
		v.vectorRoundings = max(v.vectorRoundings, at.vectorRoundings())
		e := b.vector(v, c, c)
		for q, x := range realParts(at.left) {
			e[q] = real(x)
		}
		if math.Abs(imag(lambda)) > realBranch*cmplx.Abs(lambda) || !isReal(at.left) {
			return fmt.Errorf("a branch of the arrivals is complex at %v: %w", rate, markov.ErrMethod)
		}
		b.lambda[c*s+c] = real(lambda)
	}
	return nil
}

// isReal reports whether x is a complex multiple of a real vector, up to the relative error realBranch, 10⁻⁹. x must
// have an entry that is not zero. The switch-over cannot use branches of the arrivals whose eigenvectors are not real.
func isReal(x []complex128) bool {
	largest := complex(0, 0)
	for _, v := range x {
		if cmplx.Abs(v) > cmplx.Abs(largest) {
			largest = v
		}
	}
	for _, v := range x {
		if math.Abs(imag(v/largest)) > realBranch {
			return false
		}
	}
	return true
}

// complete finds the entries of λ(−C) and e(−C) of one branch above their diagonals, which must be set. All other
// entries of lambda, e and a must be zero, and the matrix to as well. C is the subgenerator of the switch-over, λ an
// eigenvalue of the transform of the interarrival time by r classes, and e its left eigenvector. It sets lambda, e, the
// part a(−C) = e(−C)·Between over the arrival phases, and gap, 1 − λ. It copies e(−C) to the matrix to, with a row for
// each of the s switch-over phases. Class q and phase d have column q·s + d.
//
// e(−C) is normalised by e(s)·ν = 1 for a fixed vector ν; so its diagonal is scaled, too. Row c and column d of
// λ(−C)·e(−C) = e(−C)·Next are a linear system of order r+1 for e_cd and λ_cd, given the entries between:
//
//	e_cd·N_dd − λ_cc·e_cd − λ_cd·e_dd = Σ_{c<l<d} λ_cl·e_ld − Σ_{c≤l<d} e_cl·N_ld,   e_cd·ν = 0,
//
// where c, l and d are switch-over phases, and N_ld is the r×r block of Next from phase l to phase d. Next and Between
// hold, from one arrival to the next, probabilities and mean times in the states of the switch-over.
func (b *stagesOfBranch) complete(v *SwitchOver, to block.Matrix) {
	s := len(v.Gamma)
	nu := slices.Clone(b.vector(v, 0, 0))
	for c := range s {
		floats.Scale(1/floats.Dot(b.vector(v, c, c), nu), b.vector(v, c, c))
	}
	for c := s - 1; c >= 0; c-- {
		for d := c + 1; d < s; d++ {
			b.solveEntry(v, c, d, nu)
		}
	}
	for c := range s {
		b.setBetween(v, c, to.Row(c))
	}
}

// vector returns e_cd, row c and column d of e(−C): r numbers by class, which share the storage of b.
func (b *stagesOfBranch) vector(v *SwitchOver, c, d int) []float64 {
	r, i := v.ar.Classes, c*len(v.Gamma)+d
	return b.e[i*r : (i+1)*r]
}

// solveEntry sets e_cd and λ_cd by the linear system of [stagesOfBranch.complete], given all entries between c and d.
func (b *stagesOfBranch) solveEntry(v *SwitchOver, c, d int, nu []float64) {
	s, r := len(v.Gamma), v.ar.Classes
	x := make([]complex128, r+1)
	m := make([]complex128, (r+1)*(r+1)) // transposed
	for q := range r {
		for p := range r {
			m[q*(r+1)+p] = complex(v.Next.At(p*s+d, q*s+d), 0)
		}
		m[q*(r+1)+q] -= complex(b.lambda[c*s+c], 0)
		m[q*(r+1)+r] = complex(-b.vector(v, d, d)[q], 0)
		m[r*(r+1)+q] = complex(nu[q], 0)
		right := 0.0
		for l := c; l < d; l++ {
			if l > c {
				right += b.lambda[c*s+l] * b.vector(v, l, d)[q]
			}
			for p, y := range b.vector(v, c, l) {
				right -= y * v.Next.At(p*s+l, q*s+d)
			}
		}
		x[q] = complex(right, 0)
	}
	solvePivoted(m, r+1, x)
	e := b.vector(v, c, d)
	for q := range r {
		e[q] = real(x[q])
	}
	b.lambda[c*s+d] = real(x[r])
}

// setBetween copies row c of e(−C) to the vector to, and sets row c of a(−C) and gap, as [stagesOfBranch.complete] says.
// Row c of e and λ_cc must be set.
func (b *stagesOfBranch) setBetween(v *SwitchOver, c int, to []float64) {
	s, n := len(v.Gamma), v.ar.N
	for l := c; l < s; l++ {
		for q, x := range b.vector(v, c, l) {
			to[q*s+l] = x
			between := v.Between.Row(q*s + l)
			for d := l; d < s; d++ {
				for i := range n {
					b.a[(c*s+d)*n+i] += x * between[i*s+d]
				}
			}
		}
	}
	// 1 − λ follows from (1 − λ)·e·1 = rate·a·1, which is a sum of positive terms on the first branch.
	e := b.vector(v, c, c)
	whole, size := block.Sum(e), floats.Norm(e, 1)
	if b.gap[c] = 1 - b.lambda[c*s+c]; math.Abs(whole) > 0.1*size {
		b.gap[c] = v.rates[c] * block.Sum(b.a[(c*s+c)*n:(c*s+c+1)*n]) / whole
	}
}

// quotientFrom is the distance of the rate of a switch-over phase from s, relative to their sizes, from which divided
// differences are computed as quotients.
const quotientFrom = 0.25

// extend sets the extension of a mode in mode.during, its further terms with the switch-over, except its sums, which
// [Mode.setTotals] sets. It replaces the vectors e and a of the mode by scaled copies. The vectors of the mode lie in
// store, all others in scratch. Columns of H = −λ[−C, s_j] and of −e[−C, s_j] follow one after the other, see
// [SwitchOver]. Column d comes from a quotient where the rate of phase d is far from s_j. Otherwise s_j is treated like a
// further eigenvalue of −C, and the column comes from linear systems as in [stagesOfBranch.complete].
// [SwitchOver.findBranches] must have been called before.
//
// All vectors are scaled so that e(s)·ν = 1, with ν suited to the mode. The vectors e and a of the mode remain in this
// scale. The products of the extension with the exit rates are multiplied by e(−C)·ν in the end; H is not.
func (v *SwitchOver) extend(mode *Mode, store, scratch *block.Arena) {
	s, n, r := len(v.Gamma), v.ar.N, v.ar.Classes
	b := &v.branches[mode.branch]
	mode.e, mode.A = store.ComplexClone(mode.Classes()), store.ComplexClone(mode.A)
	nu := commonVector(mode.e, b.e[:r])
	scale := times(mode.e, nu)
	for i := range mode.e {
		mode.e[i] /= scale
	}
	for i := range mode.A {
		mode.A[i] /= scale
	}
	e, a := scratch.ComplexOf(b.e), scratch.ComplexOf(b.a)
	scales := scratch.ComplexVector(s * s) // e·ν
	for i := range scales {
		scales[i] = times(e[i*r:(i+1)*r], nu)
	}
	upperSolve(scales, s, e)
	upperSolve(scales, s, a)
	resolvent := v.ar.leftResolvent(mode.s)
	m := v.ar.between(resolvent, scratch)
	x, h := scratch.ComplexVector(s*s*r), store.ComplexVector(s*s)
	for d := range s {
		apart := complex(v.rates[d], 0) - mode.s
		if cmplx.Abs(apart) >= quotientFrom*(v.rates[d]+cmplx.Abs(mode.s)) {
			v.columnByQuotients(x, h, d, apart, mode, b, e)
		} else {
			v.columnBySystems(x, h, d, m, resolvent, nu, mode, b, a)
		}
	}
	ext := mode.during
	*ext = extension{h: h, lastColumn: store.ComplexVector(s), e: store.ComplexVector(s * r), a: store.ComplexVector(s * n),
		total: store.ComplexVector(s)}
	v.addExits(ext, x, a, resolvent)
	upperTimes(scales, s, ext.lastColumn)
	upperTimes(scales, s, ext.e)
	upperTimes(scales, s, ext.a)
}

// addExits adds the products with the exit rates to lastColumn, e and a of an extension, which must be zero. x holds
// −e[−C, s_j], s × s × r, and a holds a(−C), s × s × n. The factors of the resolvent lead from e to a.
func (v *SwitchOver) addExits(ext *extension, x, a, resolvent []complex128) {
	s, n, r := len(v.Gamma), v.ar.N, v.ar.Classes
	for c := range s {
		for d := c; d < s; d++ {
			exit := complex(v.Exit[d], 0)
			ext.lastColumn[c] += ext.h[c*s+d] * exit
			for q := range r {
				ext.e[c*r+q] += x[(c*s+d)*r+q] * exit
			}
			for i := range n {
				ext.a[c*n+i] += a[(c*s+d)*n+i] * exit
			}
		}
		for q := range r {
			for i, p := range v.ar.A.Row(q) {
				ext.a[c*n+i] += ext.e[c*r+q] * complex(p, 0)
			}
		}
		block.ComplexSolve(resolvent, n, ext.a[c*n:(c+1)*n])
	}
}

// columnByQuotients sets column d of H, stored in h, and of x = −e[−C, s_j], in the rows c ≤ d. With s switch-over
// phases and r classes of arrivals, they have s×s and s×s×r numbers. It is used where apart = rate_d − s_j is not
// small. e holds e(−C) of the branch b of the mode, in the scale of the mode. Earlier columns must be set. From H·(−C −
// s_j·I) = z·I − λ(−C), with T the rates between the phases,
//
//	H_cd = (z·δ_cd − λ_cd + Σ_{c≤l<d} H_cl·T_ld)/(rate_d − s_j),   x_cd = (e_j·δ_cd − e_cd + Σ_{c≤l<d} x_cl·T_ld)/(rate_d − s_j).
func (v *SwitchOver) columnByQuotients(x, h []complex128, d int, apart complex128, mode *Mode, b *stagesOfBranch, e []complex128) {
	s, r := len(v.Gamma), v.ar.Classes
	for c := d; c >= 0; c-- {
		top := complex(-b.lambda[c*s+d], 0)
		if c == d {
			top += mode.Z
		}
		for l := c; l < d; l++ {
			top += h[c*s+l] * complex(v.T.At(l, d), 0)
		}
		h[c*s+d] = top / apart
		for q := range r {
			top := -e[(c*s+d)*r+q]
			if c == d {
				top += mode.e[q]
			}
			for l := c; l < d; l++ {
				top += x[(c*s+l)*r+q] * complex(v.T.At(l, d), 0)
			}
			x[(c*s+d)*r+q] = top / apart
		}
	}
}

// columnBySystems sets column d of H, stored in h, and of x = −e[−C, s_j], in the rows c ≤ d. With s switch-over phases
// and r classes of arrivals, they have s×s and s×s×r numbers. It is used where s_j is near the rate of phase d. m is
// the transform M(s_j), resolvent the factors for (s_j·I − D0)⁻¹. e_j is the vector e of the mode, e[−C, s_j] the
// divided difference of e, and ν, nu, normalises e; see [commonVector]. a holds a(−C) of the branch b, in the scale of
// the mode. For each row c, from the last, it solves a system of order r+1,
//
//	x_cd·M(s_j) − λ_cc·x_cd − H_cd·e_j = Σ_{c<l≤d} λ_cl·x_ld − a_cd·(s_j·I − D0)⁻¹·F,   x_cd·ν = 0.
//
// With one class of arrivals x must be zero before and stays zero, and H_cd = a_cd·(s_j·I − D0)⁻¹·F/e_j.
func (v *SwitchOver) columnBySystems(x, h []complex128, d int, m, resolvent, nu []complex128, mode *Mode, b *stagesOfBranch,
	a []complex128) {
	s, n, r := len(v.Gamma), v.ar.N, v.ar.Classes
	for c := d; c >= 0; c-- {
		flow, y := make([]complex128, n), make([]complex128, r+1)
		copy(flow, a[(c*s+d)*n:(c*s+d+1)*n])
		block.ComplexSolve(resolvent, n, flow)
		timesRates(y[:r], flow, v.ar.F)
		system := make([]complex128, (r+1)*(r+1)) // transposed
		for q := range r {
			y[q] = -y[q]
			for l := c + 1; l <= d; l++ {
				y[q] += complex(b.lambda[c*s+l], 0) * x[(l*s+d)*r+q]
			}
			for p := range r {
				system[q*(r+1)+p] = m[p*r+q]
			}
			system[q*(r+1)+q] -= complex(b.lambda[c*s+c], 0)
			system[q*(r+1)+r] = -mode.e[q]
			system[r*(r+1)+q] = nu[q]
		}
		if r == 1 {
			h[c*s+d] = -y[0] / mode.e[0]
			continue
		}
		solvePivoted(system, r+1, y)
		copy(x[(c*s+d)*r:(c*s+d+1)*r], y[:r])
		h[c*s+d] = y[r]
	}
}

// commonVector returns a vector with which neither e nor f has a small product: the sum of the conjugates of both, each
// scaled to length one, with f turned into the phase of e. Neither may be zero. Eigenvectors e and f are normalised by
// their product with this vector.
func commonVector(e []complex128, f []float64) []complex128 {
	size, other := 0.0, floats.Norm(f, 2)
	var product complex128
	for i, x := range e {
		size = math.Hypot(size, cmplx.Abs(x))
		product += x * complex(f[i], 0)
	}
	turn := complex(1, 0)
	if product != 0 {
		turn = cmplx.Conj(product) / complex(cmplx.Abs(product), 0)
	}
	nu := make([]complex128, len(e))
	for i, x := range e {
		nu[i] = cmplx.Conj(x)/complex(size, 0) + turn*complex(f[i]/other, 0)
	}
	return nu
}

// leftResolvent returns factors with which [block.ComplexSolve] overwrites a row x with x·(sI − D0)⁻¹. D0 holds the
// rates between the arrival phases without an arrival, and x has a number for each of them.
func (ar transforms) leftResolvent(s complex128) []complex128 {
	m := make([]complex128, ar.N*ar.N)
	ar.resolvent(m, s)
	return transposedLU(m, ar.N)
}

// between returns the transform M(s) = A·(sI − D0)⁻¹·F of the interarrival time, r × r by classes, given the factors of
// [transforms.leftResolvent]. It lies in scratch.
func (ar transforms) between(resolvent []complex128, scratch *block.Arena) []complex128 {
	r := ar.Classes
	m := scratch.ComplexVector(r * r)
	for q := range r {
		row := scratch.ComplexOf(ar.A.Row(q))
		block.ComplexSolve(resolvent, ar.N, row)
		timesRates(m[q*r:(q+1)*r], row, ar.F)
	}
	return m
}
