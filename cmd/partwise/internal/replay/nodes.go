package replay

import (
	"errors"
	"io"
	"sort"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
)

// searchNodes finds, for each run, the fewest nodes on which the 95th percentile of the response time is not longer than
// that of EASY on all nodes, by bisection between the nodes that some job cannot do without and the machine: more nodes
// are taken to do no harm.
func searchNodes(inv *cli.Invocation, r *logReplay, runs []*replayResult) error {
	return parallel.Each(inv.Context, len(runs), inv.Workers, func(i int) error {
		run := runs[i]
		easy := run.easy
		if easy == nil {
			easy = run
		}
		longest := easy.measures[measure.ResponseTimePercentile(0.95)]
		var failed error
		if run.needed, failed = r.needed(inv, run); failed != nil {
			return failed
		}
		sizes := r.machines(run)
		k := sort.Search(len(sizes), func(k int) bool {
			trial := &replayResult{policy: run.policy, entry: run.entry, load: run.load, share: run.share, cost: run.cost,
				nodes: sizes[k]}
			if failed == nil {
				failed = r.run(inv, trial, nil)
			}
			return failed != nil || trial.measures[measure.ResponseTimePercentile(0.95)] <= longest
		})
		if failed == nil && k < len(sizes) {
			run.sameP95 = sizes[k]
		}
		return failed
	})
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
