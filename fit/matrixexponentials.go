package fit

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/fit/internal/optimum"
	"github.com/partwise/partwise/fit/internal/products"
)

// exponentialTables holds tables of exp(T·t) for the step lengths of a quadrature. It also carries derivatives with
// respect to the tables back to T. The table of the smallest step is a series of nonnegative terms, and each larger
// table is the square of the one before. All sums have nonnegative terms, so tables are accurate for stiff T, too,
// whose rates differ by many decades.
//
// The generator may have one state more than the distribution has phases: the last state, in which it stays after
// absorption.
type exponentialTables struct {
	quad       *quadrature
	m, n       int  // phases, and states including the absorbing one
	used       int  // states that columns and derivatives need: all, or without the absorbing state
	triangular bool // T is upper triangular

	t, dT          []float64   // n×n; dT is set only where T may be nonzero
	uniform        []float64   // U·δ, nonnegative; see [exponentialTables.series]
	powers         [][]float64 // terms of the series
	adjoint, spare []float64

	powerTransposed []float64 // scratch, n×n

	base    int     // level of the smallest table
	slowest float64 // smallest rate out of a phase, which is added to the diagonal so that tables of long steps do not underflow

	tables, dTables [][]float64 // tables[k] = exp((T + slowest·I)·unit·2^(base+k)), n×n
	transposed      [][]float64 // tables[k]ᵀ
}

// newExponentialTables returns storage for the matrix exponentials of the steps of a quadrature, for distributions of
// so many phases. With absorbing, the state after the last phase is part of the matrices.
func newExponentialTables(q *quadrature, phases int, absorbing bool) exponentialTables {
	n := phases
	if absorbing {
		n++
	}
	e := exponentialTables{quad: q, m: phases, n: n, used: n}
	for _, v := range []*[]float64{&e.t, &e.dT, &e.uniform, &e.adjoint, &e.spare, &e.powerTransposed} {
		*v = make([]float64, n*n)
	}
	return e
}

// table returns the n×n matrix exponential for a step of the quadrature of length unit·2^level, and the derivatives of
// the log-likelihood with respect to it. The matrix is exp((T + slowest·I)·length), with T the subgenerator and slowest
// the smallest rate out of a phase. With an absorbing state slowest is 0. Both matrices belong to e; the caller adds to
// the derivatives in place. [exponentialTables.exponentiate] must have computed the tables, and level must occur in the
// quadrature.
func (e *exponentialTables) table(level int) (table, derivatives []float64) {
	return e.tables[level-e.base], e.dTables[level-e.base]
}

// transposedTable returns the transposed matrix exponential of [exponentialTables.table], for [products.Shape.TimesVector].
func (e *exponentialTables) transposedTable(level int) []float64 { return e.transposed[level-e.base] }

// shape returns the shape of the tables.
func (e *exponentialTables) shape() products.Shape {
	return products.Shape{N: e.n, Length: e.n, Triangular: e.triangular}
}

// inUse returns the shape of the part of the tables that columns and derivatives need. Without the absorbing state, a
// table of order 5 has 16 numbers in place of 25.
func (e *exponentialTables) inUse() products.Shape {
	return products.Shape{N: e.used, Length: e.n, Triangular: e.triangular}
}

// exponentiate overwrites e.tables with the matrix exponentials of the generator e.t for all step lengths of the
// quadrature. The shortest is a series, and each longer one the square of the one before. It sets e.base, e.slowest and
// the terms of the series. e.slowest is the smallest rate out of a phase. It is added to the diagonal of the generator,
// so that long steps do not underflow. With an absorbing state it is 0.
func (e *exponentialTables) exponentiate() {
	theta, slowest := 0.0, math.Inf(1)
	for i := range e.n {
		theta = max(theta, -e.t[i*e.n+i])
		slowest = min(slowest, -e.t[i*e.n+i])
	}
	e.slowest = 0
	if e.n == e.m {
		e.slowest = slowest
	}
	theta -= e.slowest
	e.chooseBase(theta)
	e.series(theta)
	for l := 1; l < len(e.tables); l++ {
		e.shape().Multiply(e.tables[l], e.tables[l-1], e.tables[l-1])
		e.restoreDigits(l)
	}
	for l, table := range e.tables {
		e.inUse().Transpose(e.transposed[l], table)
	}
}

