package replay

import (
	"context"
	"slices"
	"sync"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/machine"
)

// BytesPresent is the number of bytes that a job takes that waits or runs in a replay, with garbage. The memory that replays may
// take, divided by it, is the [Study.Present] to set.
const BytesPresent = 2000

// Study is a log with the policies that run its jobs, and with the assumptions about the jobs. All policies run at all
// loads, on all numbers of nodes. Policies that resize jobs also run with all costs and all shares of malleable jobs.
type Study struct {
	Log      *Log
	Unit     int // partitions are multiples of so many nodes; 0: 1
	Policies []policy.Policy
	Table    policy.Table // with an entry for each of the policies; nil: [policy.Standard]
	Loads    []float64    // relative to the nodes of the log; empty: as logged
	Nodes    []int        // of the machine, each at least the nodes of the log; empty: the nodes of the log
	Shares   []float64    // shares of malleable jobs; empty: policies resize all jobs
	Costs    []Cost       // costs of a resize; empty: the cost of the assumptions
	Assumptions

	Estimates      func() workload.Estimator // makes the estimates of run times with which policies plan; nil: the estimates of the log
	KillAtEstimate bool
	Replications   int       // number of replications, which differ in random estimates; 0: 1
	Deadline       float64   // of response times, in seconds; 0: no deadline
	Seed           uint64    // of random estimates, and of which jobs are malleable
	Present        int       // largest number of jobs in the system at a time; 0: any number; see [BytesPresent]
	Brief          bool      // runs record response and waiting times alone, as the steps of a search do: no Waits, no Groups
	BriefShares    []float64 // those of Shares whose runs are brief, too
	Unpaired       bool      // EASY runs only if it is one of the policies, and runs have no Baseline
	Percentiles    bool      // runs keep what intervals of percentiles need, see [Run.Estimates]: up to a megabyte each
	// Sample, if not nil, is weeks of a long log, made by [Study.DrawSample]. WorthInNodes searches in these weeks, and replays
	// the whole log near what it finds. Breakevens replays the whole log at few costs. Foretell replays these weeks alone.
	Sample    *Sample
	Groupings []Grouping // of the jobs; runs have results for each group, see [Log.Groupings]
	// Known are runs with results. A run of the study that equals a known run takes its results, and is not replayed.
	// Known runs come from a study with the same log or sample, whose other settings are the same.
	Known []*Run

	// Done, if not nil, is called for each job that ends in the first replication of a run. Ended, if not nil, is
	// called for each job that ends in any replication. Several runs may call them at a time. The run in the call is
	// one of the runs that [Study.Run] returns.
	Done  func(*Run, *machine.Record)
	Ended func()
	// Foreseen, if not nil, is called after each replay of [Study.Breakevens], one call at a time. done is the number
	// of seconds that the replays took, left about the number of seconds that are left.
	Foreseen func(done, left float64)
}

// Runs returns the runs of the study without results. Each policy has a run at each load and number of nodes. A policy
// that resizes jobs has a run there for each share and cost. The runs are ordered by load, then by number of nodes,
// policy, cost and share. Unless EASY is one of the policies, its runs stand at the end.
//
// The Baseline of a run is EASY at the same load and number of nodes. An Unpaired study has neither. OnFirst is EASY at the same
// load on the first number of nodes, if there are several.
func (s *Study) Runs() []*Run {
	loads := s.Loads
	if len(loads) == 0 {
		loads = []float64{0}
	}
	var baselines, runs []*Run
	for _, load := range loads {
		first := len(baselines)
		for _, nodes := range s.nodeNumbers() {
			easy := s.newRun(policy.EASY{}, load)
			easy.Nodes = nodes
			baselines = append(baselines, easy)
			if len(s.Nodes) > 1 {
				easy.OnFirst = baselines[first]
			}
			runs = append(runs, s.runsBeside(easy)...)
		}
	}
	for _, easy := range baselines {
		if !s.Unpaired && !slices.Contains(runs, easy) {
			runs = append(runs, easy)
		}
	}
	return runs
}

// nodeNumbers returns the numbers of nodes of the machine on which the runs are made: s.Nodes or, if it is empty, the
// nodes of the log alone.
func (s *Study) nodeNumbers() []int {
	if len(s.Nodes) > 0 {
		return s.Nodes
	}
	return []int{s.Log.Nodes}
}

