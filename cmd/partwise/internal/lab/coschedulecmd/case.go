package coschedulecmd

import (
	"fmt"
	"strings"
)

// Title returns the name of the case with its load.
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
