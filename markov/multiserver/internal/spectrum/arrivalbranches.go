package spectrum

import (
	"cmp"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"github.com/partwise/partwise/markov/internal/block"
)

// arrivalBranch is an eigenvalue λ of the transform of the time between arrivals by their classes, r×r,
//
//	M(s) = A·(sI − D0)⁻¹·F,   e·M(s) = λ(s)·e,
//
// followed through complex s from a point where λ is known. D0, A and F are the matrices of [statespace.Arrivals]. For
// renewal arrivals, which have one class, λ is the Laplace transform f_A. A term z^k·(a⊗ψ) with a = e·A·(sI − D0)⁻¹
// satisfies the repeating equations if z = λ(s) and s + Σ κ_j·ω_j(z) = 0. So each composition κ has as many roots as
// there are classes.
type arrivalBranch struct {
	ar          transforms
	number      int          // place by |λ| where the branches were found, largest first
	left, right []complex128 // eigenvectors of M(s), largest entry 1
	room        []complex128
}

// newArrivalBranches returns the eigenvalues of the transform M(s) of the interarrival time by r classes, at complex s,
// with their left and right eigenvectors. A class is a set of arrival phases that share the distribution of the phase
// after an arrival. Each eigenvalue is a branch that can be followed to other s. The branches come in the order of
// falling |λ|, numbered from 0. Three steps of inverse iteration give the eigenvectors, scaled to largest entry 1. For
// r = 1 they are (1), and nothing is computed.
//
// The result is nil if two eigenvalues differ by at most 10⁻⁶ of the sum of their sizes. It is also nil if an
// eigenvector is zero or not finite. The branches share scratch storage: only one may be moved at a time.
func (ar transforms) newArrivalBranches(s complex128) []*arrivalBranch {
	r := ar.Classes
	if r == 1 {
		return []*arrivalBranch{{ar: ar, left: []complex128{1}, right: []complex128{1}}}
	}
	m := make([]complex128, r*r)
	probe := &arrivalBranch{ar: ar, left: make([]complex128, r), right: make([]complex128, r), room: ar.scratch()}
	probe.matrices(s, m, nil)
	values := complexEigenvalues(m, r)
	slices.SortFunc(values, func(a, b complex128) int { return cmp.Compare(cmplx.Abs(b), cmplx.Abs(a)) })
	all := make([]*arrivalBranch, 0, r)
	for i, v := range values {
		for _, w := range values[:i] {
			if cmplx.Abs(v-w) <= sameBranch*(cmplx.Abs(v)+cmplx.Abs(w)) {
				return nil
			}
		}
		b := probe.clone()
		b.number = i
		for j := range r { // starts of the iteration; no eigenvector is orthogonal to them except by accident
			b.left[j], b.right[j] = complex(1, float64(j)), complex(float64(r-j), 1)
		}
		for range 3 {
			if !b.iterate(m, v) {
				return nil
			}
		}
		all = append(all, b)
	}
	return all
}

// sameBranch is the relative distance of two eigenvalues below which their eigenvectors have few digits.
const sameBranch = 1e-6

// copyFrom overwrites the eigenvectors of b with the eigenvectors of another branch of the same arrivals; the number of
// b stays. A path stores a point in this way, or goes back to it.
func (b *arrivalBranch) copyFrom(other *arrivalBranch) {
	copy(b.left, other.left)
	copy(b.right, other.right)
}

// clone returns a copy of the branch, at the same point, with eigenvectors of its own. The copies share the scratch
// storage, so only one of them may be moved at a time. Each path of a root moves a copy.
func (b *arrivalBranch) clone() *arrivalBranch {
	both := append(append(make([]complex128, 0, 2*len(b.left)), b.left...), b.right...)
	c := *b
	c.left, c.right = both[:len(b.left):len(b.left)], both[len(b.left):]
	return &c
}

// scratch returns new scratch storage for the methods of [arrivalBranch], with n arrival phases and r classes: four r×r
// matrices, one n×n matrix and a vector of length n.
func (ar transforms) scratch() []complex128 {
	n, r := ar.N, ar.Classes
	return make([]complex128, 4*r*r+n*n+n)
}

