package epochs

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/sched"
)

// Case is a machine with a number of jobs and what their memory asks for.
type Case struct {
	Nodes      int     // N
	Jobs       int     // J
	LoadFactor float64 // L: the mean of the sum of what all jobs need, relative to the nodes
}

// Most returns M = min(N, ⌊2LN/J⌋ − 1), the largest number of nodes that a job may need. The nodes that a job needs are uniform
// on 1, …, M: then J jobs need L·N nodes on average, unless N is the smaller bound.
func (c Case) Most() int {
	return int(min(float64(c.Nodes), math.Floor(2*c.LoadFactor*float64(c.Nodes)/float64(c.Jobs)*(1+1e-12))-1))
}

// Check returns an error if the jobs of the case need less than a node each.
func (c Case) Check() error {
	if c.Most() < 1 {
		return fmt.Errorf("epochs: %d jobs with the load factor %v need less than a node each on %d nodes", c.Jobs, c.LoadFactor, c.Nodes)
	}
	return nil
}

// The bounds of a case; beyond them a schedule takes long to check.
const (
	MostNodes = 1 << 16
	MostJobs  = 1 << 12
)

// key names the random numbers of a case.
func (c Case) key(seed uint64) des.Key {
	return des.Seed(seed).At(uint64(c.Nodes)).At(uint64(c.Jobs)).At(math.Float64bits(c.LoadFactor))
}

// least draws the number of nodes that a job needs at least, uniform on 1, …, Most.
func (c Case) least(s *des.Stream) int { return 1 + int(s.Float64()*float64(c.Most())) }

// Options say how to do an experiment.
type Options struct {
	Seed         uint64
	Workers      int          // 0: one for each processor; results do not depend on it
	Draws        int          // problems of each case, for overheads
	Replications int          // independent runs, for response times
	Jobs         int          // of a run that are counted, after a tenth as many that are not
	Quantum      float64      // T, for response times; 0: small beside the jobs, so that all progress together
	Table        policy.Table // which says what jobs policies take
}

// planner makes the checked schedules of a policy, for one goroutine.
type planner struct {
	sched.EpochPolicy
	policy   policy.Epochs
	schedule sched.EpochSchedule
}

// newPlanner returns the planner of a policy that makes schedules of a quantum. The error says that another policy makes none.
func newPlanner(p policy.Policy) (*planner, error) {
	epochs, is := p.(policy.Epochs)
	if !is {
		return nil, fmt.Errorf("epochs: %v makes no schedules of a quantum", p)
	}
	rule, err := sched.NewEpochPolicy(epochs)
	return &planner{EpochPolicy: rule, policy: epochs}, err
}

// plan makes the schedule of a problem, checks it, and keeps it in p.schedule until the next call. The error names the
// policy.
func (p *planner) plan(problem sched.EpochProblem) error {
	err := p.Schedule(problem, &p.schedule)
	if err == nil {
		err = p.schedule.Check(problem, p.Spread())
	}
	if err != nil {
		return fmt.Errorf("epochs: %s: %w", p.policy, err)
	}
	return nil
}

// Schedule returns the checked schedule of a quantum for a problem, made by a policy of epochs.
func Schedule(problem sched.EpochProblem, p policy.Policy) (sched.EpochSchedule, error) {
	plans, err := newPlanner(p)
	if err == nil {
		err = plans.plan(problem)
	}
	if err != nil {
		return sched.EpochSchedule{}, err
	}
	return plans.schedule, nil
}
