package statespace

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
)

// Arrivals is a Markovian arrival process (D0, D1) whose D1 = F·A is factored into r classes. In phase a an arrival of
// class q occurs with rate F[a,q], and the next phase is distributed as row q of A. A renewal process has one class,
// because each arrival forgets the phase. Blocks of a chain observed at arrivals have r columns for each occupancy
// instead of n.
type Arrivals struct {
	N, Classes int          // n phases, r classes
	D0         block.Matrix // off-diagonal rates without an arrival; the diagonal is zero
	Out        []float64    // total rate out of each phase, −diag(D0)
	F, A       block.Matrix // n×r and r×n
	PhaseRates []float64    // rate of arrivals in each phase, F·1
	pi         []float64    // stationary vector of D0 + D1
	Rate       float64      // arrival rate, π·D1·1
	Ordered    bool         // D0 is upper triangular; phases are numbered so that it is, where possible
	Diagonal   bool         // D0 is diagonal: a phase changes at arrivals only
}

// classTol is the largest relative difference, entry by entry, of two rows of D1 of the same class after scaling.
// Products of a rate and a probability carry a few rounding errors. A class that is formed by mistake changes no rate
// by more than that.
const classTol = 1e-14

// NewArrivals checks the matrices D0 and D1 of an arrival process, n×n rates without and with an arrival, and factors
// D1 into classes. The matrices are copied. Phases are renumbered in topological order if the moves of D0 have no
// cycle. Rates must be finite, and nonnegative except on the diagonal of D0. Some arrival must be possible. The
// diagonal of D0 must be minus the sum of all other rates of the row in D0 and D1, up to 10⁻⁸ of it. A diagonal entry
// of 0 is computed.
//
// The error comes from ctx, or is a *[markov.BlockError] that names the matrix and the entry, numbered as given, at
// level 0. Row and column are −1 where they do not apply: if a matrix is missing, empty, of a wrong size or without
// arrivals. The error wraps ErrReducible if the process has transient phases or several closed classes.
func NewArrivals(ctx context.Context, d0, d1 mat.Matrix) (*Arrivals, error) {
	m0, m1, err := checkedArrivals(ctx, d0, d1)
	if err != nil {
		return nil, err
	}
	ar := &Arrivals{N: m0.Rows}
	// If the phases of D0 have no cycle, number them in topological order: systems with sI − D0 are then solved by
	// substitution.
	order := Topological(ar.N, func(i, j int) bool { return m0.At(i, j) > 0 })
	if ar.Ordered = order != nil; ar.Ordered {
		m0, m1 = m0.Permuted(order), m1.Permuted(order)
	}
	ar.D0, ar.Diagonal = m0, m0.IsZero()
	ar.factor(m1)
	ar.Out = m0.RowSums()
	floats.Add(ar.Out, ar.PhaseRates)
	if err := ar.setStationary(ctx, m1, order); err != nil {
		return nil, err
	}
	return ar, nil
}

// checkedArrivals returns copies of the matrices of [NewArrivals], D0 with a zero diagonal. The errors are those about
// single numbers of the matrices.
func checkedArrivals(ctx context.Context, d0, d1 mat.Matrix) (m0, m1 block.Matrix, err error) {
	n := block.Order(d0)
	if m0, err = Rates(ctx, 0, "D0", d0, n, n, true); err != nil {
		return m0, m1, err
	}
	if m1, err = Rates(ctx, 0, "D1", d1, n, n, false); err != nil {
		return m0, m1, err
	}
	if n == 0 {
		return m0, m1, Wrong(0, "D0, D1", -1, -1, "are empty")
	}
	for i := range n {
		diagonal := m0.At(i, i)
		m0.Data[i*n+i] = 0
		rest := block.Sum(m0.Row(i)) + block.Sum(m1.Row(i))
		if problem := block.CheckDiagonal(diagonal, rest); problem != nil {
			return m0, m1, Wrong(0, "D0", i, i, "%v", problem)
		}
		if diagonal > 0 {
			return m0, m1, Wrong(0, "D0", i, i, "diagonal is %g; it is minus the rest of the row, or 0 to be computed", diagonal)
		}
	}
	return m0, m1, nil
}

