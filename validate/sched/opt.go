package sched

import (
	"fmt"
	"slices"
)

// opt is OPT-EPOCH(k): of the schedules in epochs in which no two jobs differ by more than k nodes, one with the fewest
// epochs. With k = 0, when all jobs of an epoch get equally many nodes, the fewest epochs f(i) for the jobs from the i-th
// largest on are
//
//	f(i) = 1 + min f(i+h),   h | N, h·M_i ≤ N.
//
// (The report ends its search at the first epoch that takes the largest jobs without a gap. With k = 0 that can miss
// the best schedule.) With k ≥ 1 a depth-first search, see [LimitError], finds it.
//
// Reference: section 4.2 of the report.
type opt struct {
	K int
	order
	divisors
	search
	fewest, take []int // from the i-th largest job on: epochs, and jobs in the first of them
}

// Spread returns k.
func (o *opt) Spread() int { return o.K }

// LimitError says that the search for an optimal schedule has taken too long, about half a second. The number of ways to
// load an epoch grows exponentially with k and the number of jobs, and yet few problems need many of them: on 128 nodes,
// and with jobs that need four times as many together, the search is too long for some problems of 32 jobs with k = 16,
// and for some of 64 jobs with k = 8.
type LimitError struct{ K, Jobs, Tried int }

func (e *LimitError) Error() string {
	return fmt.Sprintf("sched: no optimal schedule of %d jobs with k = %d found in %d ways to load an epoch",
		e.Jobs, e.K, e.Tried)
}

// Schedule makes the schedule. The error is a *[LimitError] if the search takes too long.
func (o *opt) Schedule(p EpochProblem, s *EpochSchedule) error {
	if err := p.Check(); err != nil {
		return err
	}
	s.begin(p)
	jobs := o.descending(p.Min)
	if o.K == 0 {
		o.evenly(p, s, jobs)
		return nil
	}
	return o.find(p, s, jobs, o.K)
}

// evenly makes the schedule for k = 0. Of epochs that are as good the one with the most jobs is taken.
func (o *opt) evenly(p EpochProblem, s *EpochSchedule, jobs []int) {
	divisors := o.of(p.Nodes)
	o.fewest, o.take = zeros(o.fewest, len(jobs)+1), zeros(o.take, len(jobs))
	for i := len(jobs) - 1; i >= 0; i-- {
		o.fewest[i] = len(jobs) + 1
		for _, h := range slices.Backward(divisors) {
			if i+h <= len(jobs) && h*p.Min[jobs[i]] <= p.Nodes && 1+o.fewest[i+h] < o.fewest[i] {
				o.fewest[i], o.take[i] = 1+o.fewest[i+h], h
			}
		}
	}
	for i := 0; i < len(jobs); i += o.take[i] {
		s.evenEpoch(i, jobs[i:i+o.take[i]])
	}
}

// Tried returns how many ways to load an epoch the last schedule took with k ≥ 1: as many as it has epochs if none was
// tried in vain.
func (o *opt) Tried() int { return o.tried }
