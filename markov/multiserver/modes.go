package multiserver

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
)

// modes are the geometric terms of which the levels from c on of a queue without switch-overs at level c are made:
//
//	x_{c+k} = Re Σ_j b_j·z_j^k·(a_j ⊗ ψ_j),   entries of level c: Re Σ_j b_j·(e_j ⊗ ψ_j),
//
// so that r·K coefficients b are all that is left to find, by the balance of the entries of level c with the
// boundary. Conjugate roots are one mode; its ψ takes two rows.
type modes struct {
	psi  block.Matrix // r·K × K, the real part of ψ and, for a pair, the imaginary part
	list []mode
}

// mode is a root z, with 1 − z to its own digits, and its vectors e over the classes of arrivals, a = e·A·(sI − D0)⁻¹ over
// their phases.
type mode struct {
	row       int // of psi
	pair      bool
	leading   bool // on the first branch of the arrivals
	z, s, gap complex128
	e, a      []complex128
	total     complex128 // of a ⊗ ψ
	loss      float64    // the relative errors of its numbers, in roundings
}

// modes arranges roots and eigenvectors in real form: a complex pair takes two rows and stands for its conjugate.
func (s *spectral) modes(ctx context.Context) (*modes, error) {
	all := s.modeCount()
	m := &modes{psi: block.NewRaw(all, s.k), list: make([]mode, 0, len(s.roots))}
	s.vectors = make([]complex128, all*s.sys.ar.n)
	rows := 0
	var open []eigenvector // of real roots whose conjugate has not come yet
	add := func(p eigenpair, pair bool, parts ...[]float64) {
		if rows+len(parts) <= all {
			for i, part := range parts {
				copy(m.psi.Row(rows+i), part)
			}
			m.list = append(m.list, s.mode(rows, p, pair))
			if len(parts) == 2 && !pair { // both parts are eigenvectors of a real root
				m.list = append(m.list, s.mode(rows+1, p, false))
			}
		}
		rows += len(parts)
	}
	product := newSymmetricProduct(s.sys.index, s.sys.c)
	re, im := make([]float64, s.k), make([]float64, s.k)
	for _, p := range s.roots {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p.v != nil {
			p = p.asReal()
		}
		if p.real != nil {
			add(p, false, product.real(p))
			continue
		}
		size := cmplx.Abs(p.z)
		if imag(p.z) < -realRoot*size && !p.pair {
			continue // its conjugate is among the roots too
		}
		psi := product.complex(p)
		for i, v := range psi {
			re[i], im[i] = real(v), imag(v)
		}
		if p.pair || imag(p.z) > realRoot*size {
			add(p, true, re, im)
			continue
		}
		p = p.onRealLine()
		switch i := conjugateOf(open, p.z, psi); {
		case floats.Norm(im, math.Inf(1)) <= realVector:
			add(p, false, re)
		case i >= 0:
			open = append(open[:i], open[i+1:]...)
		default:
			open = append(open, eigenvector{p.z, slices.Clone(psi)})
			add(p, false, re, im)
		}
	}
	for j := range m.list {
		mode := &m.list[j]
		sum := complex(block.Sum(m.psi.Row(mode.row)), 0)
		if mode.pair {
			sum += complex(0, block.Sum(m.psi.Row(mode.row+1)))
		}
		mode.total *= sum
	}
	if rows != all || len(open) > 0 {
		return nil, fmt.Errorf("%d eigenvectors for %d occupancies and classes, %d without a conjugate", rows, all,
			len(open))
	}
	return m, nil
}

// onRealLine returns the root without its imaginary part, which is rounding.
func (p eigenpair) onRealLine() eigenpair {
	p.z, p.s, p.gap = complex(real(p.z), 0), complex(real(p.s), 0), complex(real(p.gap), 0)
	p.e = realParts(p.e)
	return p
}

// asReal returns the root with real factors if both have imaginary parts that are rounding. What leaving them out does to
// the product is of second order.
func (p eigenpair) asReal() eigenpair {
	if math.Abs(imag(p.z)) > realRoot*math.Abs(real(p.z)) {
		return p
	}
	for _, v := range p.v {
		for _, x := range v {
			if math.Abs(imag(x)) > realFactor*math.Abs(real(x)) {
				return p
			}
		}
	}
	p = p.onRealLine()
	p.real = make([][]float64, len(p.v))
	for j, v := range p.v {
		for _, x := range v {
			p.real[j] = append(p.real[j], real(x))
		}
	}
	return p
}

