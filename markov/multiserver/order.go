package multiserver

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
