package coscheduling

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
