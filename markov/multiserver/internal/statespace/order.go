package statespace

import (
	"context"
	"math"
	"slices"

	"github.com/partwise/partwise/markov/internal/block"
)

// Topological returns an order of n nodes in which every edge leads to a later node, or nil if there is a cycle. Where
// several nodes can come next, the function takes the one with the smallest index. Loops from a node to itself do not
// count.
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

// Reachable reports for each node whether it can be reached from a start node. Start nodes can.
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

// MeanTime returns the mean of a phase-type time with initial probabilities alpha, off-diagonal rates t and rates of
// absorption exit.
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

// LeastRate returns the rate at which a phase-type time ends in the long run: the smallest eigenvalue of −T. T has the
// off-diagonal rates p, and the rows of −T sum to exit.
func LeastRate(ctx context.Context, p block.Matrix, exit []float64) float64 {
	if AcyclicInOrder(p) { // the eigenvalues are on the diagonal
		least := math.Inf(1)
		for i := range p.Rows {
			least = min(least, exit[i]+block.Sum(p.Row(i)))
		}
		return least
	}
	return block.LeastEigenvalue(ctx, p.Clone(), slices.Clone(exit))
}

// AcyclicInOrder reports whether every nonzero entry leads to a later phase. The diagonal must be zero.
func AcyclicInOrder(p block.Matrix) bool {
	for i := range p.Rows {
		for _, v := range p.Row(i)[:i+1] {
			if v != 0 {
				return false
			}
		}
	}
	return true
}
