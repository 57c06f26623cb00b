package coschedulecmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/cluster"
	"github.com/partwise/partwise/models/workload/joblog"
)

// Grid combines values of what may differ from one case to another.
type Grid struct {
	Mixes    []cluster.Mix
	Patterns []cluster.Pattern
	Skews    []float64
	Levels   []int     // of multiprogramming
	Loads    []float64 // 0: a backlog
}

// Cases returns the given case with all combinations of the values of the grid. The name of a case tells its mix. It
// tells the pattern, the skew and the level if the grid has several of them.
func (g *Grid) Cases(c Case) []Case {
	var all []Case
	for _, c.Mix = range g.Mixes {
		for _, c.Cluster.Pattern = range g.Patterns {
			for _, c.Cluster.Skew = range g.Skews {
				for _, c.Cluster.MPL = range g.Levels {
					c.Name = c.Mix.Name
					if len(g.Patterns) > 1 {
						c.Name += ", " + c.Cluster.Pattern.String()
					}
					if len(g.Skews) > 1 {
						c.Name += fmt.Sprintf(", skew %v", c.Cluster.Skew)
					}
					if len(g.Levels) > 1 {
						c.Name += fmt.Sprintf(", MPL %d", c.Cluster.MPL)
					}
					for _, c.Load = range g.Loads {
						all = append(all, c)
					}
				}
			}
		}
	}
	return all
}

// Title returns the name of the case with its load.
func (c *Case) Title() string {
	load := "load " + strconv.FormatFloat(c.Load, 'g', -1, 64)
	switch {
	case c.Load == 0:
		return c.Name + ", backlog"
	case strings.Contains(c.Name, load):
		return c.Name
	}
	return c.Name + ", " + load
}

// Groups returns the outcomes of each case and load, which stand beside each other.
func Groups(outcomes []Outcome) [][]Outcome {
	var all [][]Outcome
	for from, to := 0, 0; from < len(outcomes); from = to {
		for to = from; to < len(outcomes) && outcomes[to].Case.Title() == outcomes[from].Case.Title(); to++ {
		}
		all = append(all, outcomes[from:to])
	}
	return all
}

// FromLog returns the jobs of a log as a source for a cluster on which jobs have at most so many nodes and take so many
// seconds on average, and counts the jobs that it leaves out, by reason. The machine of the log has as many nodes as its
// header says or, without a header, as its largest job.
func FromLog(log joblog.Log, most int, dedicated float64) (Logged, map[string]int, error) {
	size := log.Header.Size()
	for i := 0; i < len(log.Jobs) && log.Header.Size() == 0; i++ {
		size = max(size, log.Jobs[i].Nodes())
	}
	f := joblog.Filter{In: joblog.Jobs(log.Jobs), Nodes: size}
	jobs, err := joblog.All(&f)
	if err == nil && len(jobs) == 0 {
		err = errNoJobs
	}
	joblog.SortBySubmission(jobs)
	return Logged{Log: jobs, LogNodes: size, MaxNodes: most, Dedicated: dedicated}, f.Skipped, err
}