// runsBeside returns the runs of all policies of the study at the load and on the nodes of easy, a run of EASY. easy
// becomes their Baseline. Where EASY is one of the policies, the result holds easy itself. A policy that resizes jobs
// has a run for each cost and share. The runs have no results: they are not replayed yet.
func (s *Study) runsBeside(easy *Run) (runs []*Run) {
	for _, p := range s.Policies {
		one := s.newRun(p, easy.Load)
		if one.Nodes, one.OnFirst = easy.Nodes, easy.OnFirst; !s.Unpaired {
			one.Baseline = easy
		}
		switch {
		case p == easy.Policy:
			runs = append(runs, easy)
		case !one.Resizes():
			runs = append(runs, one)
		default:
			runs = append(runs, s.withCostsAndShares(*one)...)
		}
	}
	return runs
}

// newRun returns a run of policy p that has not been replayed, with the nodes of the log and the assumptions of the
// study. load is the load to which the log is brought; 0 is the load of the log. Resizing is free, whatever the
// assumptions say; [Study.withCostsAndShares] sets the cost. The run has no baseline.
func (s *Study) newRun(p policy.Policy, load float64) *Run {
	r := &Run{Load: load, replications: s.Replications, searched: s.Brief,
		Setting: Setting{Policy: p, Table: s.Table, Nodes: s.Log.Nodes, Unit: s.Unit, Seed: s.Seed, Assumptions: s.Assumptions}}
	r.Cost = freeCost()
	return r
}

// costs returns the costs of a resize with which policies run: s.Costs or, if it is empty, the cost of the assumptions
// alone.
func (s *Study) costs() []Cost {
	if len(s.Costs) > 0 {
		return s.Costs
	}
	return []Cost{s.Cost}
}

// withCostsAndShares returns copies of one, the run of a policy that resizes jobs, which differ in Cost and Share. A copy
// is made for each cost in [Study.costs] and each share in s.Shares, ordered by cost first. A study without costs has one
// cost: the cost of its assumptions. Without shares all jobs are malleable: Share is 1, and Mixed is false.
func (s *Study) withCostsAndShares(one Run) []*Run {
	shares := s.Shares
	if one.Mixed = len(shares) > 0; !one.Mixed {
		shares = []float64{1}
	}
	var runs []*Run
	for _, cost := range s.costs() {
		for _, share := range shares {
			run := one
			run.Share, run.Cost = share, cost
			run.searched = run.searched || slices.Contains(s.BriefShares, share)
			runs = append(runs, &run)
		}
	}
	return runs
}

// Run replays all runs of [Study.Runs] and returns them with their results. workers replays run at a time, one for each
// processor if it is 0. The results do not depend on the number of workers. Functions of the study such as Done and
// Ended are called meanwhile.
//
// The error comes from [Study.Check], from reading the log, or from ctx, or is a *[RunError] if a policy cannot run the
// jobs. It is a *[SettingError] if a cost or a load does not fit the machine. It is a *[workload.DataError] if the log
// has no load that could be changed. The runs are nil beside an error.
func (s *Study) Run(ctx context.Context, workers int) ([]*Run, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	runs := s.Runs()
	if err := s.replayAll(ctx, runs, workers); err != nil {
		return nil, err
	}
	return runs, nil
}

// replayAll sets the results of the given runs, by [Study.obtain] on up to workers goroutines, one for each processor
// if it is 0. After a failure no further run is begun, and some runs have no results. The error comes from the first
// run in the list that failed, or from ctx.
func (s *Study) replayAll(ctx context.Context, runs []*Run, workers int) error {
	logged := sync.OnceValue(s.loggedWaits)
	return parallel.Each(ctx, len(runs), workers, func(i int) error { return s.obtain(ctx, runs[i], logged) })
}

// obtain sets the results of run r. They are copied from a known run with the same jobs, policy and assumptions; see
// [Study.knownAs]. s.Ended is not called then. Without such a run, r is replayed, and its waits are compared with the
// waits that logged returns. The error comes from [Study.replay].
func (s *Study) obtain(ctx context.Context, r *Run, logged func() *loggedWaits) error {
	if same := s.knownAs(r); same != nil {
		r.takeResults(same)
		return nil
	}
	return s.replay(ctx, r, logged)
}