// settledBranch is the relative change of the eigenvalue at which inverse iteration ends. The eigenvectors were then off
// by about the square root of the change. After the step they are off by its third power, which is below rounding.
const settledBranch = 1e-10

// at moves the branch, an eigenvalue λ of the transform M(s) of the interarrival time by classes, to a point s near its
// last point. It overwrites the eigenvectors, and returns λ(s) and the derivative λ'(s). λ is the Rayleigh quotient of
// both eigenvectors, λ' the same quotient of M'(s). The error of the iteration, at most 8 steps, falls with its third
// power. If a step fails, λ is the quotient before it, and the eigenvectors are meaningless. With one class λ is the
// Laplace transform of the interarrival time, and needs no iteration. Roots z = λ(s) are found with these numbers.
func (b *arrivalBranch) at(s complex128) (lambda, slope complex128) {
	if b.ar.Classes == 1 {
		return b.ar.transform(s)
	}
	r := b.ar.Classes
	m, derivative := b.room[:r*r], b.room[r*r:2*r*r]
	b.matrices(s, m, derivative)
	lambda = b.quotient(m)
	for range 8 {
		if !b.iterate(m, lambda) {
			break
		}
		next := b.quotient(m)
		settled := sizeOf(next-lambda) <= settledBranch*sizeOf(next)
		if lambda = next; settled {
			break
		}
	}
	return lambda, b.quotient(derivative)
}

// matrices overwrites m with the transform M(s) of the interarrival time by r classes, r×r by rows. If derivative is
// not nil, it is overwritten with M'(s). M(s) = A·(sI − D0)⁻¹·F, with the matrices of [statespace.Arrivals]. The
// scratch storage after its first four r×r matrices is overwritten; m and derivative may be among these four.
func (b *arrivalBranch) matrices(s complex128, m, derivative []complex128) {
	n, r := b.ar.N, b.ar.Classes
	lu := b.room[4*r*r:]
	lu, x := lu[:n*n], lu[n*n:]
	b.ar.resolvent(lu, s)
	block.ComplexLU(lu, n)
	for q := range r {
		for i := range n {
			x[i] = complex(b.ar.F.At(i, q), 0)
		}
		block.ComplexSolve(lu, n, x)
		b.timesA(m, x, q, 1)
		if derivative != nil {
			block.ComplexSolve(lu, n, x)
			b.timesA(derivative, x, q, -1)
		}
	}
}

// timesA overwrites column q of m, r×r by rows, with sign·A·x. A, r×n, holds the distribution of the phase after an
// arrival of each class. x has a number for each of n arrival phases. The columns of the transform M(s) and of its
// derivative are made so.
func (b *arrivalBranch) timesA(m, x []complex128, q int, sign float64) {
	r := b.ar.Classes
	for i := range r {
		var sum complex128
		for a, v := range b.ar.A.Row(i) {
			sum += complex(sign*v, 0) * x[a]
		}
		m[i*r+q] = sum
	}
}

// quotient returns left·m·right/(left·right), the Rayleigh quotient of m, r×r by rows, with both eigenvectors of the
// branch. It approximates the eigenvalue.
func (b *arrivalBranch) quotient(m []complex128) complex128 {
	r := len(b.left)
	var above complex128
	for i, l := range b.left {
		above += l * times(m[i*r:(i+1)*r], b.right)
	}
	return above / times(b.left, b.right)
}

// vectorRoundings returns the relative error of the eigenvectors of the branch in rounding errors of 2⁻⁵³. It is
// r/|left·right| for r classes of arrivals, the condition of the eigenvalue times r. Error bounds of modes start from
// such numbers.
func (b *arrivalBranch) vectorRoundings() float64 {
	return float64(len(b.left)) / cmplx.Abs(times(b.left, b.right))
}

