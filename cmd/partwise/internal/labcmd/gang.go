package labcmd

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/phasetype"
)

//go:embed gang.txt
var gangHelp string

// Gang is the command that solves gang scheduling.
func Gang() cli.Command {
	fresh := func() *gangOptions { return &gangOptions{partitions: []int{1}, over: []string{"0"}, scv: 0.1} }
	return cli.WithOptions(fresh, runGang, cli.Described(gangHelp, cli.Command{
		MaxArgs: models.MaxTimeSharedClasses,
	}))
}

// gangOptions are the flags of gang.
type gangOptions struct {
	partitions   []int
	slices, over []string // times
	scv          float64
	load         float64
}

// Flags binds the flags.
func (o *gangOptions) Flags() []cli.Flag {
	return []cli.Flag{
		cli.Value(&o.partitions, "partitions", values.WholeNumbers(1, models.MaxTimeSharedPartitions),
			cli.About{Hint: "for example --partitions 1,4", Default: "one for all nodes",
				Usage: "split the nodes into `LIST` partitions in the slices of each class"}),
		cli.Value(&o.slices, "slice", values.ListWithUnits(values.AsIs), cli.About{Hint: "for example --slice 200ms",
			Usage: "let the slices of each class last the times `LIST` (required)"}),
		cli.Value(&o.over, "switch-over", values.ListWithUnits(values.AsIs),
			cli.About{Usage: "let the unused time before the slices of each class be `LIST`"}),
		cli.Value(&o.scv, "scv", values.PositiveNumber,
			cli.About{Usage: "give slices and switch-overs the squared coefficient of variation `C`"}),
		input.OneLoad(&o.load, "", cli.About{Usage: "rescale all arrivals so that slices are needed for the share `LOAD` " +
			"of the time"}),
	}
}

// Check gives each class of jobs its value of --slice, --switch-over and --partitions: a single value holds for all classes.
func (o *gangOptions) Check(inv *cli.Invocation) error {
	if o.slices == nil {
		return fault.Usagef("for example --slice 200ms", "--slice is missing: how long are time slices?")
	}
	classes := len(inv.Args)
	return errors.Join(forEach("partitions", &o.partitions, classes), forEach("slice", &o.slices, classes),
		forEach("switch-over", &o.over, classes))
}

// forEach repeats the only value of a flag for all classes. The error is that there are neither one nor as many values as
// classes.
func forEach[T any](flag string, values *[]T, classes int) error {
	switch n := len(*values); {
	case n == classes:
	case n == 1:
		*values = slices.Repeat(*values, classes)
	default:
		return fault.Usagef("give one, or one for each class", "--%s: %d values for %s", flag, n, words.Count(classes, "class"))
	}
	return nil
}

// runGang solves the analytic model of gang scheduling, and writes the measures of each class. Each model file has one class.
func runGang(inv *cli.Invocation, o *gangOptions) error {
	m := new(models.TimeSharedMachine)
	var first *modelfile.Model
	for i, path := range inv.Args {
		one := *inv
		one.Args = []string{path}
		file, err := input.Load(&one, nil, 0)
		if err != nil {
			return err
		}
		first = cmp.Or(first, file)
		if file.System.Nodes != first.System.Nodes || file.TimeUnit.Name != first.TimeUnit.Name {
			return fault.Usagef("classes share one machine", "%s has %d nodes and the time unit %s, %s has %d and %s", path,
				file.System.Nodes, file.TimeUnit.Name, inv.Args[0], first.System.Nodes, first.TimeUnit.Name)
		}
		class, err := o.class(i, file)
		if err != nil {
			return err
		}
		m.Classes = append(m.Classes, class)
	}
	if o.load > 0 {
		if err := m.Rescale(o.load); err != nil {
			return err
		}
	}
	s, err := m.Solve(inv.Context, markov.Settings{Memory: inv.Memory})
	switch {
	case errors.Is(err, markov.ErrTooLarge):
		return fault.Hint(fault.ExitTooLarge,
			"fewer partitions, classes or phases, a larger --scv, a lower --load, or more --memory", err)
	case errors.Is(err, markov.ErrNoConvergence):
		return fault.Hint(fault.ExitAccuracy, "try other slices, or a lower --load", err)
	case err != nil:
		return err
	}
	if err := inv.Emit(newGangResult(inv.Args, first, m, s)); err != nil {
		return err
	}
	stable := false
	for i := range s.Classes {
		if s.Classes[i].Stable {
			stable = true
		} else {
			inv.Warnf("%s: jobs come faster than they are served", inv.Args[i])
		}
	}
	for _, w := range s.Warnings {
		inv.Warnf("%v", w)
	}
	if !stable {
		return fault.Hint(fault.ExitUnstable, "try longer slices, or --load below 1", errors.New("no class is stable"))
	}
	return nil
}