// setStationary sets pi, the stationary phase distribution, which solves π·(D0 + D1) = 0, and the arrival rate π·D1·1. d1
// holds D1, and order the phases as given, or nil if they keep their order. The error is a *[markov.BlockError] if the
// process has transient phases, several closed classes or no arrivals, or the error of ctx.
func (ar *Arrivals) setStationary(ctx context.Context, d1 block.Matrix, order []int) (err error) {
	q := ar.D0.Clone()
	floats.Add(q.Data, d1.Data)
	ar.pi, err = block.StationaryGTH(ctx, q)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return Wrong(0, "D0 + D1", -1, -1, "phases of arrivals in more than one closed class: %w", markov.ErrReducible)
	}
	if i := slices.Index(recurrent(ar.D0, d1, ar.pi), false); i >= 0 {
		if order != nil {
			i = order[i]
		}
		return Wrong(0, "D0 + D1", i, -1, "this phase of the arrivals is left for good; leave it out: %w", markov.ErrReducible)
	}
	ar.Rate = floats.Dot(ar.pi, ar.PhaseRates)
	if ar.Rate <= 0 {
		return Wrong(0, "D1", -1, -1, "is zero: no arrivals")
	}
	return nil
}

// recurrent reports, by phase, whether the phase is the most probable phase or can be reached from it. d0 and d1 hold
// the rates without and with an arrival, and pi the stationary probabilities of the phases. If the process has one
// closed class, these phases form it. NewArrivals rejects a process with other phases: the queue during a transient
// phase would add a decay rate of its own to the decay rate of the level.
func recurrent(d0, d1 block.Matrix, pi []float64) []bool {
	first := floats.MaxIdx(pi)
	return Reachable(len(pi), func(i int) bool { return i == first },
		func(i, j int) bool { return d0.At(i, j)+d1.At(i, j) > 0 })
}

// factor sets Classes, F, A and PhaseRates so that d1 = F·A up to [classTol], where d1 holds the n×n rates with an
// arrival. N must be set. A class is a set of proportional rows of d1; classes are numbered by their first phase. Row q
// of A is the row of class q with the largest sum, divided by this sum. If several rows have the largest sum, it is the
// first of them. F[a, q] is the sum of row a if phase a belongs to class q, otherwise zero. A phase without arrivals
// belongs to no class.
func (ar *Arrivals) factor(d1 block.Matrix) {
	n := ar.N
	rates := d1.RowSums()
	ar.PhaseRates = rates
	class := make([]int, n)
	var members []int // by class: the row with the largest rate
	for i, rate := range rates {
		class[i] = -1
		if rate == 0 {
			continue
		}
		for q, m := range members {
			if sameDirection(d1.Row(i), rate, d1.Row(m), rates[m]) {
				class[i] = q
				if rate > rates[m] {
					members[q] = i
				}
				break
			}
		}
		if class[i] < 0 {
			class[i] = len(members)
			members = append(members, i)
		}
	}
	ar.Classes = len(members)
	ar.F, ar.A = block.New(n, ar.Classes), block.New(ar.Classes, n)
	for i, q := range class {
		if q >= 0 {
			ar.F.Data[i*ar.Classes+q] = rates[i]
		}
	}
	for q, m := range members {
		copy(ar.A.Row(q), d1.Row(m))
		floats.Scale(1/rates[m], ar.A.Row(q))
	}
}

// sameDirection reports whether the rows x/sumX and y/sumY are equal, entry by entry, up to the relative difference
// classTol, 10⁻¹⁴. The sums must be positive. Two phases with proportional rows of arrival rates then belong to one
// class.
func sameDirection(x []float64, sumX float64, y []float64, sumY float64) bool {
	for k := range x {
		if p, q := x[k]/sumX, y[k]/sumY; math.Abs(p-q) > classTol*max(p, q) {
			return false
		}
	}
	return true
}

// mostRemembered is the largest result of [Arrivals.ForgottenAfter].
const mostRemembered = 1 << 30

