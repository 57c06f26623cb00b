package epochscmd

import (
	"context"
	"sync/atomic"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/sched"
)

// draws is how many problems are worked on at a time.
const draws = 500

// Overheads draws problems of a case and schedules each under all policies. The error is an *[sched.LimitError], and
// names the policy, if an optimal schedule is too hard to find.
func Overheads(ctx context.Context, c Case, policies []policy.Epochs, o Options) ([]Result, error) {
	o = o.withDefaults()
	if err := check(c, len(policies), o); err != nil {
		return nil, err
	}
	values := make([][]float64, len(policies))
	for i := range values {
		values[i] = make([]float64, o.Draws)
	}
	parts := (o.Draws + draws - 1) / draws
	var done atomic.Int64
	err := parallel.Each(ctx, parts, o.Workers, func(part int) error {
		err := overheads(c, policies, o, part, values)
		if err == nil && o.Progress != nil {
			o.Progress(int(done.Add(1)))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	all := make([]Result, len(policies))
	for i, p := range policies {
		all[i] = Result{Policy: p, Point: Point{Case: c}, Normalized: metric.Student(values[i], o.Confidence)}
	}
	return all, nil
}

// overheads draws one part of the problems.
func overheads(c Case, policies []policy.Epochs, o Options, part int, values [][]float64) error {
	all, err := planners(policies)
	if err != nil {
		return err
	}
	random := c.key(o.Seed).At(uint64(part)).Stream()
	problem := sched.EpochProblem{Nodes: c.Nodes, Min: make([]int, c.Jobs)}
	for i := part * draws; i < min((part+1)*draws, o.Draws); i++ {
		for j := range problem.Min {
			problem.Min[j] = c.least(&random)
		}
		for k, p := range all {
			if err := p.plan(problem); err != nil {
				return err
			}
			values[k][i] = p.schedule.NormalizedOverhead()
		}
	}
	return nil
}
