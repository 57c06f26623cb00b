package coscheduling

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/lab/internal/cluster"
)

// Title returns the name of the case with its load, or with the word backlog, for tables and pictures. A name that tells the
// load is not lengthened.
func (c *Case) Title() string {
	load := fmt.Sprint("load ", c.Load)
	switch {
	case c.Load == 0:
		return c.Name + ", backlog"
	case strings.Contains(c.Name, load):
		return c.Name
	}
	return c.Name + ", " + load
}

// NameBeforeLoad returns the name of the case up to its load: "" for a case that is named by its load alone, and the whole name if
// the name does not tell the load.
func (c *Case) NameBeforeLoad() string {
	name, _, _ := strings.Cut(c.Name, "load "+words.Shortest(c.Load))
	return name
}

// Runs returns a run of the case for each combination of a workload mix, a load and a policy. The policies vary fastest, and the
// mixes slowest. The case of a run has the name of its mix. Load 0 is a backlog of jobs.
func (c Case) Runs(mixes []cluster.Mix, loads []float64, policies []policy.Policy) (runs []Run) {
	for _, c.Mix = range mixes {
		c.Name = c.Mix.Name
		for _, c.Load = range loads {
			for _, p := range policies {
				runs = append(runs, Run{Case: c, Policy: p})
			}
		}
	}
	return runs
}

// ByCase divides outcomes into groups, one for each run of consecutive outcomes with the same case and load. The groups are in
// the order of the outcomes and share their storage.
func ByCase(outcomes []Outcome) [][]Outcome {
	var all [][]Outcome
	for i := range outcomes {
		if i == 0 || outcomes[i].Case.Title() != outcomes[i-1].Case.Title() {
			all = append(all, outcomes[i:i])
		}
		last := &all[len(all)-1]
		*last = (*last)[:len(*last)+1]
	}
	return all
}
