package epochs

import (
	"context"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/sched"
)

// draws is how many problems are worked on at a time.
const draws = 500

// overheads draws one part of the problems of a case, schedules each, and returns the normalized overheads.
func overheads(_ context.Context, c Point, p policy.Policy, o *Options, part int) (values []float64, err error) {
	plans, err := newPlanner(p)
	if err != nil {
		return nil, err
	}
	random := c.key(o.Seed).At(uint64(part)).Stream()
	problem := sched.EpochProblem{Nodes: c.Nodes, Min: make([]int, c.Jobs)}
	for range min(draws, o.Draws-part*draws) {
		for j := range problem.Min {
			problem.Min[j] = c.least(&random)
		}
		if err := plans.plan(problem); err != nil {
			return nil, err
		}
		values = append(values, plans.schedule.NormalizedOverhead())
	}
	return values, nil
}
