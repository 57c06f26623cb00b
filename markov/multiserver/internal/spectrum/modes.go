package spectrum

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/cmplxs"
	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
)

// Modes are geometric terms; the package comment defines the symbols. Without a switch-over at level c, each level from
// c on is a sum of r·K modes,
//
//	x_{c+k} = Re Σ_j b_j·z_j^k·(a_j ⊗ ψ_j),   entries of level c: Re Σ_j b_j·(e_j ⊗ ψ_j).
//
// x_{c+k} holds the probabilities of the states in service of level c+k. An entry is an arrival to level c, by class
// and occupancy. With a switch-over at level c, each mode has further terms; see [SwitchOver]. The coefficients b_j are
// the only unknowns. They follow from the balance between the entries of level c and the boundary. A root and its
// conjugate are one mode, whose ψ takes two rows of Psi.
type Modes struct {
	Psi        block.Matrix // r·K × K: ψ of real modes; real part and imaginary part of ψ, one after the other, for a pair
	List       []Mode
	SwitchOver *SwitchOver // of level c, nil for none
}

// Mode is a root z = λ(s) and its vectors: e over the classes of arrivals, and a = e·A·(sI − D0)⁻¹ over the arrival
// phases.
type Mode struct {
	Row       int // first row of Psi
	Pair      bool
	branch    int        // of the arrivals; branch 0 has the largest λ
	Z, s, Gap complex128 // Gap is 1 − Z, to its own digits where they are known
	e, A      []complex128
	Total     complex128 // sum of the entries of a ⊗ ψ
	sum       complex128 // sum of the entries of ψ
	during    *extension // further terms with a [SwitchOver]
	// psiRoundings and roundings are the relative errors of ψ and of all other numbers, in rounding errors. shift is
	// the error of A that comes from s, nil where roundings covers it: |dA/ds| times the error of s in rounding errors.
	psiRoundings, roundings float64
	shift                   []complex128
}

// Modes finds the modes of the station without a switch-over at level c, the lowest at which all c servers are busy. A
// mode is a root z with a vector v, so that the probabilities of the levels c+k are sums of multiples of z^k·v. There
// is a mode for each class of arrivals and each occupancy of c jobs; two conjugate modes are listed as one pair. The
// mode of the decay rate comes first. Index must be set. Psi is a scratch block, which the caller releases. The error
// wraps ErrMethod if the service fits no family, ErrNoConvergence if roots or eigenvectors are missing, or comes from
// ctx.
func (s *Station) Modes(ctx context.Context) (*Modes, error) {
	sp, err := s.newSpectral(ctx)
	if err != nil {
		return nil, err
	}
	defer sp.release()
	return sp.modes(ctx)
}

// modes multiplies the factors of all eigenvectors and returns the modes in real form, in the order of s.roots. In real
// form, a root with its conjugate takes two rows, the real and the imaginary part of its eigenvector. A root with an
// imaginary part becomes such a pair; its conjugate, if it is among the roots, is skipped. The roots stay unchanged. The
// error wraps ErrNoConvergence if eigenvectors are missing, or comes from ctx.
func (s *spectral) modes(ctx context.Context) (*Modes, error) {
	all := s.modeCount()
	m := &Modes{Psi: block.NewRaw(all, s.k), List: make([]Mode, 0, len(s.roots))}
	s.vectors = make([]complex128, 2*all*s.sys.ar.N) // A and shift of each mode
	list := &realModes{spectral: s, modes: m}
	product := newSymmetricProduct(s.sys.Index, s.sys.c)
	for _, p := range s.roots {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p.v != nil {
			p = p.asReal()
		}
		if p.real != nil {
			list.add(p, false, product.real(p))
			continue
		}
		if imag(p.z) < -realRoot*cmplx.Abs(p.z) && !p.pair {
			continue // its conjugate is among the roots too
		}
		list.addComplex(p, product.complex(p))
	}
	for j := range m.List {
		mode := &m.List[j]
		mode.sum = m.sumOf(*mode)
		mode.setTotals()
	}
	if list.rows != all || len(list.open) > 0 {
		return nil, fmt.Errorf("%d eigenvectors for %d occupancies and classes, %d without a conjugate: %w", list.rows, all,
			len(list.open), markov.ErrNoConvergence)
	}
	return m, nil
}

// realModes lists modes in real form, one root after the other.
type realModes struct {
	*spectral
	modes  *Modes
	rows   int           // of the modes so far; more than Psi has if there are too many eigenvectors
	open   []eigenvector // complex eigenvectors of real roots whose conjugates have not been found yet
	re, im []float64     // parts of a complex eigenvector
}

// add lists the mode of a root, with the parts of its eigenvector as rows. A pair is a root with its conjugate. Without
// pair, two parts are eigenvectors of one real root, and make two modes. What exceeds the rows of Psi is only counted.
func (l *realModes) add(p eigenpair, pair bool, parts ...[]float64) {
	m := l.modes
	if l.rows+len(parts) <= m.Psi.Rows {
		for i, part := range parts {
			copy(m.Psi.Row(l.rows+i), part)
		}
		m.List = append(m.List, l.newMode(l.rows, p, pair))
		if len(parts) == 2 && !pair {
			m.List = append(m.List, l.newMode(l.rows+1, p, false))
		}
	}
	l.rows += len(parts)
}

