package modelfile

import (
	"github.com/partwise/partwise/models/modelfile/internal/tree"

	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/template"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

// Draft is a model file for the jobs of a log: what the file says beside what is fitted to the log. What no log tells is a
// guess, and the file says so.
type Draft struct {
	Title       string
	Log         string // as the file names it: a log in Standard Workload Format
	Jobs        int    // of the log: fewer jobs get fewer phases
	Nodes, Unit int
	ResizeCost  float64 // seconds
	Stops       models.Stops
	Speedup     string // as flags write it
	// Classes are the jobs by the nodes that they asked for; none: all jobs are alike, and can use all nodes. With several
	// classes all jobs stop in a repartition, whatever Stops is: the chain of classes has no other repartitions.
	Classes []DraftClass
}

// DraftClass is the jobs of a log that asked for some numbers of nodes.
type DraftClass struct {
	Sizes    joblog.Sizes // the nodes that the jobs asked for
	Jobs     int
	MaxNodes int
}

// Name returns the name of the class.
func (c DraftClass) Name() string {
	if c.Sizes.From == c.Sizes.To {
		return Count(c.Sizes.To, "node", "nodes")
	}
	return fmt.Sprintf("%d to %d nodes", c.Sizes.From, c.Sizes.To)
}

// Phases returns the phases of the work of the class.
func (c DraftClass) Phases() int { return min(phasesOfWork(c.Jobs), 2) }

//go:embed draft.yaml
var draftText string

var draft = template.Must(template.New("draft").Funcs(template.FuncMap{"quoted": singleQuoted, "short": tree.Short}).Parse(draftText))

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

// phasesOfWork returns the phases of work that so many jobs are enough for.
func phasesOfWork(jobs int) int {
	switch {
	case jobs < 100:
		return 1
	case jobs < 1000:
		return 2
	}
	return 3
}

// phasesOfArrivals returns the phases of arrivals that so many jobs are enough for.
func phasesOfArrivals(jobs int) int {
	if n := phasesOfWork(jobs); n < 3 {
		return n
	}
	return 4
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
	said := *d
	if len(d.Classes) > 1 {
		said.Stops = models.AllStop
	}
	return draft.Execute(w, struct {
		*Draft
		ArrivalPhases, WorkPhases, Partitions int
	}{&said, phasesOfArrivals(d.Jobs), phasesOfWork(d.Jobs), d.Nodes / d.Unit})
}
