package spectrum

import (
	"math/cmplx"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// A Weight multiplies w, the row of coefficients of mode j, in place by a function of the matrix λ⁺ of the mode; see
// [Modes.matrix]. w has [Modes.Order] entries. With the new w, [Modes.Vector] gives the vector of the mode in a sum
// over levels.
type Weight func(j int, w []complex128)

// matrix overwrites to with the matrix λ⁺ of mode j, by rows, of order [Modes.Order]. A row of coefficients of the mode
// times λ⁺ is the row for the next level. Without a switch-over λ⁺ is the root z of the mode. With a switch-over of s
// phases it is upper triangular of order s+1,
//
//	λ(−C)  −λ[−C, s_j]·exit
//	0      z
//
// and the last coefficient belongs to the mode without the switch-over. C is the subgenerator of the switch-over, and
// exit its exit rates. λ is an eigenvalue of the transform of the interarrival time, and s_j the argument with λ(s_j) =
// z. λ[−C, s_j] is a divided difference; see [SwitchOver].
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

// timesUpper overwrites the row w with w·u for upper triangular u, stored by rows, of order len(w). It takes the
// coefficients w of a mode from one level to another. Order 2, a switch-over of one phase, takes no loops: every mode takes
// some twenty products.
func timesUpper(w, u []complex128) {
	if len(w) == 2 {
		w[1] = w[0]*u[1] + w[1]*u[3]
		w[0] *= u[0]
		return
	}
	for d := len(w) - 1; d >= 0; d-- {
		sum := complex128(0)
		for c, x := range w[:d+1] {
			sum += x * u[c*len(w)+d]
		}
		w[d] = sum
	}
}

// squareUpper overwrites the upper triangular matrix u of order n, stored by rows, with u². Powers of the matrix of a
// mode lead to levels far out. Order 2 takes no loops, as in [timesUpper].
func squareUpper(u []complex128, n int) {
	if n == 2 {
		u[1] = u[0]*u[1] + u[1]*u[3]
		u[0] *= u[0]
		u[3] *= u[3]
		return
	}
	for c := range n {
		timesUpperFrom(u[c*n:(c+1)*n], u, c)
	}
}

// timesUpperFrom overwrites w, which is row c of the upper triangular u, with w·u. The first c entries of w are zero
// and stay so. Only rows of u from c on are read, as [squareUpper] has squared the rows before.
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

// AtLevel returns a function that overwrites w, the coefficients of mode j at level c or above, with the coefficients k
// ≥ 0 levels higher. It multiplies w by the k-th power of the matrix of the mode, see [Modes.matrix]. w has
// [Modes.Order] numbers; the last is the coefficient of the mode itself. The function holds scratch storage and is for
// one goroutine.
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

// Sum overwrites w, the coefficients of mode j at a level, with the coefficients of the sum of this level and all
// higher levels. w has [Modes.Order] numbers: a coefficient for each switch-over phase, and last the coefficient of the
// mode itself. Sum multiplies by (I − λ⁺)⁻¹, where λ⁺ is the matrix of the mode, see [Modes.matrix]. Tails and moments
// of the level follow from these sums.
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
	w[s] = quotient(w[s], mode.Gap)
}

// fourfold overwrites levels with the coefficients of mode j at the levels c + 4^i, for i from 0: [Modes.Order] numbers
// for each level. w holds the coefficients of the mode at level c and stays unchanged. So even distant levels take few
// products; error bounds are measured there. power is scratch for a square matrix of this order, and is not used for
// order 1. For order 1 the coefficients are divided by unit^(4^i), so that they do not underflow; unit is about the
// largest root. For a higher order unit is not used.
func (m *Modes) fourfold(j int, w, levels, power []complex128, unit float64) {
	o := m.Order()
	if o == 1 {
		z := quotient(m.List[j].Z, complex(unit, 0))
		for i := range levels {
			levels[i] = w[0] * z
			z *= z
			z *= z
		}
		return
	}
	m.matrix(power, j)
	for ; len(levels) > 0; levels = levels[o:] {
		level := levels[:o]
		copy(level, w)
		timesUpper(level, power)
		squareUpper(power, o)
		squareUpper(power, o)
	}
}

