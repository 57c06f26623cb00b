package labcmd

import (
	_ "embed"
	"errors"
	"math"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/lab"
)

//go:embed overheads.txt
var overheadsHelp string

// Overheads is the command that adds up what repartitions cost.
func Overheads() cli.Command {
	fresh := func() *overheadsOptions {
		return &overheadsOptions{environments: lab.Environments(), nodes: []int{4, 8, 12}, unit: 1, scv: 1}
	}
	return cli.WithOptions(fresh, runOverheads, cli.Described(overheadsHelp, cli.Command{
		Formats: []string{"json", "csv", "markdown", "table", "yaml"},
	}))
}

// overheadsOptions are the flags of overheads.
type overheadsOptions struct {
	environments []lab.Environment
	nodes        []int
	unit         int
	steps        []lab.ProtocolChange // in place of the steps of the environments
	scv          float64
	plot         chart.Picture
}

// stepNames are the names of the steps of the protocol.
var stepNames = lab.ProtocolStepNames()

// Flags binds the flags.
func (o *overheadsOptions) Flags() []cli.Flag {
	steps := strings.Join(stepNames[:], ", ")
	environments, environment := values.ByName("unknown environment", lab.Environments(),
		func(e lab.Environment) string { return e.Name })
	return []cli.Flag{
		cli.Values(&o.environments, "environment", environment, cli.About{Default: "all", Words: environments,
			Usage: "take the costs of the environment `NAME`: " + words.Or(environments) + "; may be repeated"}),
		cli.Value(&o.nodes, "nodes", values.WholeNumbers(1, math.MaxInt32),
			cli.About{Usage: "add up the costs on each number of nodes of `LIST`"}),
		cli.Int(&o.unit, "min-nodes", values.PositiveInt, cli.About{Hint: "for example --nodes 8 --min-nodes 2",
			Usage: "give partitions in multiples of `M` nodes"}),
		cli.Values(&o.steps, "step", lab.ParseProtocolChange, cli.About{Hint: "for example --step connect=0.4; the steps are " + steps,
			Usage: "replace the cost of a step by `NAME=COST`, in seconds; may be repeated; the steps are " + steps}),
		cli.Number(&o.scv, "scv", cli.About{Usage: "give the overheads the squared coefficient of variation `X` (with --format yaml)"}),
		input.Plot(&o.plot, "the costs"),
	}
}

// Check refuses a section of a model file for several machines.
func (o *overheadsOptions) Check(inv *cli.Invocation) error {
	if machines := len(o.environments) * len(o.nodes); inv.Format == "yaml" && machines != 1 {
		return fault.Usagef("for example --environment sp2 --nodes 8",
			"--format yaml: a model has one environment and one number of nodes, not %d", machines)
	}
	return nil
}

// runOverheads adds up the costs of all environments and numbers of nodes, and writes and draws them: as a section of a
// model file if --format is yaml.
func runOverheads(inv *cli.Invocation, o *overheadsOptions) error {
	machines, err := parallel.Abandonable(inv.Context, func() ([]*lab.ProtocolMachine, error) {
		return lab.ProtocolMachines(o.environments, o.steps, o.nodes, o.unit, inv.Memory.Limit())
	})
	switch {
	case inv.Context.Err() != nil:
		return err
	case errors.Is(err, parallel.ErrTooLarge):
		return fault.Hint(fault.ExitTooLarge,
			"list fewer --nodes, give them out in larger units with --min-nodes, or raise --memory", err)
	case err != nil:
		return fault.Usagef("for example --nodes 8 --min-nodes 2", "--min-nodes: %s", fault.Plain(err))
	case inv.Format == "yaml":
		err = inv.Print(machines[0].Section(o.scv))
	default:
		err = inv.Emit(newOverheadsResult(machines))
	}
	if err != nil {
		return err
	}
	return input.Draw(inv, o.plot, newOverheadsFigure(machines))
}

// newOverheadsResult returns the costs of machines: as rows of repartitions for CSV and tables, and as an object for
// each machine in JSON.
func newOverheadsResult(machines []*lab.ProtocolMachine) *output.Result {
	var rows []output.Row
	var results []output.Object
	for _, m := range machines {
		for _, r := range m.Rows() {
			rows = append(rows, append(output.Row{output.Col("environment", "environment").CSV().Is(m.Name),
				output.Col("nodes", "nodes").CSV().Is(m.Nodes), output.InCSV("min_nodes", m.Unit)}, cells(&r)...))
		}
		var steps output.Object
		for i, name := range stepNames {
			steps.Add(name, m.Steps[i])
		}
		results = append(results, output.Pairs("environment", m.Name, "nodes", m.Nodes, "min_nodes", m.Unit, "steps", steps,
			"shrink", objects(m.Shrink), "expand", objects(m.Expand)))
	}
	r := output.NewResult("s", output.Field{Name: "results", Value: results})
	r.List(output.ListOfRows("", "Repartitions, seconds", output.Wide, rows))
	r.Note("The costs of the steps are parameters (--step); the built-in ones stand in for measurements.")
	return r
}

// cells returns the cells of a repartition for JSON, CSV and tables: the sizes before and after, and the times in seconds.
func cells(r *lab.ProtocolRow) output.Row {
	time := func(key, head string) output.Column { return output.Col(key, head).Digits(3) }
	return output.Row{output.Col("phase", "phase").CSV().Is(r.Phase), output.Data("jobs", r.Jobs), output.Data("before", r.Before),
		output.Data("after", r.After), output.InTable("transition").Is(r.Transition),
		time("interrupted", "interrupted").Aside().Is(r.Interrupted), time("moving_nodes", "moving").Aside().Is(r.Moving),
		time("system", "system").Aside().Is(r.System), time("application", "application").Aside().Is(r.Application),
		time("total", "total").Is(r.Total)}
}

// objects returns repartitions as JSON has them.
func objects(rows []lab.ProtocolRow) []output.Object {
	return output.RowsOf(rows, func(r lab.ProtocolRow) output.Object { return cells(&r).Object() })
}

// newOverheadsFigure draws a panel for each number of nodes: system and total of each environment.
func newOverheadsFigure(machines []*lab.ProtocolMachine) *chart.Figure {
	f := &chart.Figure{Title: "What a repartition costs", XLabel: "applications that run when it is over",
		Strokes: []string{"shrinking", "expanding"},
		Notes: []string{"total: from the decision until all applications run; system: the part that would remain if applications " +
			"took no time to stop and start."}}
	for _, m := range machines {
		p := f.PanelOf(chart.Panel{Title: words.Count(m.Nodes, "node"), YLabel: "mean time [s]", MayLog: true})
		for _, r := range m.Rows() {
			for k, y := range []float64{r.System, r.Total} {
				l := chart.Line{Series: f.SeriesOf(m.Title + []string{", system", ", total"}[k])}
				if r.Phase == "expand" {
					l.Stroke = chart.Dashed
				}
				p.Add(l, float64(r.Jobs), y)
			}
		}
	}
	return f
}
