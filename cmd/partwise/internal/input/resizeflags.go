package input

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/replay"
)

// ResizeCosts binds --resize-cost of a command that takes several costs; otherwise says what holds without it.
func ResizeCosts(to *[]replay.Cost, otherwise string) cli.Flag {
	var files []string
	parse := values.ListWithUnits(func(text string) (replay.Cost, error) {
		c, read, err := parseCost(text)
		files = append(files, read...)
		return c, err
	})
	flag := cli.Value(to, "resize-cost", parse, cli.About{Default: otherwise, Hint: "for example --resize-cost 60s",
		Usage: "let each resized job stand still for the time `COST`, or as a file says: a CSV of seconds (time, or " +
			"shrink and expand) by the nodes afterwards, or a model"})
	return resizing(cli.Then(flag, func(inv *cli.Invocation) error { return inv.Reads(files...) })).Referred()[0]
}

// ResizeCost binds --resize-cost of a command that takes one cost; otherwise says what holds without it.
func ResizeCost(to *replay.Cost, otherwise string) cli.Flag {
	var several []replay.Cost
	return cli.Then(ResizeCosts(&several, otherwise), func(inv *cli.Invocation) error {
		*to = several[0]
		if len(several) > 1 {
			return fault.Usagef("partwise replay takes several", "--resize-cost: %s takes one cost", inv.Command)
		}
		return nil
	})
}

// FlatCost binds --resize-cost of a command that takes one time, the same for all resizes.
func FlatCost(to *replay.Cost) cli.Flag {
	return cli.Then(ResizeCost(to, to.Name), func(inv *cli.Invocation) error {
		if !to.Flat() {
			return fault.Usagef(inv.Command+" takes one time, the same for all resizes, such as 60s; change the model file for others",
				"--resize-cost: %q is not a time", to.Name)
		}
		return nil
	})
}

// parseCost reads a cost, and returns the files that it stands in.
func parseCost(text string) (c replay.Cost, files []string, err error) {
	c, isTime, err := replay.ParseFlatCost(text)
	if _, missing := os.Stat(text); isTime || missing != nil && filepath.Ext(text) == "" {
		return c, nil, err // no file, and not meant for one
	}
	if strings.EqualFold(filepath.Ext(text), ".csv") {
		table, err := modelfile.ReadFile(text)
		if err != nil {
			return c, nil, &fault.Error{Code: fault.ExitFailure, Err: err}
		}
		c.Table, err = machine.ReadResizes(bytes.NewReader(table), text)
		return c, []string{text}, asIs(err)
	}
	m, err := modelfile.Load(text)
	if err != nil {
		return c, nil, asIs(err)
	}
	c.System, c.Second = m.System, measure.Second().Convert(1, m.TimeUnit)
	return c, append([]string{text}, m.Files...), nil
}

// asIs keeps an error of a file from being put down to a flag.
func asIs(err error) error {
	if err == nil {
		return nil
	}
	return &fault.Error{Code: fault.ExitCode(err), Err: err}
}

// CostOn returns what a resize costs on the machine of a model, in place of the overheads of the model. stops says who
// stands still; if it is empty, the resized jobs do.
func CostOn(c *replay.Cost, file *modelfile.Model, stops models.Stops) (machine.Costs, error) {
	costs, err := c.On(policy.Machine{Nodes: file.System.Nodes, Unit: file.System.MinNodes},
		measure.Second().Convert(1, file.TimeUnit), stops)
	if costs == nil && err == nil {
		return machine.Resizes(nil), nil
	}
	return costs, Misfit(err)
}

// CostWords returns what resizing costs as part of a sentence, such as "at 60 s a resize".
func CostWords(c *replay.Cost) string {
	switch {
	case !c.Flat():
		return "at the costs of " + c.Name
	case c.Seconds == 0:
		return "at no cost"
	}
	return "at " + words.TimeWords(c.Name) + " a resize"
}

// PositiveTime reads a positive time such as 5m, in seconds.
func PositiveTime(text string) (float64, error) {
	return measure.ParsePositiveTime(text, measure.Second())
}

// Points are the scheduling points that --resize-at says.
type Points struct {
	Text string // "": anywhere
	machine.Points
}

// ResizeAt binds --resize-at.
func ResizeAt(to *Points) cli.Flag {
	return resizing(cli.Value(to, "resize-at", parsePoints, cli.About{Default: "any time", Hint: "for example --resize-at 50",
		Usage: "resize a job only at its scheduling `POINTS`: 50 divide its work into equal pieces, 60s sets one after every " +
			"60 s of work; with 50,together the resized jobs wait for each other"})).Referred()[0]
}

// parsePoints reads scheduling points as [replay.ParsePoints] does.
func parsePoints(text string) (Points, error) {
	points, err := replay.ParsePoints(text)
	return Points{text, points}, err
}

// In returns the scheduling points with times in a unit, for the machine of a model in that unit.
func (q Points) In(unit measure.TimeUnit) machine.Points {
	if q.Every != nil {
		q.Points.Every = []float64{measure.Second().Convert(q.Every[0], unit)}
	}
	return q.Points
}

// Malleable binds --malleable.
func Malleable(to *[]float64, otherwise string) cli.Flag {
	return cli.Value(to, "malleable", measure.ParseShares, cli.About{Default: otherwise, Hint: "for example --malleable 20%",
		Usage: "let the share `SHARE` of the jobs be malleable; also several values or ranges A:B:STEP"})
}
