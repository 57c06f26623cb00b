package statespace

import (
	"context"
	"math"
	"slices"

	"github.com/partwise/partwise/markov/internal/block"
)

// Topological returns an order of n nodes in which every edge leads to a later node, or nil if there is a cycle.
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

// Reachable marks the nodes that can be reached from those that start.
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

// MeanTime returns the mean of a phase-type time, t being its rates without the diagonal.
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

// LeastRate returns the smallest eigenvalue of diag(out) − P, P having rates p ≥ 0 (diagonal not read) and rows of
// diag(out) − P summing to exit: the rate at which a phase-type time ends in the long run.
func LeastRate(ctx context.Context, p block.Matrix, exit []float64) float64 {
	if AcyclicInOrder(p) { // its eigenvalues are on the diagonal
		least := math.Inf(1)
		for i := range p.Rows {
			least = min(least, exit[i]+block.Sum(p.Row(i)))
		}
		return least
	}
	return block.LeastEigenvalue(ctx, p.Clone(), slices.Clone(exit))
}

// AcyclicInOrder reports whether every move leads to a later phase; the diagonal does not count if it is zero.
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
