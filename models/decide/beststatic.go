package decide

// better reports whether the static policy of a is better than that of b: its mean response time is less or, at equal times, it has
// fewer partitions. Both policies are stable.
func better(a, b *Solved) bool {
	ta, tb := a.Measures.MeanResponseTime, b.Measures.MeanResponseTime
	return ta < tb || ta == tb && a.Partitions() < b.Partitions()
}
