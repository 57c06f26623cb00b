package sched

// Partitions returns the number of ways to write a number of nodes as a sum of positive widths, in whatever order, of
// which no two differ by more than k: the ways to divide the nodes in an epoch, of table 1 of the report.
func Partitions(nodes, k int) int {
	total := 0
	for c := 1; c <= nodes; c++ {
		ways := make([]int, nodes+1) // to write a number with widths from c on, c among them
		ways[c] = 1
		for w := c; w <= min(c+k, nodes); w++ {
			for n := c + w; n <= nodes; n++ {
				ways[n] += ways[n-w]
			}
		}
		total += ways[nodes]
	}
	return total
}
