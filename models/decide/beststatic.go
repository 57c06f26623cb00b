package decide

import (
	"context"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
)

// BestStatic solves the chains of all static policies of a system in so many bytes of memory (0: the default limit), and returns the
// solution with the least mean response time; nil if no static policy is stable. The error comes from [Solve], or from
// [models.System.Check].
func BestStatic(ctx context.Context, s *models.System, memory float64, workers int) (*Solved, error) {
	if err := s.Check(); err != nil { // a system without static policies would have no policy that reports it
		return nil, err
	}
	set := markov.Settings{Memory: markov.NewMemory(int64(memory))}
	d, err := Solve(ctx, s, policy.Statics(s.Machine()), set, workers)
	return d.Best, err
}

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
