package spectrum

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/cblas128"
	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// Stages are the s phases of a switch-over at level c, each of which leads to later phases only, and what happens between two
// arrivals meanwhile. Pairs of a class and a phase are numbered by class first.
type Stages struct {
	Gamma, Exit []float64
	T           block.Matrix // rates between the phases
	Atom        float64      // the probability that the switch-over takes no time
	Next        block.Matrix // r·s × r·s: from just after an arrival to just after the next one, unfinished
	Between     block.Matrix // r·s × n·s: mean times until the next arrival or the end, by phase of the arrivals first
}

// SwitchOver is a switch-over at level c with subgenerator C. On the branch λ of the eigenvalues of the transform M(s) of the
// time between arrivals, with left eigenvectors e(s) and a(s) = e(s)·A·(sI − D0)⁻¹, the terms
//
//	u_k = λ(−C)^k·e(−C),   flow of ends: λ(−C)^k·a(−C)·exit
//
// are what arrivals to level c+k find of it: functions of the triangular matrix −C, s × r·s in the case of e. What has ended
// shows in the levels by divided differences between −C and the s_j of a mode on the same branch,
//
//	x_{c+k} = −η_j·(λ^k·a)[−C, s_j]·exit ⊗ ψ_j,   for   u_k = η_j·λ(−C)^k·e(−C)·(I⊗ψ_j − H_j⊗ψ_j·V),   H_j = −λ[−C, s_j],
//
// with s coefficients η_j for each mode. No divided difference is a difference of numbers that are near each other. So λ(−C) may
// be as near to roots z as it likes, and phases may have the same rate.
//
// Reference: N. J. Higham, Functions of Matrices, SIAM, 2008, chapter 4, for functions of triangular matrices.
type SwitchOver struct {
	Stages
	ar       transforms
	rates    []float64 // out of each phase, the eigenvalues of −C
	branches []stagesOfBranch
	Contents block.Matrix       // r × r·s: what an entry of each class starts, by branch and phase
	Refill   *statespace.Sparse // V: a departure, and the head of the queue in its place
	Fastest  float64            // the largest row sum of V
}

// stagesOfBranch are functions of −C on a branch of the arrivals, by rows.
type stagesOfBranch struct {
	lambda []float64 // s × s
	gap    []float64 // 1 − λ of the diagonal, to its own digits
	e, a   []float64 // s × s × r and s × s × n
}

// extension is what a mode has for the phases of a switch-over.
type extension struct {
	h     []complex128 // H, s × s
	last  []complex128 // of λ⁺, see [Modes.matrix]: s
	e, a  []complex128 // −e[−C, s_j]·exit and −a[−C, s_j]·exit: s × r and s × n
	total []complex128 // of a ⊗ ψ, by phase
}

// During returns the modes of the queue with a switch-over at level c. The new modes share ψ with m. The error is ErrMethod if
// the arrivals have complex branches or the modes are not K for each branch.
func (m *Modes) During(ctx context.Context, ar *statespace.Arrivals, stages Stages, refill *statespace.Sparse) (*Modes, error) {
	v := &SwitchOver{Stages: stages, ar: transforms{ar}, Refill: refill, Fastest: floats.Max(refill.RowSums())}
	if err := v.findBranches(ctx); err != nil {
		return nil, err
	}
	d := &Modes{Psi: m.Psi, List: slices.Clone(m.List), SwitchOver: v}
	rows := make([]int, ar.Classes)
	for j := range d.List {
		if block.Stopped(ctx, j) {
			return nil, ctx.Err()
		}
		mode := &d.List[j]
		rows[mode.branch] += mode.height()
		v.extend(mode)
		mode.total()
	}
	for _, n := range rows {
		if n != m.Psi.Cols {
			return nil, fmt.Errorf("spectral expansion: %d modes on a branch of the arrivals for %d occupancies: %w", n,
				m.Psi.Cols, markov.ErrMethod)
		}
	}
	return d, nil
}

