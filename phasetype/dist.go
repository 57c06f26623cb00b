package phasetype

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// MaxPhases is the largest order of a distribution that New accepts.
const MaxPhases = 1000

// Tolerances of the constructors. A probability vector in a file has about ten digits, so it is renormalised if its sum
// is within sumTol of one. The row sums of a subgenerator are differences, with a rounding error in proportion to the
// diagonal. So they count as zero if they are within rowTol times the diagonal.
const (
	sumTol = 1e-9
	rowTol = 1e-12
)

// Limits of rates and means. They are wide enough for any time unit. They are narrow enough that third moments and the
// products in eliminations neither overflow nor underflow.
const (
	minRate     = 1e-100
	maxRate     = 1e100
	longestMean = 1e100
)

// Dist is a continuous phase-type distribution PH(alpha, T) with an optional atom at zero. It is the time to absorption of
// a Markov chain that starts in phase i with probability alpha[i]. The chain moves by the subgenerator T (n×n) and is
// absorbed at the rates exit = −T·1. The probability of the value 0 is 1 − Σ alpha[i].
//
// A Dist is immutable and always valid. Its zero value has no phases and is identically 0, such as the duration of a
// set-up that takes no time; see [Dist.IsZero].
//
// Reference: M. F. Neuts, Matrix-Geometric Solutions in Stochastic Models, Johns Hopkins University Press, 1981, ch. 2.
type Dist struct {
	n     int
	alpha []float64
	t     []float64 // row-major n×n
	exit  []float64
	atom  float64
	mean  float64
}

// Error says which element of a representation is wrong, so that a reader of files can point at it.
type Error struct {
	Field    string // "alpha", "T", "D0", "D1", "weights", "rates", ...
	Row, Col int    // indices from 0; −1 where they do not apply
	Problem  string
}

func (e *Error) Error() string {
	return "phasetype: " + e.Where() + ": " + e.Problem
}

// Where returns the field with its indices, such as T[1][0].
func (e *Error) Where() string {
	s := e.Field
	if e.Row >= 0 {
		s += fmt.Sprintf("[%d]", e.Row)
	}
	if e.Col >= 0 {
		s += fmt.Sprintf("[%d]", e.Col)
	}
	return s
}

func bad(field string, row, col int, format string, args ...any) error {
	return &Error{Field: field, Row: row, Col: col, Problem: fmt.Sprintf(format, args...)}
}

// New returns PH(alpha, T). The entries of alpha are nonnegative and sum to at most one; a sum within 1e-9 of one is
// renormalised. T is square of the same order, with a negative diagonal and nonnegative entries elsewhere. Its row sums
// are at most zero, up to 1e-12 of the diagonal, and absorption is certain from every phase. Phases that cannot be
// reached are kept. New returns an *[Error] otherwise. New(d.Alpha(), d.T()) is d again, bit by bit, if d came from
// New.
func New(alpha []float64, t mat.Matrix) (Dist, error) {
	d, err := sized(alpha, t)
	if err != nil {
		return Dist{}, err
	}
	for i := range d.n {
		if err := d.setRow(i, t); err != nil {
			return Dist{}, err
		}
	}
	return d.finish()
}

// FromRates returns the distribution of the time to absorption of a chain with the initial vector alpha. moves holds
// the rates between the n phases, n×n, and exit the n rates of absorption. Unlike with New, an exit rate far below the
// other rates of its row keeps all its digits, and none is taken for zero. A negative diagonal entry of moves must be
// minus the sum of the other rates and the exit rate, to 1e-12; other diagonal entries are ignored. FromRates returns
// an *[Error] as New does, with the fields "alpha", "T" and "exit".
func FromRates(alpha []float64, moves mat.Matrix, exit []float64) (Dist, error) {
	d, err := sized(alpha, moves)
	if err != nil {
		return Dist{}, err
	}
	if len(exit) != d.n {
		return Dist{}, bad("exit", -1, -1, "has %d entries, alpha has %d", len(exit), d.n)
	}
	for i := range d.n {
		if v := exit[i]; !nonnegative(v) {
			return Dist{}, bad("exit", i, -1, "%v is not a nonnegative rate", v)
		}
		out, err := d.setMoves(i, moves)
		if err != nil {
			return Dist{}, err
		}
		d.exit[i] = exit[i] + 0 // no negative zero
		out += exit[i]
		if given := -moves.At(i, i); given > 0 && !(math.Abs(given-out) <= rowTol*out) {
			return Dist{}, bad("T", i, i, "is %g; the other rates and the exit of the row add up to %g", -given, out)
		}
		if err := d.setDiagonal(i, out); err != nil {
			return Dist{}, err
		}
	}
	return d.finish()
}