// Mass returns the sum of the entries of the vector of mode j over arrival phases and occupancies. Its real part is the
// contribution of the mode to the probability that a level is in service. w holds the coefficients of the mode at this
// level: the powers of the root are included, as after [Modes.AtLevel]. It has [Modes.Order] entries, and stays
// unchanged. The last entry belongs to the mode without the switch-over. The entries before it belong to the phases of
// the switch-over of level c; without a switch-over the last entry is the only one.
func (m *Modes) Mass(j int, w []complex128) complex128 {
	mode, s := &m.List[j], len(w)-1
	mass := w[s] * mode.Total
	for c, x := range w[:s] {
		mass += x * mode.during.total[c]
	}
	return mass
}

// addMassesAndTails adds to masses[i] and tails[i], in place, what mode j contributes to two probabilities: that level
// i of a list is in service, and that this level or a higher one is in service. levels holds the coefficients of the
// mode at the levels of the list, [Modes.Order] numbers for each, as [Modes.fourfold] sets them; see [Modes.Mass]. The
// sums have the unit of the coefficients. Error bounds compare these sums before and after a change of the modes. The
// order is 1, and one more for each switch-over phase; above 1, levels is overwritten.
func (m *Modes) addMassesAndTails(masses, tails []float64, j int, levels []complex128) {
	o := m.Order()
	if o == 1 {
		mode := &m.List[j]
		andAbove := quotient(1, mode.Gap)
		for i, w := range levels {
			own := w * mode.Total
			masses[i] += real(own)
			tails[i] += real(own * andAbove)
		}
		return
	}
	for i := range masses {
		w := levels[i*o : (i+1)*o]
		masses[i] += real(m.Mass(j, w))
		m.Sum(j, w)
		tails[i] += real(m.Mass(j, w))
	}
}

// Masses overwrites to[i] with the probability that the queue is at level c+k+i with jobs in service, for all i: the
// sum over the states in service. Levels during switch-overs are not counted. coefficients holds the coefficients of
// all modes at level c, [Modes.Order] numbers for each mode, as [Modes.Coefficients] returns them.
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

// Vector overwrites to with the part over the n arrival phases of the vector of mode j at a level. w holds the
// coefficients of the mode at this level, [Modes.Order] numbers. The coefficients of the switch-over phases come first
// and multiply the rows a of the extension. The last is the coefficient of the mode itself. The Kronecker product of to
// with the part ψ over the occupancies is complex. Its real part is added to the states in service of the level.
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

// Class overwrites to with the part of mode j over the r classes of arrivals, by which it contributes to the entries of
// level c. w holds the [Modes.Order] coefficients of the mode at level c. The coefficients of the switch-over phases
// come first and multiply the rows e of the extension. The last is the coefficient of the mode itself. The Kronecker
// product of to with the part ψ over the occupancies is complex; the real part counts. With a switch-over, these are
// only the entries that begin without it.
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

// Coefficients returns the complex coefficients of all modes, [Modes.Order] numbers for each: first the coefficients of
// the switch-over phases, then the coefficient of the mode itself. x holds them in real form: first the modes, with a
// number for each row of Psi, then as many numbers for each switch-over phase. The coefficient of a pair is x_re −
// i·x_im, so that its real part with the complex vector ψ is x_re·Re ψ + x_im·Im ψ. The result lies in store.
func (m *Modes) Coefficients(store *block.Arena, x []float64) []complex128 {
	o, rows := m.Order(), m.Psi.Rows
	all := store.ComplexVector(o * len(m.List))
	for i := range o {
		part := x[(i+1)%o*rows:][:rows]
		for j := range m.List {
			mode := &m.List[j]
			v := complex(part[mode.Row], 0)
			if mode.Pair {
				v = complex(part[mode.Row], -part[mode.Row+1])
			}
			all[j*o+i] = v
		}
	}
	return all
}

