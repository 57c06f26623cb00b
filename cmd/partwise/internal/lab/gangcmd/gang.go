// Package gangcmd holds the command that solves the analytic model of gang scheduling.
package gangcmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/quantity"
	"github.com/partwise/partwise/models/timesharing"
	"github.com/partwise/partwise/phasetype"
)

// Command is the command that solves gang scheduling.
func Command() cli.Command {
	return cli.WithOptions(newOptions, run, cli.Command{
		Name:      "gang",
		Group:     cli.Answering,
		Summary:   "solve gang scheduling of classes of jobs by time slices",
		Arguments: "MODEL...",
		Details: "Gives the machine to classes of jobs in turn, a time slice each; within it the nodes are split into as many equal " +
			"partitions as --partitions says for the class, and each runs a job. Every MODEL is a class: its arrivals, and its " +
			"run times and set-ups on such a partition. A class that has no job is passed over, and a slice ends when its class " +
			"has no job left. With one class the solution is exact. With several, each is solved with what it sees of the " +
			"others, repeatedly until nothing changes; this is an approximation, whose mean numbers of jobs may be up to 22 % " +
			"too low. partwise compare --families simulates gang scheduling.",
		Examples: []string{
			"partwise gang model.yaml --partitions 2 --slice 60s --switch-over 1s",
			"partwise gang model.yaml foreign/model.yaml --partitions 1,2 --slice 60s,2min --switch-over 1s --scv 1 --load 0.7",
		},
		MinArgs: 1, MaxArgs: timesharing.MaxClasses,
		Formats: []string{"json", "csv", "markdown", "table"},
	})
}

type options struct {
	partitions   []int
	slices, over []string // times: of all classes, or of each
	scv          float64
	load         float64
	hold         bool
}

func newOptions() *options { return &options{scv: 0.1} }

// Flags binds the flags.
func (o *options) Flags() []cli.Flag {
	return []cli.Flag{
		cli.Value(&o.partitions, "partitions", parseNumbers, cli.About{Hint: "for example --partitions 1,4", Default: "one for all nodes",
			Usage: "split the nodes into as many partitions in the slices of each class as `LIST` says; one number holds for all"}),
		cli.Value(&o.slices, "slice", parseList, cli.About{Hint: "for example --slice 200ms",
			Usage: "let the slices of each class last as long as `LIST` says, which is required; one time holds for all"}),
		cli.Value(&o.over, "switch-over", parseList, cli.About{Default: "0", Hint: "for example --switch-over 2ms",
			Usage: "let the unused time before the slices of each class be as long as `LIST` says; one time holds for all"}),
		cli.Value(&o.scv, "scv", cli.PositiveNumber, cli.About{Default: "0.1", Hint: "for example --scv 1",
			Usage: "give slices and switch-overs the squared coefficient of variation `C`"}),
		cli.Switch(&o.hold, "hold-slices", "let slices last to their end even if no job of their class is left"),
		cli.Load(&o.load, "", cli.About{Usage: "rescale all arrivals so that classes need slices for the share `LOAD` of the time"}),
	}
}

func parseList(text string) ([]string, error) { return strings.Split(text, ","), nil }

func parseNumbers(text string) ([]int, error) {
	var all []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a number of partitions", word)
		}
		all = append(all, n)
	}
	return all, nil
}

// Check checks what cannot be asked for together.
func (o *options) Check(inv *cli.Invocation) error {
	if o.slices == nil {
		return cli.Usagef("for example --slice 200ms", "--slice is missing: how long are time slices?")
	}
	for _, f := range []struct {
		name string
		n    int
	}{{"partitions", len(o.partitions)}, {"slice", len(o.slices)}, {"switch-over", len(o.over)}} {
		if f.n > 1 && f.n != len(inv.Args) {
			return cli.Usagef("give one, or one for each class", "--%s: %d values for %d classes", f.name, f.n, len(inv.Args))
		}
	}
	return nil
}