// fromRates is FromRates on row-major rates of a known shape.
func fromRates(alpha, moves, exit []float64) (Dist, error) {
	if len(alpha) > MaxPhases {
		return Dist{}, tooMany(len(alpha))
	}
	return FromRates(alpha, mat.NewDense(len(alpha), len(alpha), moves), exit)
}

// dims returns the size of a matrix, or an error if the matrix is missing.
func dims(field string, m mat.Matrix) (rows, cols int, err error) {
	if isNil(m) {
		return 0, 0, bad(field, -1, -1, "is missing")
	}
	rows, cols = m.Dims()
	return rows, cols, nil
}

// isNil reports whether v is nil or a nil pointer.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}

func tooMany(n int) error {
	return bad("alpha", -1, -1, "%d phases, at most %d are supported", n, MaxPhases)
}

// sized returns a distribution with its initial vector and no rates yet; t must have as many rows and columns as the
// vector has entries.
func sized(alpha []float64, t mat.Matrix) (Dist, error) {
	n := len(alpha)
	rows, cols, err := dims("T", t)
	switch {
	case err != nil:
		return Dist{}, err
	case n == 0:
		return Dist{}, bad("alpha", -1, -1, "no phases")
	case n > MaxPhases:
		return Dist{}, tooMany(n)
	case rows != n || cols != n:
		return Dist{}, bad("T", -1, -1, "is %d×%d, alpha has %d entries", rows, cols, n)
	}
	d := Dist{n: n, alpha: make([]float64, n), t: make([]float64, n*n), exit: make([]float64, n)}
	return d, d.setInitial(alpha)
}

// finish returns d with its mean. It returns an *[Error] if absorption is not certain from every phase, or takes longer
// than can be represented.
func (d Dist) finish() (Dist, error) {
	leads, _ := d.absorbed()
	if i := slices.Index(leads, false); i >= 0 {
		return Dist{}, bad("T", i, -1,
			"phase %d never reaches absorption; give it an exit rate or a way to a phase that has one", i)
	}
	h := ones(d.n)
	d.eliminate().solve(h)
	for i, v := range h {
		if !(v <= longestMean) {
			return Dist{}, bad("T", i, -1, "the time to absorption from phase %d exceeds %g", i, longestMean)
		}
	}
	d.mean = dot(d.alpha, h)
	return d, nil
}

// Must returns d, or panics if err is not nil; for distributions whose parameters are constants.
func Must(d Dist, err error) Dist {
	if err != nil {
		panic(err)
	}
	return d
}

// setInitial sets alpha and the atom. The vector is normalised unless its sum is one up to the rounding of the
// summation. So reading a normalised vector again does not change it.
func (d *Dist) setInitial(alpha []float64) error {
	sum, err := probabilities("alpha", alpha)
	if err != nil {
		return err
	}
	for i, v := range alpha {
		d.alpha[i] = v + 0 // no negative zero
	}
	switch off := math.Abs(1 - sum); {
	case off <= float64(d.n)*0x1p-52:
	case off <= sumTol, sum > 1: // which is as near, but for the rounding of the difference
		for i := range d.alpha {
			d.alpha[i] /= sum
		}
	default:
		d.atom = 1 - sum
	}
	return nil
}

// probabilities checks that p is finite, nonnegative and sums to at most one, and returns the sum.
func probabilities(field string, p []float64) (sum float64, err error) {
	for i, v := range p {
		if !nonnegative(v) {
			return 0, bad(field, i, -1, "%v is not a probability", v)
		}
		sum += v
	}
	if sum > 1+sumTol {
		return 0, bad(field, -1, -1, "sums to %.12g, more than 1", sum)
	}
	return sum, nil
}

// setRow sets row i of the subgenerator and its exit rate, by which the diagonal exceeds the other rates.
func (d *Dist) setRow(i int, t mat.Matrix) error {
	diag := -t.At(i, i)
	switch {
	case math.IsNaN(diag) || math.IsInf(diag, 0):
		return bad("T", i, i, "%v is not a rate", -diag)
	case diag <= 0:
		return bad("T", i, i, "the diagonal must be negative, got %g", -diag+0)
	}
	out, err := d.setMoves(i, t)
	if err != nil {
		return err
	}
	switch exit := diag - out; {
	case exit < -rowTol*diag:
		return bad("T", i, -1, "row sums to %g; it must not be positive", -exit)
	case exit <= rowTol*diag:
		diag = out
	default:
		d.exit[i] = exit
	}
	return d.setDiagonal(i, diag)
}