// ForgottenAfter returns after how many arrivals the class of an arrival hardly depends on the class of the first one.
// It is the least power of two k with τ(P^k) ≤ 1/2, and at most mostRemembered, 2³⁰. Row q of P = A·(−D0)⁻¹·F, r×r, is
// the distribution of the class of the next arrival after an arrival of class q. τ is the coefficient of ergodicity,
// the largest total variation distance of two rows: τ(P) = ½·max_{p,q} Σ_l |P_pl − P_ql|. For a renewal process k is 1.
// Error bounds of modes take more care where arrivals remember their phase for long. The error comes from ctx.
//
// Reference: E. Seneta, Coefficients of ergodicity: structure and applications, Adv. Appl. Probab. 11 (1979) 576–590.
func (ar *Arrivals) ForgottenAfter(ctx context.Context) (arrivals float64, err error) {
	if ar.Classes == 1 {
		return 1, ctx.Err()
	}
	phases, err := block.FactorGTH(ctx, ar.D0.Clone(), slices.Clone(ar.PhaseRates))
	if err != nil {
		return 0, err
	}
	defer phases.Release()
	next := ar.F.Clone()
	phases.Solve(ctx, next)
	power, certain := block.Mul(ctx, ar.A, next), make([]float64, ar.Classes)
	for arrivals = 1; ergodicity(power) > 0.5 && arrivals < mostRemembered; arrivals *= 2 {
		power = block.Mul(ctx, power, power)
		Complement(power, certain) // rounding errors would double with each product
	}
	return arrivals, ctx.Err()
}

// Complement scales the rows of m in place, so that the sum of row i and rest[i], both probabilities, is one. Rounding
// errors of powers of m would add up, while rest is a sum and keeps its digits. Rows whose rest is one half or more stay
// as they are, because 1 − rest would lose digits. The other rows must not be zero.
func Complement(m block.Matrix, rest []float64) {
	for i, p := range rest {
		if row := m.Row(i); p < 0.5 {
			floats.Scale((1-p)/block.Sum(row), row)
		}
	}
}

// ergodicity returns the coefficient of ergodicity of a stochastic matrix, the largest total variation distance of two
// of its rows: 0 if all rows are the same, 1 if two rows have no column in common.
func ergodicity(p block.Matrix) (largest float64) {
	for i := range p.Rows {
		for j := range i {
			largest = max(largest, floats.Distance(p.Row(i), p.Row(j), 1)/2)
		}
	}
	return largest
}

// LeastProbability returns the stationary probability of the rarest phase of the arrivals.
func (ar *Arrivals) LeastProbability() float64 { return slices.Min(ar.pi) }

// SwitchOverSojourns returns B = (−(D0 ⊕ C))⁻¹, of order n·s: the mean times in each state (arrival phase, switch-over
// phase) until an arrival or the end of the switch-over. A row belongs to the state at the start, a column to the state
// visited; the arrival phase is the major index of both. C is the subgenerator of the switch-over, with rates t between
// its s phases and rates exit of absorption; both stay unchanged. The diagonals of t and D0 are not read: the row sums
// determine them. The error is ErrReducible if neither an arrival nor the end comes from some state, or the error of
// ctx; the result is empty then.
func (ar *Arrivals) SwitchOverSojourns(ctx context.Context, t block.Matrix, exit []float64) (block.Matrix, error) {
	s, n := t.Rows, ar.N
	p := block.New(n*s, n*s)
	out := make([]float64, n*s)
	arrival := ar.PhaseRates
	for a := range n {
		for k := range s {
			// The diagonal of D0 ⊕ C is not stored: the elimination computes it from the row sums in out, without
			// subtractions.
			row := p.Row(a*s + k)
			for b := range n {
				row[b*s+k] += ar.D0.At(a, b)
			}
			for l := range s {
				if l != k {
					row[a*s+l] += t.At(k, l)
				}
			}
			out[a*s+k] = arrival[a] + exit[k]
		}
	}
	f, err := block.FactorGTH(ctx, p, out)
	if err != nil {
		return block.Matrix{}, err
	}
	b := block.Identity(n * s)
	f.Solve(ctx, b)
	if ctx.Err() != nil {
		return block.Matrix{}, ctx.Err()
	}
	return b, nil
}
