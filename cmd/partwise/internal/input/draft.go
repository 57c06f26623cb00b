package input

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"github.com/partwise/partwise/models/words"
	"io"
	"strings"
	"text/template"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

const (
	// sameAnswer is the share of the mean response time below which a class more makes no difference.
	sameAnswer = 0.01
	// memoryOfDraft is the memory of the chains that classes are chosen by. Chains within it take a second or two.
	memoryOfDraft = 256 << 20
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
	Classes []replay.JobClass
}

// nameOf returns the name of a class of jobs that asked for some numbers of nodes.
func nameOf(s joblog.Sizes) string {
	if s.From == s.To {
		return words.Count(s.To, "node")
	}
	return fmt.Sprintf("%d to %d nodes", s.From, s.To)
}

//go:embed draft.yaml
var draftText string

var draft = template.Must(template.New("draft").Funcs(template.FuncMap{"quoted": singleQuoted, "short": output.Shortest,
	"nameOf": nameOf, "phases": phases}).Parse(draftText))

// mostPartitions is the number of partitions that a chain with the phases of a draft is solved for in a second or two.
const mostPartitions = 10

// DivisionUnit returns the smallest unit that divides a number of nodes into at most ten parts, and at least two.
func DivisionUnit(nodes int) (int, error) {
	for parts := min(mostPartitions, nodes); parts > 1; parts-- {
		if nodes%parts == 0 {
			return nodes / parts, nil
		}
	}
	return 0, fmt.Errorf("%d nodes cannot be divided into 2 to %d equal units, which --min-nodes sets", nodes, mostPartitions)
}

// phases returns the phases that so many jobs are enough for, up to the most that a fit is given.
func phases(jobs, most int) int {
	switch {
	case jobs < 100:
		return 1
	case jobs < 1000:
		return 2
	}
	return most
}

// check returns what is wrong with the draft.
func (d *Draft) check() error {
	switch {
	case d.Nodes < 1 || d.Unit < 1 || d.Nodes%d.Unit != 0 || d.Nodes == d.Unit:
		return errors.New("the nodes must be several times the unit")
	case strings.ContainsAny(d.Title+d.Log, "\n\r"):
		return errors.New("a title and the name of a file are one line each")
	}
	return nil
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
	return draft.Execute(w, &said)
}

// Partitions returns how many jobs share the machine at most.
func (d *Draft) Partitions() int { return d.Nodes / d.Unit }

// Model returns the text of the model file, and what is read from the text under the name of a file.
func (d *Draft) Model(file string) (string, *modelfile.Model, error) {
	var text bytes.Buffer
	if err := d.Write(&text); err != nil {
		return "", nil, err
	}
	m, err := modelfile.Parse(file, text.Bytes())
	return text.String(), m, err
}

// Draft returns the model file for the jobs of a log on some nodes, with classes of jobs by the nodes that they asked for: as
// few as change the mean response time under dynamic partitioning by less than 1 %. Where there is no such time, all jobs are
// alike. file is the name of the model file, and log is what the file calls the log.
func (a *Assuming) Draft(inv *cli.Invocation, file, log, title string, nodes int, jobs []joblog.Job) (*Draft, error) {
	unit := a.Unit
	if unit == 0 {
		var err error
		if unit, err = DivisionUnit(nodes); err != nil {
			return nil, err
		}
	}
	d := &Draft{Title: title, Log: log, Jobs: len(jobs), Nodes: nodes, Unit: unit, ResizeCost: a.Cost.Seconds, Stops: a.Stops,
		Speedup: workload.SpeedupText(a.Speedup)}
	machine := policy.Machine{Nodes: nodes, Unit: unit}
	classes, err := replay.Classes(jobs, machine, a.Assumptions, sameAnswer, func(all []replay.JobClass) (float64, error) {
		d.Classes = draftClasses(all, machine)
		return answer(inv, d, file)
	})
	if inv.Context.Err() != nil {
		return nil, err
	}
	if d.Classes = nil; err == nil { // an error is reported when the chain of the draft is solved
		d.Classes = draftClasses(classes, machine)
	}
	return d, nil
}

// draftClasses returns classes as a draft has them: none where all jobs can use all nodes.
func draftClasses(classes []replay.JobClass, m policy.Machine) []replay.JobClass {
	if len(classes) == 1 && classes[0].MaxNodes == m.Nodes {
		return nil
	}
	return classes
}

// answer returns the mean response time under dynamic partitioning by the chain of a draft in which all jobs stop in a repartition.
func answer(inv *cli.Invocation, d *Draft, file string) (float64, error) {
	m, err := parallel.Abandonable(inv.Context, func() (*modelfile.Model, error) {
		_, m, err := d.Model(file)
		return m, err
	})
	if err != nil {
		return 0, err
	}
	stopped := *m.System
	stopped.Stops = models.AllStop
	memory := markov.NewMemory(int64(min(memoryOfDraft, inv.Memory.Limit())))
	chain, err := stopped.Chain(policy.Dynamic{})
	if err != nil {
		return 0, err
	}
	v, err := chain.Solve(inv.Context, markov.Settings{Method: markov.Auto, Memory: memory})
	if err == nil && !v.Stable {
		err = v.Unstable()
	}
	return v.MeanResponseTime, err
}
