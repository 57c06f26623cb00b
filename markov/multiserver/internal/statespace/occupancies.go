package statespace

// Occupancies returns C(c+m−1, m−1), the number of ways to put c ≥ 0 jobs into m ≥ 1 phases. It is a floating-point
// number, because it can exceed an int; beyond the range of numbers it is +Inf. It is 1 for m = 1 or c = 0. Memory and
// time of a solve are estimated from it, before the occupancies are listed.
func Occupancies(m, c int) float64 {
	fewer, more := min(c, m-1), max(c, m-1)
	size := 1.0
	for k := 1; k <= fewer; k++ {
		size *= float64(more+k) / float64(k)
	}
	return size
}
