package joblog

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/modelfile/tree"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/quantity"
	"github.com/partwise/partwise/models/workload/swf"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/machine"
)

// ResizeCost is what --resize-cost says that the resizing of a job costs: a time, a table by nodes, or the overheads of a
// model. The zero value is no cost.
type ResizeCost struct {
	Text    string
	Seconds float64 // if it is the same for all, otherwise NaN
	files   []string
	table   machine.Resizes
	model   *modelfile.Model
}

// ResizeCosts binds --resize-cost; otherwise is what is true without it.
func ResizeCosts(to *[]ResizeCost, otherwise string) cli.Flag {
	return cli.Value(to, "resize-cost", parseResizeCosts, cli.About{Default: otherwise, Hint: "for example --resize-cost 60s",
		Usage: "let each resized job stand still for the time `COST`, or as long as a file says: a CSV with columns nodes " +
			"(that it has afterwards) and time, or nodes, shrink and expand, in seconds, or a model file with a section dynamic"},
	).Then(func(inv *cli.Invocation) error {
		for i := range *to {
			if err := inv.Reads((*to)[i].files...); err != nil {
				return err
			}
		}
		return nil
	})
}

func parseResizeCosts(text string) ([]ResizeCost, error) {
	var all []ResizeCost
	for word := range strings.SplitSeq(text, ",") {
		c, err := ParseResizeCost(strings.TrimSpace(word))
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// ParseResizeCost reads a cost as --resize-cost has it.
func ParseResizeCost(text string) (ResizeCost, error) {
	c := ResizeCost{Text: text}
	seconds, err := quantity.Time(text, quantity.Second)
	if err == nil {
		switch c.Seconds = seconds; {
		case !(seconds >= 0) || math.IsInf(seconds, 1):
			return c, fmt.Errorf("%q is negative", text)
		case seconds > swf.Longest:
			return c, fmt.Errorf("%q is more than %g s, the longest time that is simulated", text, float64(swf.Longest))
		}
		if seconds > 0 {
			c.table, err = machine.NewResizes(machine.ResizeTime{Nodes: 1, Shrink: seconds, Expand: seconds})
		}
		return c, err
	}
	if _, missing := os.Stat(text); missing != nil && filepath.Ext(text) == "" {
		return c, err // no file, and not meant for one
	}
	c.Seconds, c.files = math.NaN(), []string{text}
	if strings.EqualFold(filepath.Ext(text), ".csv") {
		table, err := tree.ReadFile(text)
		if err != nil {
			return c, &cli.Error{Code: cli.ExitFailure, Err: err}
		}
		c.table, err = machine.ReadResizes(bytes.NewReader(table), text)
		return c, asIs(err)
	}
	if c.model, err = modelfile.Load(text); err == nil {
		c.files = append(c.files, c.model.Files...)
	}
	return c, asIs(err)
}

// asIs keeps an error of a file from being put down to a flag.
func asIs(err error) error {
	if err == nil {
		return nil
	}
	return &cli.Error{Code: cli.ExitCode(err), Err: err}
}

// On returns the costs on a machine whose times are in a unit; nil if resizing costs nothing.
func (c *ResizeCost) On(m policy.Machine, unit quantity.Unit) (machine.Costs, error) {
	switch {
	case c.model != nil:
		return c.overheads(m, unit)
	case c.table == nil:
		return nil, nil
	}
	scaled := make([]machine.ResizeTime, len(c.table))
	for i, x := range c.table {
		scaled[i] = machine.ResizeTime{Nodes: x.Nodes, Shrink: quantity.Second.Convert(x.Shrink, unit),
			Expand: quantity.Second.Convert(x.Expand, unit)}
	}
	return machine.NewResizes(scaled...)
}

// overheads returns those of the model, which belong to a number of jobs and so to its machine.
func (c *ResizeCost) overheads(m policy.Machine, unit quantity.Unit) (machine.Costs, error) {
	s := c.model.System
	if s.Nodes != m.Nodes || s.MinNodes != m.Unit {
		return nil, cli.Usagef("say how long the resizing of a job takes, or choose --nodes and --min-nodes as in the model",
			"--resize-cost: the overheads of %s are those of %d nodes in units of %d, this machine has %d in units of %d",
			c.Text, s.Nodes, s.MinNodes, m.Nodes, m.Unit)
	}
	by := c.model.TimeUnit.Convert(1, unit)
	shrink, err := scaled(s.Shrink, by)
	if err != nil {
		return nil, err
	}
	expand, err := scaled(s.Expand, by)
	if err != nil {
		return nil, err
	}
	stops := machine.AllJobs
	if s.Stops == models.ResizedStop {
		stops = machine.ResizedJobs
	}
	return machine.NewOverheads(shrink, expand, stops)
}

func scaled(list []phasetype.Dist, by float64) ([]phasetype.Dist, error) {
	out := make([]phasetype.Dist, len(list))
	for i, d := range list {
		if out[i] = d; d.IsZero() || by == 1 {
			continue
		}
		var err error
		if out[i], err = d.Scale(by); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Flat reports whether the cost is the same for all.
func (c *ResizeCost) Flat() bool { return !math.IsNaN(c.Seconds) }

// Words says in a sentence what resizing costs.
func (c *ResizeCost) Words() string {
	switch {
	case c.Seconds == 0:
		return "at no cost"
	case math.IsNaN(c.Seconds):
		return "at the costs of " + c.Text
	}
	return "at " + c.Text + " a resize"
}

// Points are the scheduling points that --resize-at says.
type Points struct {
	Text string // "": anywhere
	machine.Points
}

// ResizeAt binds --resize-at.
func ResizeAt(to *Points) cli.Flag {
	return cli.Value(to, "resize-at", parsePoints, cli.About{Default: "any time", Hint: "for example --resize-at 50",
		Usage: "resize a job only at its scheduling points: `POINTS` such as 50 divide its work into 50 equal pieces, 60s " +
			"sets a point after every 60 s of its work; with 50,together or 60s,together all jobs that a decision resizes " +
			"wait for each other at their points"})
}

func parsePoints(text string) (Points, error) {
	q := Points{Text: text}
	text, q.Together = strings.CutSuffix(text, ",together")
	if n, err := strconv.Atoi(text); err == nil {
		if n < 1 {
			return q, fmt.Errorf("%q is not a positive number", text)
		}
		q.Number = n
		return q, nil
	}
	every, err := quantity.Time(text, quantity.Second)
	if err == nil && !(every > 0) {
		err = fmt.Errorf("%q is not a positive time", text)
	}
	q.Every = every
	return q, err
}

// In returns the points where times are in a unit.
func (q Points) In(unit quantity.Unit) machine.Points {
	q.Points.Every = quantity.Second.Convert(q.Every, unit)
	return q.Points
}