// Entering returns the sum of the entries of level c, arrivals from below, for modes without a switch-over: Re Σ_j b_j
// times the sum of e_j ⊗ ψ_j. all holds the coefficients b_j. No vector over the occupancies is needed.
func (m *Modes) Entering(all []complex128) float64 {
	entering := 0.0
	for j := range m.List {
		mode := &m.List[j]
		classes := complex128(0)
		for _, v := range mode.Classes() {
			classes += v
		}
		entering += real(all[j] * classes * mode.sum)
	}
	return entering
}

// combine sets the columns of weights that belong to the mode, one or two for a pair, and leaves the others. weights
// has a row for each entry of v, and a column for each row of Psi. The rows of Psi with the weights of row i then sum
// to Re(v_i·ψ). ψ is the vector of the mode over the occupancies, whose real and imaginary part are its rows. The
// imaginary part of v_i is ignored for a mode of one row.
func (mode *Mode) combine(weights block.Matrix, v []complex128) {
	at := mode.Row
	for _, x := range v {
		weights.Data[at] = real(x)
		if mode.Pair {
			weights.Data[at+1] = -imag(x)
		}
		at += weights.Cols
	}
}

// Combined returns the matrix Re Σ_j v_j ⊗ ψ_j, a sum over all modes j. It is new, lies in store, and has k rows and a
// column for each occupancy. ψ_j is the vector of the mode over the occupancies. vector(to, j) must overwrite all of
// to, of length k, with v_j. Levels (k arrival phases) and entries (k classes) are sums of this form. The v_j lie in
// scratch.
func (m *Modes) Combined(store, scratch *block.Arena, k int, vector func(to []complex128, j int)) block.Matrix {
	weights := block.NewRaw(k, m.Psi.Rows)
	defer weights.Release()
	v := scratch.ComplexVector(k)
	for j := range m.List {
		vector(v, j)
		m.List[j].combine(weights, v)
	}
	x := store.Matrix(k, m.Psi.Cols)
	block.FewMulAdd(x, weights, m.Psi)
	return x
}

// InServiceOf returns the probabilities of the states in service of level c for each row of coefficients, in real form as
// [Modes.Coefficients] takes them: a row of n·K numbers, by arrival phase and occupancy. The result is new.
func (m *Modes) InServiceOf(coefficients block.Matrix) block.Matrix {
	n, o, all := len(m.List[0].A), m.Order(), make([][]complex128, coefficients.Rows)
	for i := range all {
		all[i] = m.Coefficients(nil, coefficients.Row(i))
	}
	x := m.Combined(nil, nil, n*len(all), func(to []complex128, j int) {
		for i, own := range all {
			m.Vector(to[i*n:(i+1)*n], j, own[j*o:(j+1)*o])
		}
	})
	return block.Over(len(all), n*m.Psi.Cols, x.Data)
}

// TermSizes returns, for each coefficient in real form, a bound on the sum of the absolute values of its factors in all
// equations of level c. Times the coefficient and 2⁻⁵³, it is the size of the rounding errors of the equations. The
// order is the order of the argument of [Modes.Coefficients]: the modes, a number for each row of Psi, then as many
// numbers for each switch-over phase.
func (m *Modes) TermSizes() []float64 {
	o, rows := m.Order(), m.Psi.Rows
	sizes := make([]float64, o*rows)
	for _, mode := range m.List {
		psi := floats.Norm(m.Psi.Row(mode.Row), 1)
		if mode.Pair {
			psi += floats.Norm(m.Psi.Row(mode.Row+1), 1)
		}
		for i := range o { // the mode itself first
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
