package sched

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/partwise/partwise/models/policy"
)

// EpochPolicy makes schedules. It keeps scratch storage between calls, so only one goroutine may use it at a time.
type EpochPolicy interface {
	// Spread returns k, the largest difference between the numbers of nodes of two jobs in an epoch. It is 0 if all jobs
	// get equal shares of the quantum.
	Spread() int
	// Schedule replaces s by the schedule of a problem. The error comes from [EpochProblem.Check], says that the number
	// of nodes has to be a power of two, or wraps a *[parallel.LimitError].
	Schedule(p EpochProblem, s *EpochSchedule) error
}

// epochPolicy makes schedules by a rule.
type epochPolicy struct {
	rule   epochRule
	spread int
	search
	jobs, group  []int // jobs in order; some of them that are scheduled together
	fewest, take []int // for the jobs from the i-th largest on: fewest epochs, and number of jobs in the first epoch
}

// zeros returns n zero values. It overwrites list and uses its storage if that is large enough.
func zeros[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// ascending returns the indices of the jobs of a problem, the job that needs the fewest nodes first. least holds the
// nodes that each job needs. Equal jobs keep their order. The result, in e.jobs, is valid until the next call.
func (e *epochPolicy) ascending(least []int) []int {
	e.jobs = e.jobs[:0]
	for j := range least {
		e.jobs = append(e.jobs, j)
	}
	slices.SortStableFunc(e.jobs, func(a, b int) int { return least[a] - least[b] })
	return e.jobs
}

// descending returns a copy of the given indices of jobs, the job that needs the most nodes first. least holds the
// nodes that each job needs. Equal jobs keep their order. The result, in e.group, is valid until the next call.
func (e *epochPolicy) descending(jobs, least []int) []int {
	e.group = append(e.group[:0], jobs...)
	slices.SortStableFunc(e.group, func(a, b int) int { return least[b] - least[a] })
	return e.group
}

// epochRule is a rule of the report. fill fills an empty schedule for a valid problem.
type epochRule struct {
	name   policy.EpochRule
	powers bool // the nodes must be a power of two
	fill   func(*epochPolicy, EpochProblem, *EpochSchedule) error
}

// epochRules is the table of the rules, by name.
var epochRules = []epochRule{
	{policy.Buddy, true, (*epochPolicy).buddy},
	{policy.Hybrid, true, (*epochPolicy).hybrid},
	{policy.EquiEpoch, false, (*epochPolicy).equi},
	{policy.OptEpoch, false, (*epochPolicy).opt},
	{policy.HeuristicEpoch, false, (*epochPolicy).heuristic},
}

// NewEpochPolicy returns the rule that p names, which makes schedules of a quantum. Only one goroutine may use it at a
// time. BUDDY of the table of policies is BUDDY*, which takes any number of jobs. The error says that the rule is
// unknown.
func NewEpochPolicy(p policy.Epochs) (EpochPolicy, error) {
	for _, rule := range epochRules {
		if rule.name == p.Rule {
			return &epochPolicy{rule: rule, spread: p.Spread}, nil
		}
	}
	return nil, fmt.Errorf("sched: there is no rule %q", string(p.Rule))
}

// Spread returns k, the largest difference between the numbers of nodes of two jobs in an epoch; 0 for rules without k.
func (e *epochPolicy) Spread() int { return e.spread }

// Schedule overwrites s with the schedule of the jobs of p by the rule. The error comes from [EpochProblem.Check]; s is
// then unchanged. BUDDY and HYBRID(k) also refuse a number of nodes that is not a power of two. The error of
// OPT-EPOCH(k) wraps a *[parallel.LimitError] if its search tries too many epochs; s then has no pieces.
func (e *epochPolicy) Schedule(p EpochProblem, s *EpochSchedule) error {
	if err := p.Check(); err != nil {
		return err
	}
	if e.rule.powers && p.Nodes&(p.Nodes-1) != 0 {
		return fmt.Errorf("sched: %s needs a number of nodes that is a power of two, not %d", e.rule.name, p.Nodes)
	}
	s.Nodes, s.Pieces = p.Nodes, s.Pieces[:0]
	return e.rule.fill(e, p, s)
}

// buddy appends the schedule of problem p by BUDDY*, which extends BUDDY to any number of jobs, to s. The number of
// jobs is a sum of powers of two. The jobs, from the smallest to the largest, are put into sets of these sizes, the
// largest set first. Each set has the BUDDY schedule, see [frontier.addBuddySchedule], for its share of the quantum.
// p.Nodes must be a power of two, which Schedule checks before. e.jobs and e.group are overwritten. The error is always
// nil.
//
// Reference: section 3.2 of the report.
func (e *epochPolicy) buddy(p EpochProblem, s *EpochSchedule) error {
	jobs := e.ascending(p.Min)
	for start := 0; start < len(jobs); {
		size := largestPower(len(jobs) - start)
		new(frontier).addBuddySchedule(p, s, start, e.descending(jobs[start:start+size], p.Min))
		start += size
	}
	return nil
}

// hybrid appends the schedule of problem p by HYBRID(k) to s. BUDDY schedules the smallest jobs, as many as the largest
// power of two. HEURISTIC-EPOCH(k) schedules the others. Each gets its share of the quantum. p.Nodes must be a power of
// two, which Schedule checks before. e.jobs and e.group are overwritten. The error is always nil.
//
// Reference: section 3.2 of the report.
func (e *epochPolicy) hybrid(p EpochProblem, s *EpochSchedule) error {
	jobs := e.ascending(p.Min)
	size := largestPower(len(jobs))
	new(frontier).addBuddySchedule(p, s, 0, e.descending(jobs[:size], p.Min))
	s.loadEpochs(p, size, e.descending(jobs[size:], p.Min), e.spread)
	return nil
}

// largestPower returns the largest power of two that is at most n.
func largestPower(n int) int { return 1 << (bits.Len(uint(n)) - 1) }

// equi appends the schedule of problem p by EQUI-EPOCH to s: all jobs of an epoch get equally many nodes. From the
// smallest job on, each epoch takes as many jobs as it can. If the number of nodes is a power of two, no other schedule
// in epochs of equal shares has fewer epochs. e.jobs is overwritten. The error is always nil.
//
// Reference: section 4.1 of the report.
func (e *epochPolicy) equi(p EpochProblem, s *EpochSchedule) error {
	s.loadEvenEpochs(p, 0, e.ascending(p.Min))
	return nil
}

// heuristic appends the schedule of problem p by HEURISTIC-EPOCH(k) to s. From the largest job on, each epoch takes
// every job that still fits. If the first job of an epoch needs A nodes, a job of the epoch that needs M nodes gets at
// least max(M, A−k, 1). The nodes that are left are divided evenly; the remainder goes to the jobs with the fewest
// nodes. With k = 0 an epoch takes the next h jobs; h is the largest divisor of the number of nodes for which they fit.
// e.jobs and e.group are overwritten. The error is always nil.
//
// Reference: section 4.3 of the report.
func (e *epochPolicy) heuristic(p EpochProblem, s *EpochSchedule) error {
	s.loadEpochs(p, 0, e.descending(e.ascending(p.Min), p.Min), e.spread)
	return nil
}

// opt appends the schedule of problem p by OPT-EPOCH(k) to s. It has the fewest epochs among the schedules in which no
// two jobs of an epoch differ by more than k nodes. With k = 0 all jobs of an epoch get the same number of nodes. Let N
// be the number of nodes, and M_i the least number of nodes of the i-th largest job. The fewest epochs f(i) for the
// jobs from the i-th largest on are
//
//	f(i) = 1 + min f(i+h),   h | N, h·M_i ≤ N.
//
// (The report ends its search at the first epoch that takes the largest jobs without a gap. With k = 0 that can miss
// the best schedule.) With k ≥ 1 a depth-first search finds the schedule; see [search]. e.jobs, e.group and the scratch
// of the rule are overwritten. The error wraps a *[parallel.LimitError] if the search takes too long.
//
// Reference: section 4.2 of the report.
func (e *epochPolicy) opt(p EpochProblem, s *EpochSchedule) error {
	jobs := e.descending(e.ascending(p.Min), p.Min)
	if e.spread > 0 {
		return e.findSchedule(p, s, jobs, e.spread)
	}
	e.fewest, e.take = zeros(e.fewest, len(jobs)+1), zeros(e.take, len(jobs))
	for i := len(jobs) - 1; i >= 0; i-- {
		e.fewest[i] = len(jobs) + 1
		for h := len(jobs) - i; h > 0; h-- { // among equally good epochs, the one with the most jobs is taken
			if p.Nodes%h == 0 && h*p.Min[jobs[i]] <= p.Nodes && 1+e.fewest[i+h] < e.fewest[i] {
				e.fewest[i], e.take[i] = 1+e.fewest[i+h], h
			}
		}
	}
	for i := 0; i < len(jobs); i += e.take[i] {
		s.appendEvenEpoch(i, jobs[i:i+e.take[i]])
	}
	return nil
}

// Tried returns how many ways to fill an epoch OPT-EPOCH(k) with k ≥ 1 tried for the last schedule: how hard the search
// was. It is the number of epochs if the first way always succeeded, and 0 for other rules.
func (e *epochPolicy) Tried() int { return e.tried }
