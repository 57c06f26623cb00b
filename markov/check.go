package markov

import "math"

// checkRates reports the first entry of p that is not a rate; the diagonal is not looked at if skipDiagonal.
func checkRates(level int, block string, p matrix, skipDiagonal bool) error {
	for i := range p.rows {
		for j, v := range p.row(i) {
			if i == j && skipDiagonal {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return blockError(level, block, i, j, "%v is not a rate", v)
				}
				continue
			}
			if !(v >= 0) || math.IsInf(v, 1) {
				return blockError(level, block, i, j, "%v is not a nonnegative rate", v)
			}
		}
	}
	return nil
}

// diagonalTol is how far, relative to itself, a diagonal may be from minus the rest of its row: files carry rounded
// numbers.
const diagonalTol = 1e-8

// checkDiagonal holds a diagonal that is given, that is negative, against the rest of its row; zero, and a positive
// rate of a state to itself, stand for a diagonal that is left to be computed.
func checkDiagonal(level int, block string, row int, diagonal, rest float64) error {
	if diagonal < 0 && math.Abs(diagonal+rest) > diagonalTol*-diagonal {
		return blockError(level, block, row, row, "diagonal is %g, but the rest of the row sums to %g", diagonal, rest)
	}
	return nil
}

// topological returns an order of n nodes in which every edge leads to a later node, or nil if there is a cycle.
func topological(n int, edge func(i, j int) bool) []int {
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

// reachable marks the nodes that can be reached from those that start.
func reachable(n int, start func(int) bool, edge func(i, j int) bool) []bool {
	seen := make([]bool, n)
	var visit func(int)
	visit = func(i int) {
		seen[i] = true
		for j := range n {
			if !seen[j] && edge(i, j) {
				visit(j)
			}
		}
	}
	for i := range n {
		if start(i) && !seen[i] {
			visit(i)
		}
	}
	return seen
}

// zero reports whether all entries are zero.
func (m matrix) zero() bool {
	for _, v := range m.a {
		if v != 0 {
			return false
		}
	}
	return true
}

func identity(n int) matrix {
	m := newMatrix(n, n)
	for i := range n {
		m.a[i*n+i] = 1
	}
	return m
}

// permuted returns m with rows and columns in the given order (which may leave some out).
func (m matrix) permuted(order []int) matrix {
	p := newMatrix(len(order), len(order))
	for i, oi := range order {
		for j, oj := range order {
			p.a[i*len(order)+j] = m.at(oi, oj)
		}
	}
	return p
}