// maxSeriesStep is the largest theta·δ for which the series of exp(T·δ) is summed; a dozen terms are enough for it.
const maxSeriesStep = 0.25

// chooseBase sets e.base, the binary logarithm of the shortest step, in units of the quadrature, whose matrix
// exponential is summed as a series. It also makes storage for all exponentials. theta is the largest rate out of a
// phase minus e.slowest, per unit of scaled time. The step is so short that a dozen terms are enough.
func (e *exponentialTables) chooseBase(theta float64) {
	e.base = e.quad.low
	if s := theta * math.Ldexp(e.quad.unit, e.base); s > maxSeriesStep {
		_, up := math.Frexp(s / maxSeriesStep)
		e.base -= up
	}
	levels := e.quad.high - e.base + 1
	for cap(e.tables) < levels {
		e.tables = append(e.tables[:cap(e.tables)], nil)
		e.dTables = append(e.dTables[:cap(e.dTables)], nil)
		e.transposed = append(e.transposed[:cap(e.transposed)], nil)
	}
	e.tables, e.dTables, e.transposed = e.tables[:levels], e.dTables[:levels], e.transposed[:levels]
	for l := range e.tables {
		if e.tables[l] == nil {
			e.tables[l] = make([]float64, e.n*e.n)
			e.dTables[l] = make([]float64, e.n*e.n)
			e.transposed[l] = make([]float64, e.n*e.n)
		}
	}
}

// series sets the matrix exponential of the shortest step, tables[0], to the sum exp(−θ·δ)·Σ_j (U·δ)^j/j! of
// uniformization. U = T + (θ + slowest)·I with T the generator and slowest the field e.slowest. θ is the parameter
// theta, the largest rate out of a phase minus slowest. So U is not negative, and the sum is exp((T + slowest·I)·δ). δ
// is the length of the step. The terms stay in e.powers for the derivatives. The first nonzero term of an entry to
// which a path of d jumps leads is the term d. So the number of states is added to the number of terms that accuracy
// needs.
//
// Reference: A. Jensen, Markoff chains as an aid in the study of Markoff processes, Skand. Aktuarietidskr. 36 (1953)
// 87–91.
func (e *exponentialTables) series(theta float64) {
	n := e.n
	delta := math.Ldexp(e.quad.unit, e.base)
	terms := n - 1
	for bound := 1.0; bound > 1e-18; terms++ {
		bound *= theta * delta / float64(terms-n+2)
	}
	for len(e.powers) < terms+1 {
		e.powers = append(e.powers, make([]float64, n*n))
	}
	e.powers = e.powers[:terms+1]
	for i := range n {
		for j := range n {
			e.uniform[i*n+j] = e.t[i*n+j] * delta
		}
		e.uniform[i*n+i] += (theta + e.slowest) * delta
		e.uniform[i*n+i] = max(e.uniform[i*n+i], 0)
	}
	first, sum := e.powers[0], e.tables[0]
	clear(first)
	decay := math.Exp(-theta * delta)
	for i := range n {
		first[i*n+i] = decay
	}
	copy(sum, first)
	for j := 1; j <= terms; j++ {
		term := e.powers[j][:len(sum)]
		e.shape().Multiply(term, e.uniform, e.powers[j-1])
		c := 1 / float64(j)
		for i, v := range term {
			term[i] = c * v
			sum[i] += term[i]
		}
	}
	e.restoreDigits(0)
}