// total sets the sums of the vectors of a mode.
func (m *Mode) total() {
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

// Order is the number of coefficients of a mode, one and one for each phase of the switch-over.
func (m *Modes) Order() int {
	if m.SwitchOver == nil {
		return 1
	}
	return 1 + len(m.SwitchOver.Gamma)
}

// realBranch is the imaginary part, relative to the real one, up to which an eigenvalue or eigenvector of the arrivals is real.
const realBranch = 1e-9

// findBranches finds the functions of −C on each branch, and what entries start.
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
	for c, rate := range v.rates {
		list := v.ar.newArrivalBranches(complex(rate, 0))
		if list == nil {
			return fmt.Errorf("spectral expansion: branches of the arrivals coincide at %v: %w", rate, markov.ErrMethod)
		}
		for b, at := range list {
			lambda, _ := at.at(complex(rate, 0))
			e := v.branches[b].e[(c*s+c)*r : (c*s+c+1)*r]
			for q, x := range realParts(at.left) {
				e[q] = real(x)
			}
			if math.Abs(imag(lambda)) > realBranch*cmplx.Abs(lambda) || !isReal(at.left) {
				return fmt.Errorf("spectral expansion: a branch of the arrivals is complex at %v: %w", rate, markov.ErrMethod)
			}
			v.branches[b].lambda[c*s+c] = real(lambda)
		}
	}
	all := block.New(r*s, r*s) // e of all branches
	for b := range v.branches {
		v.branches[b].complete(v, all.RowRange(b*s, (b+1)*s))
	}
	v.Contents = block.New(r, r*s)
	f := block.FactorLU(ctx, all)
	for q := range r {
		copy(v.Contents.Row(q)[q*s:], v.Gamma)
		f.SolveLeft(v.Contents.Row(q))
	}
	return ctx.Err()
}

// isReal reports whether a vector is a multiple of a real one.
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

// complete finds what is off the diagonal: with ν·e(s) = 1, the row c and the column d of λ·e = e·Next give both λ_cd and e_cd
// from those between. It copies e to to, where it is s × r·s, and finds a = e·Between.
func (b *stagesOfBranch) complete(v *SwitchOver, to block.Matrix) {
	s, n, r := len(v.Gamma), v.ar.N, v.ar.Classes
	e := func(c, d int) []float64 { return b.e[(c*s+d)*r : (c*s+d+1)*r] }
	nu := slices.Clone(e(0, 0))
	for c := range s {
		floats.Scale(1/floats.Dot(e(c, c), nu), e(c, c))
	}
	for c := s - 1; c >= 0; c-- {
		for d := c + 1; d < s; d++ {
			x := make([]complex128, r+1)
			m := make([]complex128, (r+1)*(r+1)) // transposed
			for q := range r {
				for p := range r {
					m[q*(r+1)+p] = complex(v.Next.At(p*s+d, q*s+d), 0)
				}
				m[q*(r+1)+q] -= complex(b.lambda[c*s+c], 0)
				m[q*(r+1)+r] = complex(-e(d, d)[q], 0)
				m[r*(r+1)+q] = complex(nu[q], 0)
				right := 0.0
				for l := c; l < d; l++ {
					if l > c {
						right += b.lambda[c*s+l] * e(l, d)[q]
					}
					for p, y := range e(c, l) {
						right -= y * v.Next.At(p*s+l, q*s+d)
					}
				}
				x[q] = complex(right, 0)
			}
			solvePivoted(m, r+1, x)
			for q := range r {
				e(c, d)[q] = real(x[q])
			}
			b.lambda[c*s+d] = real(x[r])
		}
	}
	for c := range s {
		for l := c; l < s; l++ {
			for q, x := range e(c, l) {
				to.Row(c)[q*s+l] = x
				between := v.Between.Row(q*s + l)
				for d := l; d < s; d++ {
					for i := range n {
						b.a[(c*s+d)*n+i] += x * between[i*s+d]
					}
				}
			}
		}
		// (1 − λ)·e·1 = rate·a·1, a sum of positive terms on the first branch
		whole, size := block.Sum(e(c, c)), floats.Norm(e(c, c), 1)
		if b.gap[c] = 1 - b.lambda[c*s+c]; math.Abs(whole) > 0.1*size {
			b.gap[c] = v.rates[c] * block.Sum(b.a[(c*s+c)*n:(c*s+c+1)*n]) / whole
		}
	}
}

// far is how far apart, relative to their sizes, a rate and s are whose divided differences are quotients.
const far = 0.25