// mode finds a = e·A·(sI − D0)⁻¹ of a root.
func (s *spectral) mode(row int, p eigenpair, pair bool) mode {
	ar := s.sys.ar
	a := s.vectors[:ar.n:ar.n]
	s.vectors = s.vectors[ar.n:]
	if ar.classes == 1 && ar.ordered {
		ar.renewalPhases(a, p.s)
	} else {
		ar.markovianPhases(a, p.e, p.s)
	}
	m := mode{row: row, pair: pair, leading: p.branch == 0, z: p.z, s: p.s, gap: p.gap, e: p.e, a: a, loss: max(1, p.loss)}
	for _, v := range a {
		m.total += v
	}
	return m
}

// renewalPhases sets a to A·(sI − D0)⁻¹ where D0 is triangular.
func (ar *arrivals) renewalPhases(a []complex128, s complex128) {
	for i, p := range ar.a.Row(0) {
		a[i] = complex(p, 0)
	}
	ar.resolve(a, s)
}

// resolve overwrites x with x·(sI − D0)⁻¹ where D0 is triangular.
func (ar *arrivals) resolve(x []complex128, s complex128) {
	for i := range x {
		x[i] /= s + complex(ar.out[i], 0)
		for j := i + 1; j < ar.n; j++ {
			x[j] += x[i] * complex(ar.d0.At(i, j), 0)
		}
	}
}

// realParts returns the real eigenvector of which e is a multiple; nil, which is that of renewal arrivals, of nil.
func realParts(e []complex128) []complex128 {
	if e == nil {
		return nil
	}
	var largest complex128
	for _, v := range e {
		if cmplx.Abs(v) > cmplx.Abs(largest) {
			largest = v
		}
	}
	out := make([]complex128, len(e))
	for i, v := range e {
		out[i] = complex(real(v/largest), 0)
	}
	return out
}

// eigenvector is that of a real root.
type eigenvector struct {
	z   complex128
	psi []complex128
}

// conjugateOf returns the index of the conjugate of an eigenvector, −1 if it is not there.
func conjugateOf(open []eigenvector, z complex128, psi []complex128) int {
	for i, v := range open {
		if cmplx.Abs(v.z-z) <= sameVector*cmplx.Abs(z) && conjugate(v.psi, psi) {
			return i
		}
	}
	return -1
}

// Roots and eigenvectors carry about fourteen digits; those that are real or each other's conjugates are told from
// others by fewer.
const (
	realRoot   = 1e-12
	realFactor = 1e-12
	realVector = 1e-10
	sameVector = 1e-6
)

// conjugate reports whether two vectors are each other's conjugates, up to a factor.
func conjugate(p, q []complex128) bool {
	var dot complex128
	var np, nq float64
	for i := range p {
		dot += p[i] * q[i]
		np += real(p[i])*real(p[i]) + imag(p[i])*imag(p[i])
		nq += real(q[i])*real(q[i]) + imag(q[i])*imag(q[i])
	}
	return math.Abs(cmplx.Abs(dot)-math.Sqrt(np*nq)) < sameVector*math.Sqrt(np*nq)
}

// oneClass is e of renewal arrivals.
var oneClass = []complex128{1}

func (m *mode) classes() []complex128 {
	if m.e == nil {
		return oneClass
	}
	return m.e
}

// entries returns the rows e ⊗ ψ, in real form as those of psi, as a scratch block.
func (m *modes) entries() block.Matrix {
	all := block.NewScratch(m.psi.Rows, m.psi.Rows)
	for _, mode := range m.list {
		for q, v := range mode.classes() {
			m.addRows(all, q, v, mode)
		}
	}
	return all
}

// addRows adds v·ψ, in real form, to the columns of the given block of K of the rows of a mode.
func (m *modes) addRows(to block.Matrix, at int, v complex128, mode mode) {
	k := m.psi.Cols
	re := m.psi.Row(mode.row)
	row := to.Row(mode.row)[at*k : (at+1)*k]
	floats.AddScaled(row, real(v), re)
	if mode.pair {
		im, next := m.psi.Row(mode.row+1), to.Row(mode.row + 1)[at*k:(at+1)*k]
		floats.AddScaled(row, -imag(v), im)
		floats.AddScaled(next, imag(v), re)
		floats.AddScaled(next, real(v), im)
	}
}

// one weighs all modes alike.
func one(mode) complex128 { return 1 }

// vectors returns Re Σ_j b_j·weight(j)·(a_j ⊗ ψ_j) for each of the weights.
func (rp *repeatingPart) vectors(weights ...func(mode) complex128) [][]float64 {
	of := make([]func(int) complex128, len(weights))
	for i, weight := range weights {
		of[i] = func(j int) complex128 { return weight(rp.list[j]) }
	}
	return rp.weighted(of)
}

