package block

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// perronPowers squares B + σ·I, which is aperiodic, until its powers P have rank one. Then the column sums x = 1·P and
// the row sums y = P·1 are left and right eigenvectors. Their errors square with every step if the largest eigenvalue is
// apart from the others, and halve otherwise.
//
// B = D⁻¹·M·D is the matrix balanced: the largest entries of row i and of column i, without the diagonal, are of one
// size. So the largest entry of B is on a cycle of entries of its size. It is about the largest geometric mean of the
// entries on a cycle of M. States on no cycle do not count. The spectral radius of M is at least this mean and at most n
// times the mean. So σ is a quarter of the largest entry. With a much smaller σ, a cycle of three or more states would
// stay periodic for many steps. Without D, entries far apart could leave the range of numbers in powers.
//
// A step costs 2·n³ operations, and balancing a few passes over M.
//
// Reference: H. Schneider, M. H. Schneider, Max-balancing weighted directed graphs and matrix scaling, Math. Oper. Res. 16
// (1991) 208–222.
type perronPowers struct {
	balanced  Matrix    // B
	exponents []float64 // D = diag(2^exponents)
	shift     float64   // σ, 0 if M has no cycles

	power, next      Matrix
	y, last          []float64 // row sums of the latest power, and of the power before
	x, product       []float64 // column sums of the latest power, and B·y
	steps, unchanged int       // unchanged counts the latest steps in which y changed by roundings only
	change           float64   // the largest relative change of an entry of y in the latest step
	room             Matrix
}

// mostSquarings is the largest number of steps. With errors that halve in a step, an eigenvalue then has all its digits.
const mostSquarings = 60

// newPerronPowers returns the first power of m. Its storage must be released. Transitions of states on no cycle change the
// eigenvectors, but not the eigenvalue: they are set to zero unless keep is true. Far from the other entries, they could
// leave the range of numbers when m is balanced.
func newPerronPowers(m Matrix, keep bool) perronPowers {
	n := m.Rows
	room := NewRaw(3*n+5, n)
	row := func(i int) []float64 { return room.Row(3*n + i) }
	p := perronPowers{
		balanced: room.RowRange(0, n), power: room.RowRange(n, 2*n), next: room.RowRange(2*n, 3*n),
		exponents: row(0), y: row(1), last: row(2), x: row(3), product: row(4), room: room,
	}
	copy(p.balanced.Data, m.Data)
	p.shift = p.balance(keep) / 4
	copy(p.power.Data, p.balanced.Data)
	for i := range n {
		p.power.Row(i)[i] += p.shift
	}
	p.normalise()
	return p
}

// release releases the storage.
func (p *perronPowers) release() { p.room.Release() }

// balance balances p.balanced, one row and column after the other, by powers of two, and sets p.exponents. It returns the
// largest entry on a cycle. A state that leads to no other state, or that no other state leads to, is on no cycle but its
// own. It is not balanced any more, and its other entries become zero unless keep is true.
//
// Reference: E. E. Osborne, On pre-conditioning of matrices, J. ACM 7 (1960) 338–345.
func (p *perronPowers) balance(keep bool) (largest float64) {
	const mostSweeps, mostExponent = 30, 1000
	m, onCycles := p.balanced, p.x // entries of onCycles are 1 or 0
	for i := range onCycles {
		p.exponents[i], onCycles[i] = 0, 1
	}
	for sweep, changed := 0, true; changed && sweep < mostSweeps; sweep++ {
		changed, largest = false, 0
		for i := range m.Rows {
			largest = max(largest, m.At(i, i))
			if onCycles[i] == 0 {
				continue
			}
			inRow, inColumn := m.largestBeside(i, onCycles)
			if inRow == 0 || inColumn == 0 {
				onCycles[i], changed = 0, true
				if !keep {
					m.clearBeside(i)
				}
				continue
			}
			largest = max(largest, inRow)
			_, r := math.Frexp(inRow)
			_, c := math.Frexp(inColumn)
			if half := min(max((r-c)/2, -mostExponent), mostExponent); half != 0 {
				changed = true
				p.exponents[i] += float64(half)
				m.scaleBeside(i, math.Ldexp(1, -half), math.Ldexp(1, half))
			}
		}
	}
	return largest
}

// largestBeside returns the largest entries of row i and of column i without the diagonal, among the states that among
// marks with 1.
func (m Matrix) largestBeside(i int, among []float64) (inRow, inColumn float64) {
	for j, v := range m.Row(i) {
		if j != i && among[j] != 0 {
			inRow, inColumn = max(inRow, v), max(inColumn, m.At(j, i))
		}
	}
	return inRow, inColumn
}

