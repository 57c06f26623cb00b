package statespace

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/internal/block"
)

// PhaseType is a phase-type time as the caller of the queue gives it, not checked yet: initial probabilities, a
// subgenerator, and rates of absorption or nil. If Alpha sums to less than one, the time is zero with the missing
// probability. The zero value takes no time.
type PhaseType struct {
	Alpha []float64
	T     mat.Matrix
	Exit  []float64
}

// TakesTime reports whether the time can be positive, that is, whether a phase is entered with positive probability.
func (p PhaseType) TakesTime() bool { return len(p.Alpha) > 0 && block.Sum(p.Alpha) > 0 }

// SameNumbers reports whether two times are given by the same numbers: initial probabilities, subgenerator, and rates
// of absorption or none. It is false if a subgenerator is missing.
func (p PhaseType) SameNumbers(as PhaseType) bool {
	return slices.Equal(p.Alpha, as.Alpha) && (p.Exit == nil) == (as.Exit == nil) && slices.Equal(p.Exit, as.Exit) &&
		!block.Missing(p.T) && !block.Missing(as.T) && mat.Equal(p.T, as.T)
}

// phaseRowTol is the largest sum of a row of a subgenerator, relative to the diagonal, that is taken for zero: such a
// phase has no exit. The sum of rounded rates carries about one rounding error per entry.
const phaseRowTol = 1e-12

// Checked returns a copy t of the rates between the phases, with a zero diagonal, and the rates of absorption, exit.
// Rates of absorption that are not given are minus the row sums of T. Sums of at most phaseRowTol, 10⁻¹², times the
// diagonal count as zero.
//
// The matrix T must have the order of Alpha, finite rates that are not negative, a negative diagonal, and no positive
// row sum. Initial probabilities must lie between 0 and 1; their sum is not checked. Rates of absorption that are given
// must be one for each phase, not negative, and agree with T up to the same tolerance. Otherwise the error is a
// *[markov.BlockError] with the given level and ingredient. If ctx ends while T is copied, the error comes from ctx.
func (p PhaseType) Checked(ctx context.Context, level int, ingredient string) (t block.Matrix, exit []float64, err error) {
	n := len(p.Alpha)
	if t, err = Rates(ctx, level, ingredient, p.T, n, n, true); err != nil {
		return block.Matrix{}, nil, err
	}
	for i, a := range p.Alpha {
		if !(a >= 0 && a <= 1) {
			return block.Matrix{}, nil, Wrong(level, ingredient, -1, i, "initial probability %v", a)
		}
	}
	if p.Exit != nil && len(p.Exit) != n {
		return block.Matrix{}, nil, Wrong(level, ingredient, -1, -1, "%d exit rates for %d phases", len(p.Exit), n)
	}
	exit = make([]float64, n)
	for i := range n {
		diag := -t.At(i, i)
		if !(diag > 0) {
			return block.Matrix{}, nil, Wrong(level, ingredient, i, i, "diagonal %g is not negative", -diag)
		}
		// The exit rate is minus the row sum. A row sum of at most phaseRowTol times the diagonal counts as 0.
		switch total := block.Sum(t.Row(i)); {
		case total > phaseRowTol*diag:
			return block.Matrix{}, nil, Wrong(level, ingredient, i, -1, "row sums to %g, more than zero", total)
		case p.Exit != nil && (!(p.Exit[i] >= 0) || math.Abs(p.Exit[i]+total) > phaseRowTol*diag):
			return block.Matrix{}, nil, Wrong(level, ingredient, i, -1, "row sums to %g, but its exit rate is %g", total, p.Exit[i])
		case p.Exit != nil:
			exit[i] = p.Exit[i]
		case total < -phaseRowTol*diag:
			exit[i] = -total
		}
		t.Data[i*n+i] = 0
	}
	return t, exit, nil
}

// Visited returns the initial probabilities, the rates between phases (zero diagonal) and the rates of absorption, in
// new storage. Phases that cannot be visited are left out. The phases are in topological order if there is no cycle, so
// that blocks are triangular; otherwise they keep their order. The error comes from [PhaseType.Checked], with the given
// level and ingredient.
func (p PhaseType) Visited(ctx context.Context, level int, ingredient string) (
	alpha []float64, t block.Matrix, exit []float64, err error) {
	all, rates, err := p.Checked(ctx, level, ingredient)
	if err != nil {
		return nil, block.Matrix{}, nil, err
	}
	leads := func(i, j int) bool { return all.At(i, j) > 0 }
	visited := Reachable(len(p.Alpha), func(i int) bool { return p.Alpha[i] > 0 }, leads)
	order := Topological(len(p.Alpha), leads)
	if order == nil {
		for i := range p.Alpha {
			order = append(order, i)
		}
	}
	var keep []int
	for _, i := range order {
		if visited[i] {
			keep = append(keep, i)
			alpha, exit = append(alpha, p.Alpha[i]), append(exit, rates[i])
		}
	}
	return alpha, all.Permuted(keep), exit, nil
}
