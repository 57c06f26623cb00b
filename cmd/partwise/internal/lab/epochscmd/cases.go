package epochscmd

import (
	"cmp"
	"fmt"
	"math"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/sched"
)

// Case is a machine with a number of jobs and what their memory asks for.
type Case struct {
	Nodes      int     `key:"nodes"`       // N
	Jobs       int     `key:"jobs"`        // J
	LoadFactor float64 `key:"load_factor"` // L: the mean of the sum of what all jobs need, relative to the nodes
}

// Most returns the largest minimum number of nodes: those of jobs are uniform on 1, …, min(N, ⌊2LN/J⌋ − 1), so that J of
// them need L·N on average where N is no bound.
func (c Case) Most() int {
	return int(min(float64(c.Nodes), math.Floor(2*c.LoadFactor*float64(c.Nodes)/float64(c.Jobs)*(1+1e-12))-1))
}

// Check returns what is wrong with the case.
func (c Case) Check() error {
	switch {
	case c.Nodes < 1 || c.Nodes > mostNodes:
		return fmt.Errorf("epochscmd: %d nodes; there must be 1 to %d", c.Nodes, mostNodes)
	case c.Jobs < 1 || c.Jobs > mostJobs:
		return fmt.Errorf("epochscmd: %d jobs; there must be 1 to %d", c.Jobs, mostJobs)
	case c.Most() < 1:
		return fmt.Errorf("epochscmd: %d jobs with the load factor %v need less than a node each on %d nodes",
			c.Jobs, c.LoadFactor, c.Nodes)
	}
	return nil
}

// The bounds of a case; beyond them a schedule takes long to check.
const (
	mostNodes = 1 << 16
	mostJobs  = 1 << 12
)

// key names the random numbers of a case.
func (c Case) key(seed uint64) des.Key {
	return des.Seed(seed).At(uint64(c.Nodes)).At(uint64(c.Jobs)).At(math.Float64bits(c.LoadFactor))
}

// least draws the minimum number of nodes of a job.
func (c Case) least(s *des.Stream) int { return 1 + int(s.Float64()*float64(c.Most())) }

// Options say how to do an experiment. The zero value works.
type Options struct {
	Seed         uint64
	Workers      int          // 0: one for each processor; results do not depend on it
	Confidence   float64      // of the intervals; 0: 0.9, as in the report
	Draws        int          // problems of each case, for overheads; 0: 20,000
	Replications int          // independent runs, for response times; 0: 20
	Jobs         int          // of a run that are counted, after a tenth as many that are not; 0: 2000
	Quantum      float64      // T, for response times; 0: small beside the jobs, so that all progress together
	Table        policy.Table // which says what jobs policies take; nil: that of this module
	// Progress, if not nil, is called, perhaps from several goroutines at a time, when a case has so many parts done.
	Progress func(done int)
}

func (o Options) withDefaults() Options {
	o.Confidence = cmp.Or(o.Confidence, 0.9)
	o.Draws = cmp.Or(o.Draws, 20_000)
	o.Replications = cmp.Or(o.Replications, 20)
	o.Jobs = cmp.Or(o.Jobs, 2000)
	return o
}

// planner makes the checked schedules of a policy.
type planner struct {
	sched.EpochPolicy
	policy   policy.Epochs
	schedule sched.EpochSchedule
}

// planners returns one for each policy, for one goroutine. All policies make schedules of a quantum.
func planners(policies []policy.Policy) ([]*planner, error) {
	all := make([]*planner, len(policies))
	for i, p := range policies {
		epochs := p.(policy.Epochs)
		rule, err := sched.NewEpochPolicy(epochs)
		if err != nil {
			return nil, err
		}
		all[i] = &planner{EpochPolicy: rule, policy: epochs}
	}
	return all, nil
}

// plan makes the schedule of a problem.
func (p *planner) plan(problem sched.EpochProblem) error {
	err := p.Schedule(problem, &p.schedule)
	if err == nil {
		err = p.schedule.Check(problem, p.Spread())
	}
	if err != nil {
		return fmt.Errorf("epochscmd: %s: %w", p.policy, err)
	}
	return nil
}

// Schedules returns the checked schedule of a problem under each policy. The error names the policy.
func Schedules(p sched.EpochProblem, policies []policy.Policy) ([]sched.EpochSchedule, error) {
	makers, err := planners(policies)
	all := make([]sched.EpochSchedule, len(makers))
	for i, m := range makers {
		if err := m.plan(p); err != nil {
			return nil, err
		}
		all[i] = m.schedule
	}
	return all, err
}
