package advise

import (
	"context"
	"errors"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/sched"
)

// Carried is a rule as a system carries it out. With nothing but the rule it is the rule itself.
type Carried struct {
	policy.Resize         // the rule, or what is left of it
	Poll          float64 // the time from one look at the queue to the next; 0: the queue is looked at whenever it changes
	// Shrink and Expand are the shortest times for which a job stops that is made smaller, or larger; 0: as the costs
	// of the problem say.
	Shrink, Expand float64
	Width          sched.Width // the nodes of jobs where the rule does not divide the machine
	Uncapped       bool        // the cap of the rule does not bound the jobs
}

// Scheduler returns the scheduler, for one run, that decides as the system does that carries the rule out. It divides
// the machine by the rule or, for another Width than Divided, acts as [sched.NewSettings] describes. With Poll above 0
// it decides at polls only. The error comes from [sched.New].
func (c Carried) Scheduler() (sched.Policy, error) {
	of, err := sched.New(c.Resize)
	if c.Width != sched.Divided {
		of = sched.NewSettings(c.Resize, c.Width, c.Uncapped)
	}
	if c.Poll > 0 {
		of = sched.NewPolled(of, c.Poll)
	}
	return of, err
}

// config returns the machine under policy p. Under a [Carried] rule, its scheduler is the policy of the machine, and
// resizes take at least its times Shrink and Expand. The error comes from q.Config; the machine beside it must not be
// used.
func (q *Problem) config(p policy.Policy) (machine.Config, error) {
	by, carried := p.(Carried)
	if rule, plain := p.(policy.Resize); plain {
		return q.ofRule(rule)
	}
	if !carried {
		return q.Config(p)
	}
	c, err := q.ofRule(by.Resize)
	c.Policy = by
	if by.Shrink > 0 || by.Expand > 0 {
		c.Costs = machine.AtLeast(c.Costs, by.Shrink, by.Expand)
	}
	return c, err
}

// ofRule returns the machine under a rule. If floor and cap are equal, the rule resizes no job and is a static split.
// Then the jobs have the set-up that q.Config returns for this split, so that both have the same results. The error
// comes from q.Config.
func (q *Problem) ofRule(r policy.Resize) (machine.Config, error) {
	c, err := q.Config(r)
	if err != nil || r.Cap == 0 || r.Floor != r.Cap {
		return c, err
	}
	split, err := q.Config(policy.Static{Partitions: r.Cap})
	c.Setup = split.Setup
	return c, err
}

// Loss is what a rule loses by how it is carried out.
type Loss struct {
	Value metric.Interval   // of the objective; not set where the jobs cannot keep up
	Worse metric.Interval   // Value / value of the rule − 1, of the same jobs
	Gains []metric.Interval // 1 − Value / value of the policy, for each of [Advice.Gains]: what is left of the rule's gain
	// Unstable says that the queue grew without end: the rule is of no use if it is carried out like this.
	Unstable bool
}

// stable returns a *[models.UnstableError] if a way is unstable whose jobs keep the free nodes of their start. It is
// unstable if static partitions of the most nodes of a job are unstable. The result is nil for any other way.
func (q *Problem) stable(way Carried) error {
	if way.Width != sched.Free {
		return nil
	}
	// A job that finds the machine empty takes the most nodes, and the jobs that wait then take its place, one by one.
	var unstable *models.UnstableError
	if _, err := q.Config(policy.Static{Partitions: way.Shares(1, q.Machine.Partitions())}); errors.As(err, &unstable) {
		return err
	}
	return nil
}

// withoutBounds returns a way without its bounds Shrink and Expand if no resize takes less time by the costs of the problem
// anyway. Both ways are then the same run. The costs must be a list of [machine.Resizes]; otherwise the way is returned as
// it is.
func (q *Problem) withoutBounds(way Carried) Carried {
	bare := way
	bare.Shrink, bare.Expand = 0, 0
	c, err := q.config(bare)
	costs, listed := c.Costs.(machine.Resizes)
	if err != nil || !listed || len(costs) == 0 {
		return way
	}
	for _, x := range costs {
		if x.Shrink < way.Shrink || x.Expand < way.Expand {
			return way
		}
	}
	return bare
}

// losses simulates the rule as it is carried out in each of the ways. It compares each way with the rule and with the
// policies of gains, which must be in c.all. The result has an entry for each way, in their order. An unstable way, or
// a way whose waiting jobs do not fit into memory, has only Unstable set. The error comes from [comparison.addWays].
func (c *comparison) losses(ctx context.Context, rule policy.Policy, gains []Gain, ways []Carried) ([]Loss, error) {
	unstable, err := c.addWays(ctx, ways)
	if err != nil {
		return nil, err
	}
	all := make([]Loss, len(ways))
	for i, way := range ways {
		if unstable[i] {
			all[i] = Loss{Unstable: true}
			continue
		}
		all[i] = Loss{Value: c.value(way), Worse: c.quotient(way, rule, more)}
		for _, g := range gains {
			all[i].Gains = append(all[i].Gains, c.quotient(way, g.Over, less))
		}
	}
	return all, nil
}

// addWays simulates the rule as it is carried out in each of the ways, concurrently, on as many jobs as the rule. The
// candidates are appended to c.all. A way that is the same run as a way before it, by [Problem.withoutBounds], shares its
// results. The result has an entry for each way: whether it is unstable, or its waiting jobs do not fit into memory. Such a
// way may be missing in c.all. The error comes from [Problem.newCandidate] or [candidate.lengthen].
func (c *comparison) addWays(ctx context.Context, ways []Carried) (unstable []bool, err error) {
	unstable = make([]bool, len(ways))
	begun := len(c.all)
	same := map[Carried]*candidate{} // whose results ways share
	for i, way := range ways {
		err := c.stable(way)
		if err == nil && c.of(way) == nil && same[way] == nil {
			if x := c.of(c.withoutBounds(way)); x != nil {
				same[way] = x
			} else {
				err = c.start(way)
			}
		}
		if unstable[i] = errors.As(err, new(*models.UnstableError)); err != nil && !unstable[i] {
			return nil, err
		}
	}
	added := c.all[begun:]
	err = parallel.Each(ctx, len(added), c.o.Workers, func(i int) error { return added[i].lengthenInMemory(ctx, c.blocks(c.o.compared())) })
	for i, way := range ways {
		if x := same[way]; x != nil && c.of(way) == nil {
			shared := *x
			shared.policy = way
			c.all = append(c.all, &shared)
		}
		unstable[i] = unstable[i] || c.of(way) != nil && c.of(way).full
	}
	return unstable, err
}