// weighted is vectors for weights by the number of the mode.
func (rp *repeatingPart) weighted(weights []func(int) complex128) [][]float64 {
	n := rp.sys.ar.n
	shares := block.NewRaw(n*len(weights), rp.psi.Rows) // of the rows of psi
	defer shares.Release()
	for j, m := range rp.list {
		for i, weight := range weights {
			w := rp.b[j] * weight(j)
			for a, v := range m.a {
				row := shares.Row(i*n + a)[m.row:]
				row[0] = real(w * v)
				if m.pair {
					row[1] = -imag(w * v)
				}
			}
		}
	}
	all := block.New(shares.Rows, rp.k)
	block.FewMulAdd(all, shares, rp.psi)
	x := make([][]float64, len(weights))
	for i := range x {
		x[i] = all.RowRange(i*n, (i+1)*n).Data
	}
	return x
}

// power returns z^k.
func (m mode) power(k int) complex128 {
	switch z := real(m.z); {
	case imag(m.z) == 0 && z > 0.5:
		return complex(math.Exp(float64(k)*math.Log1p(-real(m.gap))), 0)
	case imag(m.z) == 0:
		return complex(math.Pow(z, float64(k)), 0)
	}
	return cmplx.Pow(m.z, complex(float64(k), 0))
}

// levelCByModes is levelC by modes. Where they nearly cancel, occupancies that are rare among those of level c lose
// digits; one step of the balance equations, which are sums of nonnegative terms, gives them back: y = x·flow and x_c =
// ((A⊗I)·y + x_{c+1}·(I⊗V))·T⁻¹.
func (rp *repeatingPart) levelCByModes(ctx context.Context, b *boundary) (entry, inService []float64, err error) {
	if rp.balance, err = rp.solveBalance(ctx, b); err != nil {
		return nil, nil, err
	}
	rp.b = rp.fromReal(rp.balance.b)
	levels := rp.vectors(one, ratio)
	for _, v := range levels {
		if err := dropNegative(v); err != nil {
			return nil, nil, err
		}
	}
	return rp.levelCOfModes(ctx, b, levels)
}

// levelCOfModes takes the step from levels c and c+1 as the modes give them.
func (rp *repeatingPart) levelCOfModes(ctx context.Context, b *boundary, levels [][]float64) (
	entry, inService []float64, err error) {
	x, next := levels[0], levels[1]
	if entry, err = b.returning(ctx, x); err != nil {
		return nil, nil, err
	}
	inService = make([]float64, len(x))
	kronVec(inService, entry, rp.sys.ar.a, rp.k)
	rp.refill.kronLeft(inService, next, rp.sys.ar.n)
	t, err := rp.sys.inServiceBlock(ctx, rp.sys.c, &rp.moves)
	if err != nil {
		return nil, nil, err
	}
	t.SolveLeft(inService)
	return entry, inService, nil
}

// negativeTol is the share of a vector that rounding may have made negative; what it leaves shows in the residual.
const negativeTol = 1e-8

// dropNegative sets negative entries to zero, and refuses a vector in which they matter.
func dropNegative(x []float64) error {
	negative := 0.0
	for i, v := range x {
		if v < 0 {
			negative -= v
			x[i] = 0
		}
	}
	if total := block.Sum(x); !(negative <= negativeTol*total) {
		return fmt.Errorf("spectral expansion: %.1g of a level is negative: %w", negative/total, markov.ErrInaccurate)
	}
	return nil
}

// sumsOfModes returns Σ_k k(k−1)…·x_{c+k} for no, one and two factors, levelC being x_c.
func (rp *repeatingPart) sumsOfModes(levelC []float64) (x [3][]float64) {
	copy(x[:], rp.vectors(
		func(m mode) complex128 { return m.z / m.gap },
		func(m mode) complex128 { return m.z / (m.gap * m.gap) },
		func(m mode) complex128 { return 2 * m.z * m.z / (m.gap * m.gap * m.gap) },
	))
	floats.Add(x[0], levelC)
	return x
}

// mass returns Σ_j b_j·weight(j)·z_j^k·|a_j ⊗ ψ_j|, k levels above that of the coefficients.
func (rp *repeatingPart) mass(k int, weight func(mode) complex128) float64 {
	total := 0.0
	for j, m := range rp.list {
		total += real(rp.b[j] * weight(m) * m.power(k) * m.total)
	}
	return total
}

// residualOfModes checks the states in service of levels c and c+1.
func (sol *Solution) residualOfModes(note func(diff []float64, flow float64)) {
	s, rp := sol.sys, sol.repeating
	x := sol.levelC
	inflow := make([]float64, len(x))
	kronVec(inflow, sol.entry, s.ar.a, rp.k)
	above := rp.vectors(func(m mode) complex128 { return m.power(1) }, func(m mode) complex128 { return m.power(2) })
	for _, next := range above {
		rp.refill.kronLeft(inflow, next, s.ar.n)
		note(rp.moves.imbalance(x, inflow))
		inflow = make([]float64, len(x))
		kronVec(inflow, rp.arrivalsOf(x), s.ar.a, rp.k)
		x = next
	}
}
