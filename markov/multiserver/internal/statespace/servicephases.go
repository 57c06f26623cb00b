package statespace

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
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

// PhaseOrder returns which of m service phases can be visited, by index, and whether service has no cycle. A phase is
// visited if a job can start in it, or can come to it by service or a phase map at some level. The order is topological
// if there is no cycle, otherwise ascending. starts(j) reports whether a job can start in phase j at some level from 1
// to servers. ts holds the rates between phases, m×m for each distribution of service, and phaseMap(l, to) the phase map
// of a transition from level l, or false. Rates of all levels count for cycles. Phase maps do not count, because they act
// only at arrivals and departures.
func PhaseOrder(m, servers int, starts func(j int) bool, ts []block.Matrix,
	phaseMap func(l, to int) (block.Matrix, bool)) (order []int, acyclic bool) {
	moves := func(i, j int) bool {
		for k := range ts {
			if ts[k].At(i, j) > 0 {
				return true
			}
		}
		return false
	}
	changes := func(i, j int) bool {
		if moves(i, j) {
			return true
		}
		for l := 1; l <= servers; l++ {
			for _, to := range [2]int{l - 1, l + 1} {
				if phi, ok := phaseMap(l, to); ok && phi.At(i, j) > 0 {
					return true
				}
			}
		}
		return false
	}
	visited := Reachable(m, starts, changes)
	all := Topological(m, moves)
	if acyclic = all != nil; !acyclic {
		for i := range m {
			all = append(all, i)
		}
	}
	for _, i := range all {
		if visited[i] {
			order = append(order, i)
		}
	}
	return order, acyclic
}

// CheckedPhaseMap calls phaseMap for all pairs of neighbouring levels from 1 to servers. Each result must be nil or an m×m
// matrix of finite nonnegative numbers whose rows sum to one within 10⁻⁹. It returns copies as a function of the levels
// i and j before and after a transition. The function reports false where jobs keep their phases: for a nil matrix, a
// nil phaseMap and other pairs. The error is a *[markov.BlockError] that names level and row, or the error of ctx.
func CheckedPhaseMap(ctx context.Context, servers, m int, phaseMap func(i, j int) mat.Matrix) (
	func(i, j int) (block.Matrix, bool), error) {
	if phaseMap == nil {
		return func(int, int) (p block.Matrix, ok bool) { return p, false }, nil
	}
	known := map[[2]int]block.Matrix{}
	for i := 1; i <= servers; i++ {
		for _, j := range [2]int{i - 1, i + 1} {
			if j < 1 || j > servers {
				continue
			}
			phi := phaseMap(i, j)
			if block.Missing(phi) {
				continue
			}
			p, err := Rates(ctx, i, "phase map", phi, m, m, false)
			if err != nil {
				return nil, err
			}
			for k, sum := range p.RowSums() {
				if !markov.SumsToOne(sum) {
					return nil, Wrong(i, "phase map", k, -1, "sums to %g, not to 1", sum)
				}
			}
			known[[2]int{i, j}] = p
		}
	}
	return func(i, j int) (block.Matrix, bool) {
		p, ok := known[[2]int{i, j}]
		return p, ok
	}, nil
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