// of returns what a list of values has for a class.
func of[T any](list []T, i int, none T) T {
	switch len(list) {
	case 0:
		return none
	case 1:
		return list[0]
	}
	return list[i]
}

// problem is what is to be solved.
type problem struct {
	*options
	files   []*modelfile.Model
	machine timesharing.Machine
}

func run(inv *cli.Invocation, o *options) error {
	p, err := o.problem(inv)
	if err != nil {
		return err
	}
	s, err := p.machine.Solve(inv.Context, timesharing.Settings{Settings: markov.Settings{Memory: inv.Memory}})
	if err != nil {
		return solveError(err)
	}
	if err := inv.Emit(p.result(inv.Args, s)); err != nil {
		return err
	}
	stable := 0
	for i := range s.Classes {
		if s.Classes[i].Stable {
			stable++
		} else {
			inv.Warnf("%s: jobs come faster than they are served", inv.Args[i])
		}
	}
	for _, w := range s.Warnings {
		inv.Warnf("%v", w)
	}
	if stable == 0 {
		return &cli.Error{Code: cli.ExitUnstable, Err: errors.New("no class is stable"),
			Hint: "try longer slices, or --load below 1"}
	}
	return nil
}

// solveError puts errors down to what can be done about them.
func solveError(err error) error {
	switch {
	case errors.Is(err, markov.ErrTooLarge):
		return &cli.Error{Code: cli.ExitTooLarge, Err: err, Hint: "fewer partitions, classes or phases, or a larger --scv"}
	case errors.Is(err, markov.ErrNoConvergence):
		return &cli.Error{Code: cli.ExitAccuracy, Err: err, Hint: "try other slices, or a lower --load"}
	}
	return err
}