// setMoves sets the off-diagonal rates of row i and returns their sum.
func (d *Dist) setMoves(i int, t mat.Matrix) (out float64, err error) {
	for j := range d.n {
		if j == i {
			continue
		}
		v := t.At(i, j)
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			return 0, bad("T", i, j, "%v is not a rate", v)
		case v < 0:
			return 0, bad("T", i, j, "negative rate %g", v)
		}
		d.t[i*d.n+j] = v + 0 // no negative zero
		out += v
	}
	return out, nil
}

// setDiagonal sets the diagonal entry of row i to −rate. It returns an *[Error] if the rate is out of range.
func (d *Dist) setDiagonal(i int, rate float64) error {
	if rate == 0 {
		return bad("T", i, i, "phase %d is never left", i)
	}
	if rate < minRate || rate > maxRate {
		return bad("T", i, i, outOfRange, rate, minRate, maxRate)
	}
	d.t[i*d.n+i] = -rate
	return nil
}

// absorbed reports for each phase whether it leads to absorption. depth is the largest number of moves that a phase
// needs at least.
func (d Dist) absorbed() (seen []bool, depth int) {
	return spread(d.n, func(i int) bool { return d.exit[i] > 0 }, func(i, j int) bool { return d.t[j*d.n+i] > 0 })
}

// spread marks the nodes that can be reached from the start set along the edges. levels is the number of nodes on the
// shortest path to the farthest of them.
func spread(n int, start func(int) bool, edge func(i, j int) bool) (seen []bool, levels int) {
	seen = make([]bool, n)
	var now []int
	for i := range n {
		if seen[i] = start(i); seen[i] {
			now = append(now, i)
		}
	}
	for left := n; len(now) > 0; levels++ {
		left -= len(now)
		var next []int
		for _, i := range now {
			for j := 0; j < n && left > len(next); j++ {
				if !seen[j] && edge(i, j) {
					seen[j] = true
					next = append(next, j)
				}
			}
		}
		now = next
	}
	return seen, levels
}

// MarshalJSON returns {"alpha": […], "T": [[…], …]}. Package modelfile writes files of distributions and reads them.
func (d Dist) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"alpha": d.alpha, "T": rows(d.t, d.n)})
}

// rows returns the rows of a row-major matrix of order n.
func rows(v []float64, n int) [][]float64 { return slices.Collect(slices.Chunk(v, max(1, n))) }

// Phases returns the order n of the representation, 0 for the zero value.
func (d Dist) Phases() int { return d.n }

// NumParameters returns the number of parameters that determine a distribution of the order n of d. It is 2n − 1, 2n if d
// has an atom at zero, and 0 for the zero value.
//
// Reference: M. Telek, G. Horváth, A minimal representation of Markov arrival processes and a moments matching method,
// Performance Evaluation 64 (2007) 1153–1168.
func (d Dist) NumParameters() int {
	switch {
	case d.n == 0:
		return 0
	case d.atom > 0:
		return 2 * d.n
	}
	return 2*d.n - 1
}

// IsZero reports whether the value is 0 with probability one.
func (d Dist) IsZero() bool { return d.n == 0 || d.atom == 1 }

// Atom returns the probability of the value 0.
func (d Dist) Atom() float64 {
	if d.n == 0 {
		return 1
	}
	return d.atom
}

// Alpha returns a copy of the initial vector, n entries.
func (d Dist) Alpha() []float64 { return slices.Clone(d.alpha) }

// T returns a copy of the subgenerator, n×n; nil for the zero value.
func (d Dist) T() *mat.Dense {
	if d.n == 0 {
		return nil
	}
	return mat.NewDense(d.n, d.n, slices.Clone(d.t))
}

// Exit returns a copy of the absorption rates −T·1, n entries.
func (d Dist) Exit() []float64 { return slices.Clone(d.exit) }

// Rate returns entry (i, j) of T, 0 ≤ i, j < Phases(), without copying the matrix.
func (d Dist) Rate(i, j int) float64 { return d.t[i*d.n+j] }