// extend finds the extension of a mode, whose vectors are scaled. Column d of divided differences with the unit vector of phase d
// comes from those before it where the rate of phase d is far from s; otherwise, with s as a further eigenvalue of −C, it
// follows as in [stagesOfBranch.complete].
func (v *SwitchOver) extend(mode *Mode) {
	s, n, r := len(v.Gamma), v.ar.N, v.ar.Classes
	b := &v.branches[mode.branch]
	mode.e = slices.Clone(mode.Classes())
	mode.A = slices.Clone(mode.A)
	nu := common(mode.e, b.e[:r])
	scale := times(mode.e, nu)
	for i := range mode.e {
		mode.e[i] /= scale
	}
	for i := range mode.A {
		mode.A[i] /= scale
	}
	scales := make([]complex128, s*s) // e·ν
	for i := range scales {
		scales[i] = times(block.Complex(b.e[i*r:(i+1)*r]), nu)
	}
	e, a := block.Complex(b.e), block.Complex(b.a)
	upperSolve(scales, s, e)
	upperSolve(scales, s, a)
	resolvent := v.ar.leftResolvent(mode.s)
	m := make([]complex128, r*r) // M(s)
	for q := range r {
		row := make([]complex128, n)
		for i, p := range v.ar.A.Row(q) {
			row[i] = complex(p, 0)
		}
		block.ComplexSolve(resolvent, n, row)
		timesRates(m[q*r:(q+1)*r], row, v.ar.F)
	}
	x, h := make([]complex128, s*s*r), make([]complex128, s*s)
	for d := range s {
		apart := complex(v.rates[d], 0) - mode.s
		if cmplx.Abs(apart) >= far*(v.rates[d]+cmplx.Abs(mode.s)) {
			v.columnByQuotients(x, h, d, apart, mode, b, e)
		} else {
			v.columnBySystems(x, h, d, m, resolvent, nu, mode, b, a)
		}
	}
	ext := &extension{h: h, last: make([]complex128, s), e: make([]complex128, s*r), a: make([]complex128, s*n),
		total: make([]complex128, s)}
	for c := range s { // times exit
		for d := c; d < s; d++ {
			exit := complex(v.Exit[d], 0)
			ext.last[c] += h[c*s+d] * exit
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
	upperTimes(scales, s, ext.last)
	upperTimes(scales, s, ext.e)
	upperTimes(scales, s, ext.a)
	mode.during = ext
}

// columnByQuotients finds column d of H and of −e[−C, s_j], the rate of phase d less s_j being apart.
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

// columnBySystems is columnByQuotients where s_j is near the rate of phase d.
func (v *SwitchOver) columnBySystems(x, h []complex128, d int, m, resolvent, nu []complex128, mode *Mode, b *stagesOfBranch, a []complex128) {
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

// common returns a ν with which neither e·ν nor f·ν is small: the sum of both vectors, conjugated and of length one, in phase.
func common(e []complex128, f []float64) []complex128 {
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

func times(x, y []complex128) (sum complex128) {
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// upperSolve overwrites x, of n blocks, with u⁻¹·x for an upper triangular u of order n.
func upperSolve(u []complex128, n int, x []complex128) {
	cblas128.Trsm(blas.Left, blas.NoTrans, 1, upper(u, n), blocks(x, n))
}

// upperTimes overwrites x, of n blocks, with u·x.
func upperTimes(u []complex128, n int, x []complex128) {
	cblas128.Trmm(blas.Left, blas.NoTrans, 1, upper(u, n), blocks(x, n))
}

func upper(u []complex128, n int) cblas128.Triangular {
	return cblas128.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: n, Stride: n, Data: u}
}

func blocks(x []complex128, n int) cblas128.General {
	return cblas128.General{Rows: n, Cols: len(x) / n, Stride: len(x) / n, Data: x}
}

// leftResolvent returns the factors with which complexSolve overwrites x with x·(sI − D0)⁻¹.
func (ar transforms) leftResolvent(s complex128) []complex128 {
	m := make([]complex128, ar.N*ar.N)
	ar.resolvent(m, s)
	return transposedLU(m, ar.N)
}

// transposedLU returns the factors of the transpose of m, of order n, as [block.ComplexSolve] takes them.
func transposedLU(m []complex128, n int) []complex128 {
	t := make([]complex128, n*n)
	for i := range n {
		for j := range n {
			t[i*n+j] = m[j*n+i]
		}
	}
	block.ComplexLU(t, n)
	return t
}

// timesRates sets to to x·m.
func timesRates(to, x []complex128, m block.Matrix) {
	for j := range to {
		to[j] = 0
		for i, v := range x {
			to[j] += v * complex(m.At(i, j), 0)
		}
	}
}