// problem reads the models.
func (o *options) problem(inv *cli.Invocation) (*problem, error) {
	p := &problem{options: o, machine: timesharing.Machine{HoldSlices: o.hold}}
	for i, path := range inv.Args {
		one := *inv
		one.Args = []string{path}
		file, err := model.Load(&one, nil, 0)
		if err != nil {
			return nil, err
		}
		if i > 0 && (file.System.Nodes != p.files[0].System.Nodes || file.TimeUnit.Name != p.files[0].TimeUnit.Name) {
			return nil, cli.Usagef("classes share one machine", "%s has %d nodes and the time unit %s, %s has %d and %s", path,
				file.System.Nodes, file.TimeUnit.Name, inv.Args[0], p.files[0].System.Nodes, p.files[0].TimeUnit.Name)
		}
		class, err := o.class(i, path, file)
		if err != nil {
			return nil, err
		}
		p.files, p.machine.Classes = append(p.files, file), append(p.machine.Classes, class)
	}
	if o.load == 0 {
		return p, nil
	}
	factor := o.load / p.machine.Load()
	for i := range p.machine.Classes {
		var err error
		if p.machine.Classes[i].Arrivals, err = p.machine.Classes[i].Arrivals.Speedup(factor); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// class returns the i-th class.
func (o *options) class(i int, path string, file *modelfile.Model) (c timesharing.Class, err error) {
	c.Arrivals, c.Partitions = file.System.Arrivals, of(o.partitions, i, 1)
	if n := file.System.Partitions(); n%c.Partitions != 0 {
		return c, cli.Usagef("choose a divisor", "--partitions: %s has %d partitions at most, which cannot be split into %d", path, n,
			c.Partitions)
	}
	if c.Service, err = (&models.SP{System: file.System, Partitions: c.Partitions}).Service(); err != nil {
		return c, err
	}
	if c.Quantum, err = o.time("slice", of(o.slices, i, ""), file.TimeUnit); err != nil {
		return c, err
	}
	if c.Quantum.IsZero() {
		return c, cli.Usagef("for example --slice 200ms", "--slice: a slice may not have a length of zero")
	}
	c.SwitchOver, err = o.time("switch-over", of(o.over, i, "0"), file.TimeUnit)
	return c, err
}

// time returns a time of a flag, with the variation of the flag.
func (o *options) time(flag, text string, unit quantity.Unit) (phasetype.Dist, error) {
	mean, err := quantity.Time(strings.TrimSpace(text), unit)
	if err != nil || mean == 0 {
		if err != nil {
			err = cli.Usagef("for example 200ms", "--%s: %s", flag, cli.Plain(err))
		}
		return phasetype.Dist{}, err
	}
	d, err := phasetype.TwoMoments(mean, o.scv)
	if err != nil {
		err = cli.Usagef("use positive times and an SCV from 0.001 on", "--%s, --scv: %s", flag, cli.Plain(err))
	}
	return d, err
}

// result lays the solution out.
func (p *problem) result(paths []string, s *timesharing.Solution) *cli.Result {
	unit, nodes := p.files[0].TimeUnit.Name, p.files[0].System.Nodes
	load := p.machine.Load()
	out := &cli.Result{JSON: output.Object{{Name: "version", Value: output.Version}, {Name: "time_unit", Value: unit},
		{Name: "machine", Value: output.Object{{Name: "nodes", Value: nodes}}}, {Name: "load", Value: load}},
		CSV: [][]string{{"model", "partitions", "measure", "value"}}}
	t := output.Table{Title: fmt.Sprintf("Gang scheduling on %d nodes, load %s", nodes, output.Load(load)), Columns: []output.Column{
		{Name: "class"}, {Name: "partitions", Number: true}, {Name: "response [" + unit + "]", Number: true}, {Name: "jobs", Number: true},
		{Name: "in slices", Number: true}, {Name: "switching", Number: true}, {Name: "visit [" + unit + "]", Number: true}}}
	var objects []output.Object
	for i := range s.Classes {
		m, c := &s.Classes[i], &p.machine.Classes[i]
		o := output.Object{{Name: "policy", Value: "gs"}, {Name: "model", Value: paths[i]}, {Name: "partitions", Value: c.Partitions},
			{Name: "stable", Value: m.Stable}}
		row := []string{filepath.Base(paths[i]), strconv.Itoa(c.Partitions), "unstable"}
		if m.Stable {
			for _, v := range measures(m) {
				o.Add(v.name, v.value)
				out.CSV = append(out.CSV, []string{paths[i], row[1], v.name, output.Shortest(v.value)})
			}
			d := &m.Diagnostics
			o.Add("diagnostics", output.Object{{Name: "method", Value: d.Method}, {Name: "iterations", Value: s.Iterations},
				{Name: "residual", Value: d.Residual}, {Name: "phases", Value: d.Phases}, {Name: "states", Value: d.States}})
			row = append(row[:2], output.Round(m.MeanResponseTime, 4), output.Round(m.MeanJobs, 4), output.Percent(m.SliceShare),
				output.Percent(m.SwitchOverShare), output.Round(m.MeanVisit, 3))
		} else {
			row = append(row, "", "", "", "")
		}
		objects, t.Rows = append(objects, o), append(t.Rows, row)
	}
	out.JSON.Add("results", objects)
	warnings := []string{}
	for _, w := range s.Warnings {
		warnings = append(warnings, w.Error())
	}
	out.JSON.Add("warnings", warnings)
	out.Tables = []output.Table{t}
	if len(s.Classes) > 1 {
		out.Notes = []string{fmt.Sprintf("A fixed point after %d iterations: an approximation.", s.Iterations)}
	}
	return out
}

// named is a measure.
type named struct {
	name  string
	value float64
}

func measures(m *timesharing.Measures) []named {
	return []named{{measure.MeanResponseTime, m.MeanResponseTime}, {measure.MeanJobs, m.MeanJobs}, {measure.VarianceJobs, m.VarianceJobs},
		{measure.MeanExecutingJobs, m.MeanRunningJobs}, {measure.Throughput, m.Throughput}, {measure.DecayRate, m.DecayRate},
		{measure.ProbabilityEmpty, m.ProbabilityEmpty}, {"slice_share", m.SliceShare}, {"switch_over_share", m.SwitchOverShare},
		{"mean_visit", m.MeanVisit}, {"scv_visit", m.SCVVisit}}
}
