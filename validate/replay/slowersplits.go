package replay

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
)

// errSlower is why a replay of a static policy is given up: another static policy has a shorter mean response time.
var errSlower = errors.New("replay: another static policy is better")

// RunAsked replays the policies of a selection, asked.Run, and returns the runs that [Asked] returns. The best static
// policy is the one with the least mean response time. s.Policies is not used.
//
// The static policy with the most partitions is replayed before the other static policies. A replay of another static
// policy is given up as soon as it is certain to have a longer mean response time. So the queue before too few
// partitions does not grow with the log. Static policies in asked.Named are replayed to their end.
//
// workers is as for [Study.Run]. The error comes from [Study.Run], such as the error of ctx. The runs are nil beside an
// error, and without a selection. s.Done and s.Ended are also called for the jobs of replays that are given up.
func (s *Study) RunAsked(ctx context.Context, workers int, asked *policy.Selection) ([]*Run, error) {
	if s == nil || asked == nil {
		return nil, s.Check()
	}
	of := *s
	of.Policies = asked.Run
	if err := of.Check(); err != nil {
		return nil, err
	}
	runs := of.Runs()
	first, rivals := apartFromRivals(runs, asked)
	if err := of.replayAll(ctx, first, workers); err != nil {
		return nil, err
	}
	slower := make([]bool, len(rivals))
	logged := sync.OnceValue(of.loggedWaits)
	err := parallel.Each(ctx, len(rivals), workers, func(i int) error {
		err := of.obtain(ctx, rivals[i], logged)
		if slower[i] = errors.Is(err, errSlower); slower[i] {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	ended := slices.DeleteFunc(runs, func(r *Run) bool {
		i := slices.Index(rivals, r)
		return i >= 0 && slower[i]
	})
	return Asked(ended, asked, measure.MeanResponseTime), nil
}

// apartFromRivals returns the runs in two lists, each in the order of runs. The list rivals holds the static policies
// that are only candidates for the best static policy of the selection. The list first holds all other runs. The field
// rival of a candidate is set to the static policy with the most partitions at the same load, on the same nodes. This
// policy is in the list first.
func apartFromRivals(runs []*Run, asked *policy.Selection) (first, rivals []*Run) {
	most := map[*Run]*Run{} // by the baseline: the static policy with the most partitions
	partitions := func(r *Run) int {
		static, _ := r.Policy.(policy.Static)
		return static.Partitions
	}
	for _, r := range runs {
		if best := most[r.Baseline]; partitions(r) > 0 && (best == nil || partitions(r) > partitions(best)) {
			most[r.Baseline] = r
		}
	}
	for _, r := range runs {
		if partitions(r) == 0 || r == most[r.Baseline] || slices.Contains(asked.Named, r.Policy) || !r.isOneReplication() {
			first = append(first, r)
			continue
		}
		r.rival = most[r.Baseline]
		rivals = append(rivals, r)
	}
	return first, rivals
}

// slack is the relative difference between two sums of the same response times, added in another order, that rounding
// can make: 2⁻⁵³ a job, for 2³² jobs.
const slack = 0x1p-21

// watchRival returns a function that is to be called with the response time of each job of run r that ends. It calls
// giveUp with errSlower when the sum of these times exceeds the sum of all response times of r.rival. The mean response
// time of r is then longer, because both runs have the same jobs. Without a rival the function does nothing.
func (r *Run) watchRival(giveUp func(error)) func(response float64) {
	if r.rival == nil {
		return func(float64) {}
	}
	sum, most := 0.0, (1+slack)*r.rival.Measures[measure.MeanResponseTime]*float64(r.rival.Jobs)
	return func(response float64) {
		if sum += response; sum > most {
			giveUp(errSlower)
		}
	}
}
