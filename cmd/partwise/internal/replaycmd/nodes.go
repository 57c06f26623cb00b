package replaycmd

import (
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/estimate"
)

// p95 is the measure that machines are compared by.
var p95 = measure.ResponseTimePercentile(0.95)

// sameP95 are the nodes on which a policy has the 95th percentile of the response time that EASY has on all nodes, and
// their interval; 0 where there are none, or where the log says too little.
type sameP95 struct{ nodes, low, high int }

// searchNodes finds, for each run, the fewest nodes on which the 95th percentile of the response time is not longer than
// that of EASY on all nodes, by bisection between the nodes that some job cannot do without and the machine: more nodes
// are taken to do no harm. The interval reaches from the fewest nodes on which the percentile is not significantly longer
// to the fewest on which it is not longer and significantly not so: by the jobs that take longer than EASY's percentile,
// the same jobs under both.
func searchNodes(inv *cli.Invocation, r *logReplay, runs []*replayResult) error {
	return parallel.Each(inv.Context, len(runs), inv.Workers, func(i int) (err error) {
		run := runs[i]
		if run.needed, err = r.needed(inv, run); err != nil {
			return err
		}
		base := run
		if run.easy != nil {
			base = run.easy
		}
		t := &trials{inv: inv, logReplay: r, of: run, sizes: r.machines(run), done: map[int]*replayResult{}}
		if t.easy, err = t.try(base, base.nodes, base.measures[p95]); err != nil {
			return err
		}
		run.sameP95.nodes = t.fewest(func(trial *replayResult) bool { return trial.measures[p95] <= t.easy.deadline })
		if r.replications == 1 {
			run.sameP95.low = t.fewest(func(trial *replayResult) bool { return t.longer(trial).Low <= 0 })
			run.sameP95.high = t.fewest(func(trial *replayResult) bool { return t.longer(trial).High <= 0 })
		}
		return t.failed
	})
}

// trials are runs of a policy on fewer nodes.
type trials struct {
	*logReplay
	inv    *cli.Invocation
	of     *replayResult
	easy   *replayResult // on all nodes, told which jobs take longer than its percentile
	sizes  []int
	done   map[int]*replayResult
	failed error
}

// try runs a policy on some nodes, its deadline being EASY's percentile.
func (t *trials) try(like *replayResult, nodes int, deadline float64) (*replayResult, error) {
	trial := &replayResult{policy: like.policy, entry: like.entry, load: like.load, share: like.share, cost: like.cost, nodes: nodes,
		deadline: deadline}
	return trial, t.run(t.inv, trial, nil)
}

// fewest returns the fewest nodes on which something holds of the policy; 0 if it does on none.
func (t *trials) fewest(holds func(trial *replayResult) bool) int {
	k := sort.Search(len(t.sizes), func(k int) bool {
		trial := t.done[t.sizes[k]]
		if trial == nil && t.failed == nil {
			trial, t.failed = t.try(t.of, t.sizes[k], t.easy.deadline)
			t.done[t.sizes[k]] = trial
		}
		return t.failed != nil || holds(trial)
	})
	if t.failed != nil || k == len(t.sizes) {
		return 0
	}
	return t.sizes[k]
}

// longer returns by how much the share of jobs that take longer than EASY's percentile exceeds that under EASY.
func (t *trials) longer(trial *replayResult) estimate.Interval {
	e, err := trial.log.LateBeside(t.easy.log, replayConfidence)
	if err != nil {
		return estimate.Interval{Low: math.Inf(-1), High: math.Inf(1)}
	}
	return e
}

// words says on how many nodes, and how certain that is.
func (s sameP95) words() string {
	switch {
	case s.nodes == 0:
		return "more"
	case s.low == 0 || s.high == 0:
		return strconv.Itoa(s.nodes)
	}
	return fmt.Sprintf("%d (%d to %d)", s.nodes, s.low, s.high)
}

// machines returns the numbers of nodes on which a policy can run all jobs, up to those of the log.
func (r *logReplay) machines(run *replayResult) []int {
	unit := 1
	if r.divides(run) {
		unit = r.unit
	}
	var sizes []int
	for n := run.needed; n <= r.log.Nodes; n++ {
		if n%unit == 0 && run.policy.Check(policy.Machine{Nodes: n, Unit: unit}) == nil {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// needed returns the nodes without which some job cannot run: those of the largest rigid one, or the least of a
// malleable one.
func (r *logReplay) needed(inv *cli.Invocation, run *replayResult) (int, error) {
	in, closeLog, err := r.log.Jobs(inv, 0)
	if err != nil {
		return 0, err
	}
	defer closeLog()
	jobs, needed := workload.FromLog(in, r.shape(run)), 1
	for {
		var j workload.Job
		switch err := jobs.Next(&j); {
		case errors.Is(err, io.EOF):
			return needed, nil
		case err != nil:
			return 0, err
		}
		needed = max(needed, j.Least(0))
	}
}

// within gives on jobs to a machine that may have fewer nodes than that of the log.
func within(in workload.Source, nodes int) workload.Source {
	return workload.SourceFunc(func(j *workload.Job) error {
		err := in.Next(j)
		if err == nil {
			j.Within(nodes)
		}
		return err
	})
}