// clearBeside sets row i and column i to zero, without the diagonal.
func (m Matrix) clearBeside(i int) {
	for j := range m.Row(i) {
		if j != i {
			m.Data[i*m.Cols+j], m.Data[j*m.Cols+i] = 0, 0
		}
	}
}

// scaleBeside multiplies row i and column i without the diagonal.
func (m Matrix) scaleBeside(i int, row, column float64) {
	for j := range m.Row(i) {
		if j != i {
			m.Data[i*m.Cols+j] *= row
			m.Data[j*m.Cols+i] *= column
		}
	}
}

// normalise divides the latest power by its largest row sum, in place, and sets y.
func (p *perronPowers) normalise() {
	largest := 0.0
	for i := range p.y {
		p.y[i] = Sum(p.power.Row(i))
		largest = max(largest, p.y[i])
	}
	floats.Scale(1/largest, p.power.Data)
	floats.Scale(1/largest, p.y)
}

// square takes a step. The power is incomplete if ctx ends.
func (p *perronPowers) square(ctx context.Context) {
	setSquare(ctx, p.next, p.power)
	p.power, p.next = p.next, p.power
	p.y, p.last = p.last, p.y
	p.normalise()
	p.steps++
	p.unchanged++
	if p.change = LargestChange(p.last, p.y); !(p.change <= p.roundings()) {
		p.unchanged = 0
	}
}

// roundings is the relative size of a few rounding errors of a sum of n numbers.
func (p *perronPowers) roundings() float64 {
	const few = 8
	return few * UnitRoundoff * math.Sqrt(float64(len(p.y)))
}

// settled reports whether two vectors y in succession have differed from the one before by roundings only. The eigenvalue
// settles before: where two blocks exchange little, it hardly depends on the share of each.
func (p *perronPowers) settled() bool { return p.unchanged >= 2 }

// value returns the eigenvalue x·B·y/(x·y), whose error is the product of the errors of x and y. certain tells that B·y
// is this multiple of y but for roundings, if entries weigh as in x. Then further steps would not change the eigenvalue.
func (p *perronPowers) value() (value float64, certain bool) {
	clear(p.x)
	for i := range p.x {
		floats.Add(p.x, p.power.Row(i))
	}
	SetMulVec(p.product, p.balanced, p.y)
	size := floats.Dot(p.x, p.y)
	value = floats.Dot(p.x, p.product) / size
	off := 0.0
	for i, v := range p.product {
		off += p.x[i] * math.Abs(v-value*p.y[i])
	}
	return value, off <= p.roundings()*value*size
}

// vector returns D·y, divided by its largest entry.
func (p *perronPowers) vector() []float64 {
	largest := math.Inf(-1)
	for i, v := range p.y {
		if _, e := math.Frexp(v); v > 0 {
			largest = max(largest, float64(e)+p.exponents[i])
		}
	}
	y := make([]float64, len(p.y))
	for i, v := range p.y {
		y[i] = math.Ldexp(v, int(p.exponents[i]-largest))
	}
	floats.Scale(1/slices.Max(y), y)
	return y
}

// setSquare overwrites to with m². Matrices of order 3 and 4 are squared without loops, because
// the search for a decay rate squares such matrices a hundred times. to is incomplete if ctx ends.
func setSquare(ctx context.Context, to, m Matrix) {
	switch n := m.Rows; {
	case n == 3:
		setSquareOfThree((*[9]float64)(to.Data), (*[9]float64)(m.Data))
	case n == 4:
		setSquareOfFour((*[16]float64)(to.Data), (*[16]float64)(m.Data))
	default:
		clear(to.Data)
		MulAdd(ctx, to, m, m)
	}
}

// setSquareOfThree overwrites to with the square of m of order 3.
func setSquareOfThree(to, m *[9]float64) {
	for i := 0; i < 9; i += 3 {
		a, b, c := m[i], m[i+1], m[i+2]
		to[i] = a*m[0] + b*m[3] + c*m[6]
		to[i+1] = a*m[1] + b*m[4] + c*m[7]
		to[i+2] = a*m[2] + b*m[5] + c*m[8]
	}
}

// setSquareOfFour overwrites to with the square of m of order 4.
func setSquareOfFour(to, m *[16]float64) {
	for i := 0; i < 16; i += 4 {
		a, b, c, d := m[i], m[i+1], m[i+2], m[i+3]
		to[i] = a*m[0] + b*m[4] + c*m[8] + d*m[12]
		to[i+1] = a*m[1] + b*m[5] + c*m[9] + d*m[13]
		to[i+2] = a*m[2] + b*m[6] + c*m[10] + d*m[14]
		to[i+3] = a*m[3] + b*m[7] + c*m[11] + d*m[15]
	}
}
