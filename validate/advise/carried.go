package advise

import (
	"context"
	"errors"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/sched"
)

// Carried is a rule as a system carries it out that looks at its queue from time to time.
type Carried struct {
	policy.Resize         // the rule, or what is left of it
	Poll          float64 // the time from one look at the queue to the next
	Restart       float64 // the shortest time of a resize, in which all workers of a job restart; 0: as the costs of the problem say
}

// Scheduler returns the rule's scheduler, which decides at polls only.
func (c Carried) Scheduler() (sched.Policy, error) {
	of, err := sched.New(c.Resize)
	return &sched.Polled{Policy: of, Every: c.Poll}, err
}

// config returns the machine under a policy, or under a rule that is carried out.
func (q *Problem) config(p policy.Policy) (machine.Config, error) {
	by, carried := p.(Carried)
	if !carried {
		return q.Config(p)
	}
	c, err := q.Config(by.Resize)
	if c.Policy = by; by.Restart > 0 {
		c.Costs = machine.AtLeast(c.Costs, by.Restart)
	}
	return c, err
}

// Loss is what a rule loses by how it is carried out.
type Loss struct {
	By    Carried
	Value metric.Interval   // of the objective; not set where the jobs cannot keep up
	Worse metric.Interval   // Value / that of the rule − 1, of the same jobs
	Gains []metric.Interval // 1 − Value / that of the policy, for each of [Advice.Gains]: what is left of the rule's gain
	// Unstable says that the queue grew without end: the rule is of no use if it is carried out like this.
	Unstable bool
}

// losses simulates the rule as it is carried out in several ways, each way once.
func (c *comparison) losses(ctx context.Context, rule policy.Policy, gains []Gain, ways []Carried) ([]Loss, error) {
	all := make([]Loss, len(ways))
	for i, way := range ways {
		var many *des.TooManyError
		switch err := c.add(ctx, c.o.compared(), way); {
		case errors.As(err, &many):
			all[i] = Loss{By: way, Unstable: true}
		case err != nil:
			return nil, err
		default:
			all[i] = Loss{By: way, Value: c.value(way), Worse: c.quotient(way, rule, func(x float64) float64 { return x - 1 })}
			for _, g := range gains {
				all[i].Gains = append(all[i].Gains, c.quotient(way, g.Over, less))
			}
		}
	}
	return all, nil
}