// addComplex lists the modes of a root with the complex eigenvector psi over the occupancies. A root off the real line and
// its conjugate are one mode with two rows. A real root of complex branches can have a complex eigenvector. Then the
// conjugate vector belongs to the same root and another composition. The first of the two gives the rows of both, and the
// second gives none.
func (l *realModes) addComplex(p eigenpair, psi []complex128) {
	if l.re == nil {
		l.re, l.im = make([]float64, l.k), make([]float64, l.k)
	}
	for i, v := range psi {
		l.re[i], l.im[i] = real(v), imag(v)
	}
	if p.pair || imag(p.z) > realRoot*cmplx.Abs(p.z) {
		l.add(p, true, l.re, l.im)
		return
	}
	p = p.onRealLine()
	switch i := conjugateOf(l.open, p.z, psi); {
	case floats.Norm(l.im, math.Inf(1)) <= realVector:
		l.add(p, false, l.re)
	case i >= 0:
		l.open = append(l.open[:i], l.open[i+1:]...)
	default:
		l.open = append(l.open, eigenvector{p.z, slices.Clone(psi)})
		l.add(p, false, l.re, l.im)
	}
}

// onRealLine returns a copy of the root z in which z, its argument s and the gap 1 − z are real. Their imaginary parts
// count as rounding errors. The transform of the interarrival time at s has the eigenvalue z. The eigenvector of the
// arrivals is divided by its largest entry and becomes real; nil stays nil. The factors over the service phases stay.
func (p eigenpair) onRealLine() eigenpair {
	p.z, p.s, p.gap = complex(real(p.z), 0), complex(real(p.s), 0), complex(real(p.gap), 0)
	p.e = realParts(p.e)
	return p
}

// asReal returns the root with real factors over the service phases if its imaginary parts are rounding errors. The
// root and all entries of the factors must have imaginary parts of at most 10⁻¹² of their real parts. The root and its
// eigenvector of the arrivals then become real by [eigenpair.onRealLine]. Otherwise asReal returns the root as it is.
// Dropping these parts changes the product by terms of second order. Products of real factors take less time.
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

// newMode returns the mode of the root p, whose eigenvector over the occupancies starts at the given row of Modes.Psi.
// pair says that the mode stands for two conjugate roots. It computes the rounding errors, and the part of the
// eigenvector over the arrival phases. For renewal arrivals with triangular D0 it adds shift, the error of this part
// that comes from the argument s. Both take the next numbers of s.vectors, which then belong to the mode. sum and Total
// are set later.
func (s *spectral) newMode(row int, p eigenpair, pair bool) Mode {
	ar := s.sys.ar
	a := s.vectors[:ar.N:ar.N]
	s.vectors = s.vectors[ar.N:]
	loss := max(1, p.roundings)
	var shift []complex128
	if ar.Classes == 1 && ar.Ordered {
		ar.renewalPhases(a, p.s)
		if p.argument > 0 {
			shift = s.vectors[:ar.N:ar.N]
			s.vectors = s.vectors[ar.N:]
			copy(shift, a)
			ar.resolve(shift, p.s)
			cmplxs.Scale(complex(p.argument, 0), shift)
		}
	} else {
		ar.markovianPhases(a, p.e, p.s)
		loss *= ar.vectorRoundings(a, p.e, p.z, p.s)
	}
	return Mode{
		Row: row, Pair: pair, branch: p.branch, Z: p.z, s: p.s, Gap: p.gap, e: p.e, A: a, roundings: loss,
		psiRoundings: max(loss, p.factorRoundings), shift: shift,
	}
}

// renewalPhases overwrites a with the part of an eigenvector over the n arrival phases, A·(sI − D0)⁻¹, for renewal
// arrivals and triangular D0. D0 holds the rates between phases, A the distribution of the phase after an arrival. s is
// the argument of the root z: the transform of the interarrival time is z at s.
func (ar transforms) renewalPhases(a []complex128, s complex128) {
	copy(a, block.Complex(ar.A.Data))
	ar.resolve(a, s)
}

// resolve overwrites x, a number for each arrival phase, with x·(sI − D0)⁻¹ by forward substitution. D0 holds the rates
// between arrival phases without an arrival, and must be triangular.
func (ar transforms) resolve(x []complex128, s complex128) {
	for i := range x {
		x[i] /= s + complex(ar.Out[i], 0)
		for j := i + 1; j < ar.N; j++ {
			x[j] += x[i] * complex(ar.D0.At(i, j), 0)
		}
	}
}

// realParts returns the real eigenvector with largest entry 1 of which e is a complex multiple, as complex numbers.
// Imaginary parts that are left after the division by the largest entry are dropped. e stays unchanged. The result is
// nil for nil, the eigenvector of renewal arrivals.
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

// eigenvector is a complex eigenvector ψ of a real root z.
type eigenvector struct {
	z   complex128
	psi []complex128
}

