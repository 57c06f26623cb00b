package coscheduling

import (
	"fmt"
	"strings"
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
