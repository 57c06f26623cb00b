package coschedulecmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/cluster"
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
						c.Name += ", " + string(c.Cluster.Pattern)
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
	for i := range outcomes {
		if i == 0 || outcomes[i].Case.Title() != outcomes[i-1].Case.Title() {
			all = append(all, outcomes[i:i])
		}
		last := &all[len(all)-1]
		*last = (*last)[:len(*last)+1]
	}
	return all
}
