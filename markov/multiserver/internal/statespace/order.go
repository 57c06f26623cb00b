package statespace

import (
	"context"
	"math"
	"slices"

	"github.com/partwise/partwise/markov/internal/block"
)

// Topological returns an order of the nodes 0 to n−1 in which every edge leads to a later node. It returns nil if there
// is a cycle. edge(i, j) reports whether an edge leads from node i to node j. Where several nodes can come next, the
// function takes the one with the smallest index. Loops from a node to itself do not count. Phases in this order have
// triangular matrices.
//
// Reference: A. B. Kahn, Topological sorting of large networks, Communications of the ACM 5 (1962) 558–562.
func Topological(n int, edge func(i, j int) bool) []int {
	incoming := make([]int, n)
	for i := range n {
		for j := range n {
			if i != j && edge(i, j) {
				incoming[j]++
			}
		}
	}
	order := make([]int, 0, n)
	done := make([]bool, n)
	for len(order) < n {
		next := -1
		for j := range n {
			if !done[j] && incoming[j] == 0 {
				next = j
				break
			}
		}
		if next < 0 {
			return nil
		}
		done[next] = true
		order = append(order, next)
		for j := range n {
			if j != next && edge(next, j) {
				incoming[j]--
			}
		}
	}
	return order
}

// Reachable reports, for each of the nodes 0 to n−1, whether it is a start node or can be reached from a start node.
// start(i) reports whether node i is a start node, and edge(i, j) whether an edge leads from node i to node j. The
// queue uses it to find phases that are never visited.
func Reachable(n int, start func(int) bool, edge func(i, j int) bool) []bool {
	seen := make([]bool, n)
	var mark func(int)
	mark = func(i int) {
		seen[i] = true
		for j := range n {
			if !seen[j] && edge(i, j) {
				mark(j)
			}
		}
	}
	for i := range n {
		if start(i) && !seen[i] {
			mark(i)
		}
	}
	return seen
}

// MeanTime returns the mean of a phase-type time, in the unit of time of its rates. alpha holds its initial
// probabilities, t the rates between phases with a zero diagonal, and exit the rates of absorption. If alpha sums to
// less than 1, the difference is the probability of the time 0. The arguments stay unchanged. With an error the result
// is 0. The error is ErrReducible if absorption cannot be reached from some phase, or comes from ctx.
func MeanTime(ctx context.Context, alpha []float64, t block.Matrix, exit []float64) (float64, error) {
	f, err := block.FactorGTH(ctx, t.Clone(), slices.Clone(exit))
	if err != nil {
		return 0, err
	}
	x := block.Ones(len(alpha))
	f.SolveVec(x)
	mean := 0.0
	for i, a := range alpha {
		mean += a * x[i]
	}
	return mean, nil
}

// LeastVisits returns the least mean number of visits to a phase of a phase-type time, until absorption. alpha holds
// the initial probabilities, t the rates between phases with a zero diagonal, and exit the rates of absorption. With
// the total rates out of the phases, visits are α·(diag(out) − T)⁻¹·diag(out). The arguments stay unchanged. Error
// bounds of modes take more care where a phase is rarely visited. If no phase leads to another, visits are α, and
// nothing is checked. Otherwise the error comes from ctx, or is ErrReducible if absorption cannot be reached from some
// phase.
func LeastVisits(ctx context.Context, alpha []float64, t block.Matrix, exit []float64) (least float64, err error) {
	if t.IsZero() { // the time is a mixture of exponentials
		return slices.Min(alpha), nil
	}
	f, err := block.FactorGTH(ctx, t.Clone(), slices.Clone(exit))
	if err != nil {
		return 0, err
	}
	visits, out := slices.Clone(alpha), t.RowSums()
	f.SolveLeft(visits) // mean times in the phases
	for i, rate := range exit {
		visits[i] *= out[i] + rate
	}
	return slices.Min(visits), nil
}

// LeastRate returns the rate at which a phase-type time ends in the long run: the smallest eigenvalue of −T, T being
// the subgenerator. It is 0 if the time never ends from some phase. rates holds the entries of T off the diagonal, with
// a zero diagonal, and exit the rates of absorption, minus the row sums of T. There must be at least one phase. The
// arguments stay unchanged. If ctx ends, the number is meaningless. The decay rate of the level depends on it for a
// switch-over.
func LeastRate(ctx context.Context, rates block.Matrix, exit []float64) float64 {
	if AcyclicInOrder(rates) { // the eigenvalues are on the diagonal
		least := math.Inf(1)
		for i := range rates.Rows {
			least = min(least, exit[i]+block.Sum(rates.Row(i)))
		}
		return least
	}
	return block.LeastEigenvalue(ctx, rates.Clone(), slices.Clone(exit))
}

// AcyclicInOrder reports whether every nonzero entry of rates leads from a phase to a later phase, so that the matrix
// is strictly upper triangular. A nonzero diagonal makes the result false. Eigenvalues then stand on the diagonal of
// the subgenerator, and systems are solved by substitution.
func AcyclicInOrder(rates block.Matrix) bool {
	for i := range rates.Rows {
		for _, v := range rates.Row(i)[:i+1] {
			if v != 0 {
				return false
			}
		}
	}
	return true
}
