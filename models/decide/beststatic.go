package decide

import "github.com/partwise/partwise/models/policy"

// bestStatic returns the result of the best number of partitions K: the result of the stable static policy with the
// least mean response time. Among policies with equal response times, the policy has the fewest partitions. The result
// is nil if no static policy is stable.
func bestStatic(results []Solved) (best *Solved) {
	for i := range results {
		r := &results[i]
		if _, static := r.Policy.(policy.Static); static && r.Measures.Stable && (best == nil || better(r, best)) {
			best = r
		}
	}
	return best
}

// better reports whether the static policy of a is better than the static policy of b: its mean response time is less
// or, at equal times, it has fewer partitions. Both policies are stable.
func better(a, b *Solved) bool {
	ta, tb := a.Measures.MeanResponseTime, b.Measures.MeanResponseTime
	return ta < tb || ta == tb && a.Partitions() < b.Partitions()
}