// conjugateOf returns the index in open of the conjugate of the eigenvector psi with the same real root z. The root and
// the vector may differ by the relative error sameVector, 10⁻⁶. It returns −1 if the conjugate is not there. open holds
// the eigenvectors whose conjugates have not come yet. The real and the imaginary part of one eigenvector then stand
// for both eigenvectors.
func conjugateOf(open []eigenvector, z complex128, psi []complex128) int {
	for i, v := range open {
		if cmplx.Abs(v.z-z) <= sameVector*cmplx.Abs(z) && conjugate(v.psi, psi) {
			return i
		}
	}
	return -1
}

// Roots and eigenvectors have about fourteen digits. Fewer digits decide whether a root, a factor or a vector is real,
// and whether two vectors are conjugates.
const (
	realRoot   = 1e-12
	realFactor = 1e-12
	realVector = 1e-10
	sameVector = 1e-6
)

// conjugate reports whether q is a complex multiple of the conjugate of p, up to the relative error sameVector, 10⁻⁶:
// |p·q| = ‖p‖·‖q‖, without conjugation in the product. The vectors have the same length.
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

// oneClass is the eigenvector e of renewal arrivals.
var oneClass = []complex128{1}

// Classes returns the eigenvector e of the mode over the r classes of arrivals; it is (1) for renewal arrivals. The
// slice belongs to the mode.
func (m *Mode) Classes() []complex128 {
	if m.e == nil {
		return oneClass
	}
	return m.e
}

// Entries returns the matrix E that turns coefficients of the modes into entries of level c: arrivals to level c, by
// class and occupancy. A class of arrivals is a set of arrival phases that share the distribution of the phase after an
// arrival. E has r·K rows and columns for r classes and K occupancies. Class q and occupancy i have column q·K + i. The
// row of a mode is e ⊗ ψ, with its vector e over the classes and ψ over the occupancies. A pair takes two rows, real
// and imaginary part. The result is a scratch block, which the caller releases.
func (m *Modes) Entries() block.Matrix {
	return m.rows(len(m.List[0].Classes()), (*Mode).Classes)
}

// InService returns the matrix Φ that turns coefficients of the modes into probabilities of the states in service at
// level c. It is r·K × n·K for r classes, n arrival phases and K occupancies. Arrival phase a and occupancy i have
// column a·K + i. The row of a mode is a ⊗ ψ, with its vector a over the arrival phases and ψ over the occupancies. A
// pair takes two rows, real and imaginary part. The result is a scratch block, which the caller releases.
func (m *Modes) InService() block.Matrix {
	return m.rows(len(m.List[0].A), func(mode *Mode) []complex128 { return mode.A })
}

// rows returns a matrix with a row v ⊗ ψ for each mode. ψ is its vector over the K occupancies, and v, of n entries,
// the result of vector for the mode. A pair takes two rows, real and imaginary part. The result is a scratch block with
// n·K columns.
func (m *Modes) rows(n int, vector func(*Mode) []complex128) block.Matrix {
	all := block.NewScratch(m.Psi.Rows, n*m.Psi.Cols)
	for j := range m.List {
		mode := &m.List[j]
		for i, v := range vector(mode) {
			m.addRows(all, i, v, mode)
		}
	}
	return all
}

// addRows adds v·ψ of a mode, ψ being its vector over the K occupancies, to the rows of the mode in the matrix to. A
// pair has two rows, real and imaginary part. The product goes to the columns part·K to (part+1)·K − 1, for one class
// or arrival phase.
func (m *Modes) addRows(to block.Matrix, part int, v complex128, mode *Mode) {
	k := m.Psi.Cols
	re := m.Psi.Row(mode.Row)
	row := to.Row(mode.Row)[part*k : (part+1)*k]
	floats.AddScaled(row, real(v), re)
	if mode.Pair {
		im, next := m.Psi.Row(mode.Row+1), to.Row(mode.Row + 1)[part*k:(part+1)*k]
		floats.AddScaled(row, -imag(v), im)
		floats.AddScaled(next, imag(v), re)
		floats.AddScaled(next, real(v), im)
	}
}

// power returns the k-th power of the root of the mode, k ≥ 0, by repeated squaring. For a real root above one half it
// is computed from 1 minus the root, which has more digits.
func (m *Mode) power(k int) complex128 {
	if z := real(m.Z); imag(m.Z) == 0 && z > 0.5 && k > 1 {
		return complex(math.Exp(float64(k)*math.Log1p(-real(m.Gap))), 0)
	}
	power := complex(1, 0)
	for z := m.Z; k > 0; k >>= 1 {
		if k&1 == 1 {
			power *= z
		}
		z *= z
	}
	return power
}

// sumOf returns the sum of the vector of a mode over the occupancies, which stands in the rows of the mode in Psi. The
// sum is complex for a pair. With it, the mass of a level needs no vector over the occupancies.
func (m *Modes) sumOf(of Mode) complex128 {
	sum := complex(block.Sum(m.Psi.Row(of.Row)), 0)
	if of.Pair {
		sum += complex(0, block.Sum(m.Psi.Row(of.Row+1)))
	}
	return sum
}
