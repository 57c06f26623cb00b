package replay

import (
	"context"
	"math"
	"sort"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/metric"
)

// p95 is the name of the measure that [Study.FewestNodes] compares: the 95th percentile of the response time.
var p95 = measure.ResponseTimePercentile(0.95)

// SameP95 says how many nodes a policy needs for the 95th percentile of the response time that EASY has on all nodes.
// Low and High are the ends of the interval of Nodes, and 0 for several replications. A number is 0 if no number of
// nodes is enough. If the log has too few jobs for an interval, High is 0. Low is then the fewest nodes on which the
// policy can run all jobs. Needed is the number of nodes below which some job cannot run.
type SameP95 struct{ Nodes, Low, High, Needed int }

// FewestNodes finds how many nodes a policy saves. For each run it searches the fewest nodes on which the 95th
// percentile of the response time is no longer than EASY's. EASY runs on all nodes of the run. It sets SameP95 of the
// runs, which [Study.Run] has made. workers searches run at a time, one for each processor if it is 0. s.Done and
// s.Ended are not called.
//
// The search is a bisection between the nodes that some job needs and all nodes. It assumes that more nodes do no harm.
// The interval begins at the fewest nodes on which the percentile is not significantly longer. It ends at the fewest
// nodes on which the percentile is significantly not longer. The test compares the shares of jobs that take longer than
// EASY's percentile, on the same jobs under both policies.
//
// The error is a *[SettingError] for a log in pools or a study of several numbers of nodes. It may say that a run is
// nil or has no results. It may also be any error of [Study.Run]; SameP95 of some runs is incomplete then.
func (s *Study) FewestNodes(ctx context.Context, workers int, runs []*Run) error {
	if err := s.Check(); err != nil {
		return err
	}
	if s.Log.Pools != nil {
		return &SettingError{"pool", "partitions that are machines of their own have no number of nodes together"}
	}
	if len(s.Nodes) > 1 {
		return &SettingError{"nodes", "nodes are searched for one machine, not for several numbers of nodes"}
	}
	if err := s.checkRuns(runs); err != nil {
		return err
	}
	return parallel.Each(ctx, len(runs), workers, func(i int) (err error) {
		run := runs[i]
		if run.SameP95.Needed, err = s.nodesNeeded(run, s.wholeMachine(run)); err != nil {
			return err
		}
		base := run
		if run.Baseline != nil {
			base = run.Baseline
		}
		t := &trials{ctx: ctx, Study: s, of: run, sizes: possibleNodes(run), done: map[int]*Run{}}
		if t.easy, err = t.replayOn(base, base.Nodes, base.Measures[p95]); err != nil {
			return err
		}
		run.SameP95.Nodes = t.fewest(func(trial *Run) bool { return trial.Measures[p95] <= t.easy.deadline })
		if run.isOneReplication() {
			run.SameP95.Low = t.fewest(func(trial *Run) bool { return t.lateShareDifference(trial).Low <= 0 })
			run.SameP95.High = t.fewest(func(trial *Run) bool { return t.lateShareDifference(trial).High <= 0 })
		}
		return t.failed
	})
}

// trials are the replays of one policy on fewer nodes, which [Study.FewestNodes] compares with EASY on all nodes. One
// trial belongs to each number of nodes.
type trials struct {
	*Study
	ctx    context.Context
	of     *Run
	easy   *Run         // EASY on all nodes, which counts the jobs that take longer than its percentile
	sizes  []int        // numbers of nodes on which the policy can run all jobs, ascending
	done   map[int]*Run // the replays so far, by number of nodes
	failed error        // the first error of a replay
}

// replayOn replays the policy and the assumptions of run like on the given nodes, and returns the new run with its
// results. Its log counts the jobs whose response time exceeds the deadline, in seconds, as late. The functions Done
// and Ended of the study are not called. The error comes from [Study.replay]; the run beside it is incomplete.
func (t *trials) replayOn(like *Run, nodes int, deadline float64) (*Run, error) {
	trial := &Run{Setting: like.Setting, Load: like.Load, deadline: deadline, replications: like.replications}
	trial.Nodes = nodes
	quiet := *t.Study
	quiet.Done, quiet.Ended, quiet.Groupings = nil, nil, nil
	return trial, quiet.replay(t.ctx, trial, quiet.loggedWaits)
}

// fewest returns the fewest nodes of t.sizes on which a condition holds for the run of the policy. The condition must
// hold on all larger numbers of nodes, too. The result is 0 if the condition holds nowhere, or if a replay failed, now
// or in an earlier search. The first error is stored in t.failed. The search is a bisection: it makes the replays that
// it needs and stores them in t.done. The log of each replay counts response times above t.easy.deadline, in seconds,
// as late. The condition is called with complete replays only.
func (t *trials) fewest(holds func(*Run) bool) int {
	k := sort.Search(len(t.sizes), func(k int) bool {
		trial := t.done[t.sizes[k]]
		if trial == nil && t.failed == nil {
			trial, t.failed = t.replayOn(t.of, t.sizes[k], t.easy.deadline)
			t.done[t.sizes[k]] = trial
		}
		return t.failed != nil || holds(trial)
	})
	if t.failed != nil || k == len(t.sizes) {
		return 0
	}
	return t.sizes[k]
}

// lateShareDifference returns a share of jobs in a trial minus the same share under EASY on all nodes: the jobs whose
// response time exceeds the 95th percentile of EASY. The interval, by the jackknife, has the level
// [measure.Confidence], and is infinite if there are too few jobs. The trial is significantly longer if the low end is
// above 0, and significantly not longer if the high end is at most 0.
func (t *trials) lateShareDifference(trial *Run) metric.Interval {
	e, err := trial.Log.LateBeside(t.easy.Log, measure.Confidence)
	if err != nil {
		return metric.Interval{Low: math.Inf(-1), High: math.Inf(1)}
	}
	return e
}

// possibleNodes returns the numbers of nodes on which the policy of run r can run all jobs of the log, in ascending
// order. They lie between r.SameP95.Needed, which must be set and which some job needs, and r.Nodes, the nodes of the
// run. They are multiples of [Setting.dividesBy].
func possibleNodes(r *Run) []int {
	unit := r.dividesBy()
	var sizes []int
	for n := r.SameP95.Needed; n <= r.Nodes; n++ {
		if n%unit == 0 && r.Policy.Check(policy.Machine{Nodes: n, Unit: unit}) == nil {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// nodesNeeded returns the largest of the fewest nodes on which the jobs can run; at least 1. Jobs of a part count: a
// pool, or the whole machine. A rigid job runs on the nodes that it asked for alone; the setting of run r says which
// jobs can run on fewer. The error comes from reading the log, or from the shape of a job.
func (s *Study) nodesNeeded(r *Run, on part) (int, error) {
	offered, err := s.Log.At(0)
	if err != nil {
		return 0, err
	}
	shape, i, needed := r.Shape(), 0, 1
	for from, err := range offered.Jobs() {
		if err != nil {
			return 0, err
		}
		j, err := shape.Job(i, from)
		if err != nil {
			return 0, err
		}
		if s.Log.poolOf(i) == on.number {
			needed = max(needed, j.Least(0))
		}
		i++
	}
	return needed, nil
}
