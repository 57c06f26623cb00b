package epochscmd

import (
	"context"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/sched"
)

// draws is how many problems are worked on at a time.
const draws = 500

// Overheads draws problems of a case and schedules each under all policies. The error is an *[sched.LimitError], and
// names the policy, if an optimal schedule is too hard to find.
func Overheads(ctx context.Context, c Case, policies []policy.Policy, o Options) ([]Result, error) {
	o = o.withDefaults()
	parts, err := parallel.Grid(ctx, 1, (o.Draws+draws-1)/draws, o.Workers, o.Progress, func(_, part int) ([][]float64, error) {
		return overheads(c, policies, o, part)
	})
	if err != nil {
		return nil, err
	}
	all := make([]Result, len(policies))
	for i, p := range policies {
		var values []float64
		for _, part := range parts[0] {
			values = append(values, part[i]...)
		}
		all[i] = Result{Point: Point{Case: c}, Choice: Choice{Policy: p},
			Values: map[string]metric.Interval{NormalizedOverhead: metric.Student(values, o.Confidence)}}
	}
	return all, nil
}

// overheads draws one part of the problems and returns the overheads of each policy.
func overheads(c Case, policies []policy.Policy, o Options, part int) ([][]float64, error) {
	all, err := planners(policies)
	if err != nil {
		return nil, err
	}
	values := make([][]float64, len(all))
	random := c.key(o.Seed).At(uint64(part)).Stream()
	problem := sched.EpochProblem{Nodes: c.Nodes, Min: make([]int, c.Jobs)}
	for range min(draws, o.Draws-part*draws) {
		for j := range problem.Min {
			problem.Min[j] = c.least(&random)
		}
		for k, p := range all {
			if err := p.plan(problem); err != nil {
				return nil, err
			}
			values[k] = append(values[k], p.schedule.NormalizedOverhead())
		}
	}
	return values, nil
}