// iterate makes a step of inverse iteration on both eigenvectors of m, r×r, near the eigenvalue shift. It overwrites
// right of the branch with (m − shift·I)⁻¹·right and left with left·(m − shift·I)⁻¹, each scaled to largest entry 1. m
// stays unchanged and may be one of the first two matrices of the scratch storage; the next two are overwritten. The
// result is false if [normaliseLargest] cannot scale a vector. The vectors are then meaningless.
func (b *arrivalBranch) iterate(m []complex128, shift complex128) bool {
	r := len(b.left)
	work, transposed := b.room[2*r*r:3*r*r], b.room[3*r*r:4*r*r]
	for i := range r {
		for j := range r {
			v := m[i*r+j]
			if i == j {
				v -= shift
			}
			work[i*r+j], transposed[j*r+i] = v, v
		}
	}
	solvePivoted(work, r, b.right)
	solvePivoted(transposed, r, b.left)
	return normaliseLargest(b.right) && normaliseLargest(b.left)
}

// markovianPhases overwrites a, a number for each arrival phase, with the part of an eigenvector over the arrival
// phases: a = e·A·(sI − D0)⁻¹. e is its part over the classes of arrivals, nil for one class, and stays unchanged. D0
// holds the rates between phases, and A the phases after arrivals. s is the argument of the root z: the transform of
// the interarrival time at s has the eigenvalue z.
func (ar transforms) markovianPhases(a, e []complex128, s complex128) {
	if e == nil {
		e = oneClass
	}
	timesRates(a, e, ar.A)
	block.ComplexSolve(ar.leftResolvent(s), ar.N, a)
}

// vectorRoundings returns the relative error of an eigenvector of the arrivals in rounding errors of 2⁻⁵³, at least 1.
// e is its part over the classes, nil for one class, and a its part over the arrival phases. z is its root, and s the
// argument of the root. Where arrival phases have cycles, the diagonal of D0, the rates between phases, has rounding
// errors. They are amplified by the ratio of the rates of phase changes to the arrival rates. With the total rates
// out_i out of the phases and the arrival rates F, the result is
//
//	1 + Σ_i |a_i|·out_i·|((sI − D0)⁻¹·F·1)_i|/Σ_q |z·e_q|.
func (ar transforms) vectorRoundings(a, e []complex128, z, s complex128) float64 {
	n := ar.N
	m, y := make([]complex128, n*n), block.Complex(ar.F.RowSums())
	ar.resolvent(m, s)
	block.ComplexLU(m, n)
	block.ComplexSolve(m, n, y)
	terms, whole := 0.0, cmplx.Abs(z)
	for i, v := range a {
		terms += cmplx.Abs(v) * ar.Out[i] * cmplx.Abs(y[i])
	}
	if e != nil {
		whole = 0
		for _, v := range e {
			whole += cmplx.Abs(z * v)
		}
	}
	return 1 + terms/whole
}

// resolvent overwrites m, by rows, with the matrix sI − D0, where D0 holds the rates between the n arrival phases
// without an arrival. Its inverse is needed for transforms of the interarrival time.
func (ar transforms) resolvent(m []complex128, s complex128) {
	n := ar.N
	for i := range n {
		for j := range n {
			m[i*n+j] = complex(-ar.D0.At(i, j), 0)
		}
		m[i*n+i] += s + complex(ar.Out[i], 0)
	}
}

// slowestBranch returns the branch of the arrivals with the largest real part at real s, with its eigenvectors there. A
// branch is an eigenvalue of the transform of the interarrival time by classes. The decay rate of the queue belongs to
// this branch. The error says that eigenvalues coincide, also if some eigenvalue is NaN.
func (ar transforms) slowestBranch(s float64) (*arrivalBranch, error) {
	all := ar.newArrivalBranches(complex(s, 0))
	var slowest *arrivalBranch
	largest := math.Inf(-1)
	for _, b := range all {
		if v, _ := b.at(complex(s, 0)); real(v) > largest {
			slowest, largest = b, real(v)
		}
	}
	if slowest == nil {
		return nil, fmt.Errorf("eigenvalues of the arrivals coincide at %v", s)
	}
	return slowest, nil
}