// class returns the i-th class: the system of its model file with its slices and switch-overs, in the time unit of that
// file.
func (o *gangOptions) class(i int, file *modelfile.Model) (models.TimeSharedClass, error) {
	c, err := models.TimeSharedClassOf(file.System, o.partitions[i])
	if err != nil {
		return c, fault.Usagef("choose a divisor", "--partitions: %s has %d partitions at most, which cannot be split into %d",
			file.File, file.System.Partitions(), o.partitions[i])
	}
	if c.Quantum, err = o.time("slice", o.slices[i], file.TimeUnit); err == nil && c.Quantum.IsZero() {
		err = fault.Usagef("for example --slice 200ms", "--slice: a slice may not have a length of zero")
	}
	if err == nil {
		c.SwitchOver, err = o.time("switch-over", o.over[i], file.TimeUnit)
	}
	return c, err
}

// time returns a time of a flag, with the variation of --scv; the zero value for a time of zero.
func (o *gangOptions) time(flag, text string, unit measure.TimeUnit) (phasetype.Dist, error) {
	mean, err := measure.ParseTime(text, unit)
	if err != nil {
		return phasetype.Dist{}, fault.Usagef("for example 200ms", "--%s: %s", flag, fault.Plain(err))
	}
	if mean == 0 {
		return phasetype.Dist{}, nil
	}
	d, err := phasetype.TwoMoments(mean, o.scv)
	if err != nil {
		err = fault.Usagef("use positive times and an SCV from 0.001 on", "--%s, --scv: %s", flag, fault.Plain(err))
	}
	return d, err
}

// newGangResult returns the result: the machine, and a row of measures for each class, named by its model file.
func newGangResult(paths []string, first *modelfile.Model, m *models.TimeSharedMachine,
	s *models.TimeSharedSolution) *output.Result {
	unit, nodes, load := first.TimeUnit.Name, first.System.Nodes, m.Load()
	l := &output.List{Name: "results",
		Title: fmt.Sprintf("Gang scheduling on %s, load %s", words.Count(nodes, "node"), words.Load(load)), Form: output.Long,
		Len: len(paths), Unit: unit, Row: func(i int) output.Row {
			return gangRow(paths[i], m.Classes[i].Partitions, &s.Classes[i], s.Iterations)
		}}
	r := output.NewResult(unit, output.Field{Name: "machine", Value: output.Object{{Name: "nodes", Value: nodes}}},
		output.Field{Name: "load", Value: load})
	r.List(l)
	r.Add("warnings", words.Texts(s.Warnings, error.Error))
	if len(s.Classes) > 1 {
		r.Note("A fixed point after %d iterations: an approximation.", s.Iterations)
	}
	return r
}

// gangRow returns what results say of a class. Measures of a class that is not stable do not exist.
func gangRow(path string, partitions int, c *models.TimeSharedMeasures, iterations int) output.Row {
	measured := func(name string, value float64) output.Cell {
		return output.Measure(name).Headed("").If(c.Stable, value)
	}
	d := &c.Diagnostics
	return output.Row{output.InJSON("policy", policy.Gang{}.String()), output.Col("model", "").Naming().Is(path),
		output.InTable("class").Is(filepath.Base(path)), output.Col("partitions", "partitions").Naming().Is(partitions),
		output.InJSON("stable", c.Stable),
		output.Measure(measure.MeanResponseTime).Else("unstable").If(c.Stable, c.MeanResponseTime),
		output.Measure(measure.MeanJobs).If(c.Stable, c.MeanJobs), measured(measure.VarianceJobs, c.VarianceJobs),
		measured(measure.MeanExecutingJobs, c.MeanExecuting), measured(measure.Throughput, c.Throughput),
		measured("decay_rate", c.DecayRate), measured(measure.ProbabilityEmpty, c.ProbabilityEmpty),
		output.Col("slice_share", "in slices").Shares().If(c.Stable, c.SliceShare),
		output.Col("switch_over_share", "switching").Shares().If(c.Stable, c.SwitchOverShare), // of slices without switch-overs 0
		output.Col("mean_visit", "visit").Time().Digits(3).If(c.Stable, c.MeanVisit),
		output.Col("scv_visit", "").If(c.Stable, c.SCVVisit),
		output.Col("diagnostics", "").JSON().If(c.Stable, output.Pairs("method", d.Method, "iterations", iterations,
			"residual", d.Residual, "phases", d.Phases, "states", d.States))}
}
