package replay

import (
	"errors"
	"io"
	"sort"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/swf"
)

// searchNodes finds, for each run, the fewest nodes on which the 95th percentile of the response time is not longer than
// that of EASY on all nodes, by bisection between the largest job and the machine: more nodes are taken to do no harm.
func searchNodes(inv *cli.Invocation, r *logReplay, runs []*replayResult) error {
	largest, err := r.largestJob(inv)
	if err != nil {
		return err
	}
	return parallel.Each(inv.Context, len(runs), inv.Workers, func(i int) error {
		run := runs[i]
		easy := run.easy
		if easy == nil {
			easy = run
		}
		longest := easy.measures[measure.ResponseTimePercentile(0.95)]
		sizes := r.machines(run, largest)
		var failed error
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
func (r *logReplay) machines(run *replayResult, largest int) []int {
	unit := 1
	if r.divides(run) {
		unit = r.unit
	}
	var sizes []int
	for n := largest; n <= r.log.Nodes; n++ {
		if n%unit == 0 && run.policy.Check(policy.Machine{Nodes: n, Unit: unit}) == nil {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// largestJob returns the most nodes that a job of the log asks for.
func (r *logReplay) largestJob(inv *cli.Invocation) (int, error) {
	in, closeLog, err := r.log.Jobs(inv, 0)
	if err != nil {
		return 0, err
	}
	defer closeLog()
	largest := 1
	for {
		var j swf.Job
		switch err := in.Next(&j); {
		case errors.Is(err, io.EOF):
			return largest, nil
		case err != nil:
			return 0, err
		}
		largest = max(largest, j.Nodes())
	}
}
