package modelfile

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/workload"
)

// Draft is a model file for the jobs of a log: what it says beside what is fitted to the log. What no log tells is a guess,
// and the file says that it is one.
type Draft struct {
	Title       string
	Log         string // as the file names it: a log in Standard Workload Format
	Jobs        int    // of the log: fewer jobs get fewer phases
	Nodes, Unit int
	ResizeCost  float64 // seconds
	Stops       models.Stops
	Speedup     string // as flags write it
}

// MostPartitions is the number of partitions that a chain with the phases of a draft is solved for in a second or two.
const MostPartitions = 10

// ErrIndivisible says that a number of nodes has no divisor that makes two to [MostPartitions] units.
var ErrIndivisible = errors.New("modelfile: the nodes cannot be divided into equal units")

// DivisionUnit returns the smallest unit that divides a number of nodes into at most [MostPartitions] parts, and at least two.
func DivisionUnit(nodes int) (int, error) {
	for parts := min(MostPartitions, nodes); parts > 1; parts-- {
		if nodes%parts == 0 {
			return nodes / parts, nil
		}
	}
	return 0, fmt.Errorf("%w: %d into 2 to %d", ErrIndivisible, nodes, MostPartitions)
}

// phases returns the phases of arrivals and of work that so many jobs are enough for.
func (d *Draft) phases() (arrivals, work int) {
	switch {
	case d.Jobs < 100:
		return 1, 1
	case d.Jobs < 1000:
		return 2, 2
	}
	return 4, 3
}

// check returns what is wrong with the draft.
func (d *Draft) check() error {
	switch {
	case d == nil || d.Nodes < 1 || d.Unit < 1 || d.Nodes%d.Unit != 0 || d.Nodes == d.Unit:
		return errors.New("modelfile: needs nodes that are several times the unit")
	case !(d.ResizeCost >= 0) || d.ResizeCost > 1e9:
		return fmt.Errorf("modelfile: a resize cannot take %v s", d.ResizeCost)
	case d.Stops != models.AllStop && d.Stops != models.ResizedStop:
		return fmt.Errorf("modelfile: %q does not say who stops", d.Stops)
	case strings.ContainsAny(d.Title+d.Log, "\n\r"):
		return errors.New("modelfile: a title and the name of a file are one line each")
	}
	_, err := workload.ParseSpeedup(d.Speedup)
	return err
}

// singleQuoted writes a text as YAML does whatever it holds.
func singleQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// Write writes the model file.
func (d *Draft) Write(w io.Writer) error {
	if err := d.check(); err != nil {
		return err
	}
	arrivals, work := d.phases()
	log := singleQuoted(d.Log)
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# What partwise study made of the log %s. Change what is a guess, and solve it again:", d.Log)
	line("# partwise solve, curve, breakeven, report and validate --log take this file.")
	line("version: 1")
	line("title: %s", singleQuoted(d.Title))
	line("time_unit: s")
	line("")
	line("machine:")
	line("  nodes: %d", d.Nodes)
	line("  min_nodes: %d                # nodes are given in units of so many: at most %d jobs share the machine", d.Unit,
		d.Nodes/d.Unit)
	line("")
	line("# Fitted to the log, whose clock ticks in seconds. In place of renewal arrivals, partwise fit --arrivals makes correlated")
	line("# ones.")
	line("arrivals:")
	line("  interarrival: {fit: {file: %s, swf: interarrival, resolution: 1s, phases: %d}}", log, arrivals)
	line("")
	line("jobs:")
	line("  demand: {fit: {file: %s, swf: work, resolution: 1s, phases: %d}} # run time on ONE node", log, work)
	line("  speedup: %s         # a guess: no log tells what jobs do on other numbers of nodes", d.Speedup)
	if d.ResizeCost > 0 {
		line("")
		line("# How long a job that is resized stands still: a guess as well, unless it was measured. Published are 15 to 250 s for a")
		line("# restart from a checkpoint, and a few seconds for jobs that are resized in place; see partwise init from-log.")
		line("dynamic:")
		line("  stops: %s             # those that are resized, and the newcomer; all: everybody", d.Stops)
		line("  overhead: %ss         # on average, exponentially distributed", strconv.FormatFloat(d.ResizeCost, 'g', -1, 64))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
