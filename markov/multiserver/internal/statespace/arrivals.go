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

// Arrivals is a Markovian arrival process (D0, D1) with D1 = F·A factored into r classes: an arrival in phase a is of
// class q with rate F[a,q] and leaves the phase distributed as row q of A. A renewal process has one class, because
// its phase is forgotten at every arrival; that rank is what makes its chains cheaper by the number of its phases.
type Arrivals struct {
	N, Classes int
	D0         block.Matrix // off-diagonal rates without arrival; the diagonal is zero
	Out        []float64
	F, A       block.Matrix // n×r and r×n
	pi         []float64
	Rate       float64
	Ordered    bool // d0 is upper triangular
	Diagonal   bool // D0 is diagonal: a phase changes at arrivals only
}

// classTol is how close, entry by entry, two rows of D1 must be to a common distribution to be of one class: products
// rate·probability carry a few rounding errors, a class made up by rounding changes no rate by more.
const classTol = 1e-14

func NewArrivals(ctx context.Context, d0, d1 mat.Matrix) (*Arrivals, error) {
	for i, m := range [2]mat.Matrix{d0, d1} {
		if block.Missing(m) {
			return nil, Wrong(0, [2]string{"D0", "D1"}[i], -1, -1, "is missing")
		}
	}
	n, c0 := d0.Dims()
	r1, c1 := d1.Dims()
	if n == 0 || n != c0 || n != r1 || n != c1 {
		return nil, Wrong(0, "D0, D1", -1, -1, "are %d×%d and %d×%d, not square of one order", n, c0, r1, c1)
	}
	m0, m1 := block.From(ctx, d0), block.From(ctx, d1)
	if err := CheckRates(0, "D0", m0, true); err != nil {
		return nil, err
	}
	if err := CheckRates(0, "D1", m1, false); err != nil {
		return nil, err
	}
	for i := range n {
		diagonal := m0.At(i, i)
		m0.Data[i*n+i] = 0
		rest := block.Sum(m0.Row(i)) + block.Sum(m1.Row(i))
		if problem := block.CheckDiagonal(diagonal, rest); problem != nil {
			return nil, Wrong(0, "D0", i, i, "%v", problem)
		}
		if diagonal > 0 {
			return nil, Wrong(0, "D0", i, i, "diagonal is %g; it is minus the rest of the row, or 0 to be computed", diagonal)
		}
	}
	ar := &Arrivals{N: n}
	order := Topological(n, func(i, j int) bool { return m0.At(i, j) > 0 })
	if ar.Ordered = order != nil; ar.Ordered {
		m0, m1 = m0.Permuted(order), m1.Permuted(order)
	}
	ar.D0, ar.Diagonal = m0, m0.IsZero()
	ar.factor(m1)
	ar.Out = m0.RowSums()
	floats.Add(ar.Out, m1.RowSums())
	q := m0.Clone()
	floats.Add(q.Data, m1.Data)
	pi, err := block.StationaryGTH(ctx, q)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, Wrong(0, "D0 + D1", -1, -1, "phases of arrivals in more than one closed class: %w",
			markov.ErrReducible)
	}
	ar.pi = pi
	if i := slices.Index(recurrent(m0, m1, pi), false); i >= 0 {
		if ar.Ordered {
			i = order[i]
		}
		return nil, Wrong(0, "D0 + D1", i, -1, "this phase of the arrivals is left for good; leave it out: %w",
			markov.ErrReducible)
	}
	ar.Rate = floats.Dot(pi, m1.RowSums())
	if ar.Rate <= 0 {
		return nil, Wrong(0, "D1", -1, -1, "is zero: no arrivals")
	}
	return ar, nil
}

// recurrent reports which phases are reached from the most probable one, pi being the stationary vector of D0 + D1. How
// fast levels become rare depends on them alone: a phase that is left for good would have the decay rate of its own queue.
func recurrent(d0, d1 block.Matrix, pi []float64) []bool {
	first := floats.MaxIdx(pi)
	return Reachable(len(pi), func(i int) bool { return i == first },
		func(i, j int) bool { return d0.At(i, j)+d1.At(i, j) > 0 })
}

// factor finds the classes of D1.
func (ar *Arrivals) factor(d1 block.Matrix) {
	n := ar.N
	rates := d1.RowSums()
	class := make([]int, n)
	var members []int // the row that stands for each class: the one with the largest rate
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

func sameDirection(x []float64, sx float64, y []float64, sy float64) bool {
	for k := range x {
		if p, q := x[k]/sx, y[k]/sy; math.Abs(p-q) > classTol*max(p, q) {
			return false
		}
	}
	return true
}
