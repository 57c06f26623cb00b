package spectrum

import (
	"math/cmplx"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// A Weight multiplies w, the row of coefficients of mode j, by a function of the matrix λ⁺ of the mode; see
// [Modes.matrix]. With the new w, [Modes.Vector] gives the vector of the mode in the weighted sum over levels.
type Weight func(j int, w []complex128)

// matrix overwrites to with the matrix λ⁺ of mode j, by which its coefficients pass from a level to the next. Without a
// switch-over λ⁺ is the number z. With one it is upper triangular of order s+1,
//
//	λ(−C)  −λ[−C, s_j]·exit
//	0      z
//
// and a row of coefficients is (η, b). λ[−C, s_j] is a divided difference; see [SwitchOver].
func (m *Modes) matrix(to []complex128, j int) {
	mode, o := &m.List[j], m.Order()
	clear(to)
	to[o*o-1] = mode.Z
	if v := m.SwitchOver; v != nil {
		for c := range o - 1 {
			for d := c; d < o-1; d++ {
				to[c*o+d] = complex(v.branches[mode.branch].lambda[c*(o-1)+d], 0)
			}
			to[c*o+o-1] = mode.during.lastColumn[c]
		}
	}
}

// timesUpper overwrites w with w·u for upper triangular u: it takes the coefficients w of a mode from one level to another.
func timesUpper(w, u []complex128) {
	for d := len(w) - 1; d >= 0; d-- {
		sum := complex128(0)
		for c, x := range w[:d+1] {
			sum += x * u[c*len(w)+d]
		}
		w[d] = sum
	}
}

// squareUpper overwrites the upper triangular matrix u of order n with u².
func squareUpper(u []complex128, n int) {
	for c := range n {
		timesUpperFrom(u[c*n:(c+1)*n], u, c)
	}
}

// timesUpperFrom overwrites w, row c of u, with w·u. The rows above c are squared already and are not used.
func timesUpperFrom(w, u []complex128, c int) {
	n := len(w)
	for d := n - 1; d >= c; d-- {
		sum := complex128(0)
		for l := c; l <= d; l++ {
			sum += w[l] * u[l*n+d]
		}
		w[d] = sum
	}
}

// AtLevel returns the weight λ⁺^k, which makes the coefficients of level c those of level c+k.
func (m *Modes) AtLevel(k int) Weight {
	o := m.Order()
	power := make([]complex128, o*o)
	return func(j int, w []complex128) {
		if o == 1 {
			w[0] *= m.List[j].power(k)
			return
		}
		m.matrix(power, j)
		for left := k; left > 0; left >>= 1 {
			if left&1 == 1 {
				timesUpper(w, power)
			}
			if left > 1 {
				squareUpper(power, o)
			}
		}
	}
}

// Sum overwrites w with w·(I − λ⁺)⁻¹. If w has the weight of a level, the result has the weight of the sum of all
// levels from there on.
func (m *Modes) Sum(j int, w []complex128) {
	mode, s := &m.List[j], len(w)-1
	if v := m.SwitchOver; v != nil {
		b := &v.branches[mode.branch]
		for d := range s {
			for c, x := range w[:d] {
				w[d] += x * complex(b.lambda[c*s+d], 0)
			}
			w[d] /= complex(b.gap[d], 0)
			w[s] += w[d] * mode.during.lastColumn[d]
		}
	}
	w[s] /= mode.Gap
}

// Fourfold overwrites levels[i] with the coefficients w of mode j times λ⁺^(4^i), so that levels far out cost few
// products. power is scratch for a matrix of their order.
func (m *Modes) Fourfold(j int, w []complex128, levels [][]complex128, power []complex128) {
	o := m.Order()
	if o == 1 {
		z := m.List[j].Z
		for _, level := range levels {
			level[0] = w[0] * z
			z *= z
			z *= z
		}
		return
	}
	m.matrix(power, j)
	for _, level := range levels {
		copy(level, w)
		timesUpper(level, power)
		squareUpper(power, o)
		squareUpper(power, o)
	}
}

// Mass returns the sum of the entries of the vector of mode j with coefficients w.
func (m *Modes) Mass(j int, w []complex128) complex128 {
	mode, s := &m.List[j], len(w)-1
	mass := w[s] * mode.Total
	for c, x := range w[:s] {
		mass += x * mode.during.total[c]
	}
	return mass
}

// Masses overwrites to[i] with the sum of the entries of level c+k+i, given the coefficients of all modes.
func (m *Modes) Masses(to []float64, coefficients []complex128, k int) {
	o := m.Order()
	clear(to)
	level, step := m.AtLevel(k), make([]complex128, o*o)
	w := make([]complex128, o)
	for j := range m.List {
		copy(w, coefficients[j*o:])
		level(j, w)
		if o == 1 {
			mass := m.Mass(j, w)
			for i := range to {
				to[i] += real(mass)
				mass *= m.List[j].Z
			}
			continue
		}
		// With a switch-over, one level higher multiplies the coefficients of a mode by an upper triangular matrix.
		m.matrix(step, j)
		for i := range to {
			to[i] += real(m.Mass(j, w))
			timesUpper(w, step)
		}
	}
}

// Vector overwrites to, of length n, with a vector over the arrival phases. Its Kronecker product with ψ is the vector
// of mode j with coefficients w: b·a_j, plus η times the rows a of the extension with a switch-over.
func (m *Modes) Vector(to []complex128, j int, w []complex128) {
	mode, s := &m.List[j], len(w)-1
	for i, v := range mode.A {
		to[i] = w[s] * v
	}
	for c, x := range w[:s] {
		for i, v := range mode.during.a[c*len(to) : (c+1)*len(to)] {
			to[i] += x * v
		}
	}
}

// Class overwrites to, of length r, with a vector over the classes of arrivals. Its Kronecker product with ψ is the
// share of mode j in the entries of level c that begin without a switch-over: b·e_j, plus η times the rows e of the
// extension.
func (m *Modes) Class(to []complex128, j int, w []complex128) {
	mode, s := &m.List[j], len(w)-1
	for q, v := range mode.Classes() {
		to[q] = w[s] * v
	}
	for c, x := range w[:s] {
		for q, v := range mode.during.e[c*len(to) : (c+1)*len(to)] {
			to[q] += x * v
		}
	}
}

// Coefficients returns the complex coefficients (η, b) of all modes, [Modes.Order] numbers each. x holds them in real
// form: first b for each row of Psi, then η for each switch-over phase and row of Psi. Coefficients of a pair are x_re −
// i·x_im, so that their real part with ψ is x_re·Re ψ + x_im·Im ψ.
func (m *Modes) Coefficients(x []float64) []complex128 {
	o, rows := m.Order(), m.Psi.Rows
	all := make([]complex128, o*len(m.List))
	for j, mode := range m.List {
		for i := range o {
			part := x[(i+1)%o*rows:]
			v := complex(part[mode.Row], 0)
			if mode.Pair {
				v = complex(part[mode.Row], -part[mode.Row+1])
			}
			all[j*o+i] = v
		}
	}
	return all
}

// combine sets the weights of the rows of Psi of a mode so that the weighted rows sum to Re(v·ψ).
func (mode *Mode) combine(weights []float64, v complex128) {
	weights[mode.Row] = real(v)
	if mode.Pair {
		weights[mode.Row+1] = -imag(v)
	}
}

// Combined returns Re Σ_j v_j ⊗ ψ_j, k×K, where vector overwrites its argument of length k with v_j. Levels and entries
// are such sums.
func (m *Modes) Combined(k int, vector func(to []complex128, j int)) block.Matrix {
	weights := block.NewRaw(k, m.Psi.Rows)
	defer weights.Release()
	v := make([]complex128, k)
	for j := range m.List {
		vector(v, j)
		for i, x := range v {
			m.List[j].combine(weights.Row(i), x)
		}
	}
	x := block.New(k, m.Psi.Cols)
	block.FewMulAdd(x, weights, m.Psi)
	return x
}

// TermSizes returns, for each real coefficient, the sum of the absolute values of its factors in all equations. Times
// the coefficient and 2⁻⁵³, it is the size of the rounding errors.
func (m *Modes) TermSizes() []float64 {
	o, rows := m.Order(), m.Psi.Rows
	sizes := make([]float64, o*rows)
	for _, mode := range m.List {
		psi := floats.Norm(m.Psi.Row(mode.Row), 1)
		if mode.Pair {
			psi += floats.Norm(m.Psi.Row(mode.Row+1), 1)
		}
		for i := range o { // that of the mode first
			size := 0.0
			if i == 0 {
				size = sumOfModuli(mode.Classes())
			} else {
				r, c := len(mode.Classes()), i-1
				size = sumOfModuli(mode.during.e[c*r:(c+1)*r]) + 1 + m.SwitchOver.Fastest*sumOfModuli(mode.during.h[c*(o-1):(c+1)*(o-1)])
			}
			for p := range mode.height() {
				sizes[i*rows+mode.Row+p] = size * psi
			}
		}
	}
	return sizes
}

// sumOfModuli returns Σ |x_i|, which bounds rounding errors of sums.
func sumOfModuli(x []complex128) (sum float64) {
	for _, v := range x {
		sum += cmplx.Abs(v)
	}
	return sum
}