// restoreDigits corrects the matrix exponential tables[k], in place, after k squarings. Squaring alone would double the
// error each time. In a triangular matrix the diagonal is replaced by exponentials, after every fourth squaring. In any
// other matrix the rows are probability vectors, the absorbing state included, and are scaled to sum to one. So the
// error grows only in proportion to the number of squarings.
func (e *exponentialTables) restoreDigits(k int) {
	if !e.triangular {
		for i := range e.n {
			row := e.tables[k][i*e.n : (i+1)*e.n]
			floats.Scale(1/optimum.Sum(row), row)
		}
		return
	}
	if k%4 != 0 { // three squarings in a row lose only three bits
		return
	}
	delta := math.Ldexp(e.quad.unit, e.base+k)
	for i := range e.n {
		e.tables[k][i*e.n+i] = math.Exp((e.t[i*e.n+i] + e.slowest) * delta)
	}
}

// backpropagate sets dT, n×n, the derivatives of the log-likelihood with respect to the generator T. It starts from
// dTables, the derivatives with respect to the matrix exponentials. It goes back through the squarings and the series,
// and overwrites dTables. For a square E = A·A, the derivatives D with respect to E give D·Aᵀ + Aᵀ·D with respect to A.
// The series is S = Σ_j P_j with P_j = U·P_{j−1}/j and U = uniform. Let D_j be the derivatives with respect to P_j, and
// D_S the derivatives with respect to S. From the last term down,
//
//	dU += D_j·P_{j−1}ᵀ/j,   D_{j−1} = D_S + Uᵀ·D_j/j.
//
// As U = (T + (θ + slowest)·I)·δ, the derivatives with respect to T are the derivatives with respect to U times δ; see
// [exponentialTables.series].
func (e *exponentialTables) backpropagate() {
	for l := len(e.tables) - 1; l > 0; l-- {
		e.inUse().AddRightTransposed(e.dTables[l-1], e.dTables[l], e.tables[l-1], e.transposed[l-1])
		e.inUse().AddLeftTransposed(e.dTables[l-1], e.tables[l-1], e.dTables[l])
	}
	clear(e.dT)
	copy(e.adjoint, e.dTables[0]) // derivatives with respect to the last term of the series
	for j := len(e.powers) - 1; j > 0; j-- {
		floats.Scale(1/float64(j), e.adjoint)
		e.addGeneratorDerivatives(e.powers[j-1])
		copy(e.spare, e.dTables[0])
		e.inUse().AddLeftTransposed(e.spare, e.uniform, e.adjoint)
		e.adjoint, e.spare = e.spare, e.adjoint
	}
	for i, rate := range e.t {
		if rate == 0 {
			e.dT[i] = 0
		}
	}
	floats.Scale(math.Ldexp(e.quad.unit, e.base), e.dT)
}

// addGeneratorDerivatives adds D·Pᵀ to e.dT, where D is e.adjoint and P a term of the series. Most entries of a triangular
// T are zero. There the sum is not needed.
func (e *exponentialTables) addGeneratorDerivatives(power []float64) {
	if e.triangular {
		e.inUse().AddRightTransposedWhere(e.dT, e.adjoint, power, e.t)
		return
	}
	e.inUse().Transpose(e.powerTransposed, power)
	e.inUse().AddRightTransposed(e.dT, e.adjoint, power, e.powerTransposed)
}

// maxJumpsPerStep is the largest number of jumps of a phase during the smallest step. Faster phases have no visible
// effect, and a general T that stiff loses its digits.
const maxJumpsPerStep = 0x1p20

// tooFast reports whether a phase makes 2^20 jumps or more in the smallest step of the quadrature, or its rate is NaN.
// The generator e.t must be set. The caller then takes the likelihood to be zero.
func (e *exponentialTables) tooFast() bool {
	step := math.Ldexp(e.quad.unit, e.quad.low)
	for i := range e.m {
		if !(-e.t[i*e.n+i]*step < maxJumpsPerStep) {
			return true
		}
	}
	return false
}
