package labcmd

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
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
	steps        []protocolStep // in place of the steps of the environments
	scv          float64
	plot         chart.Picture
}

// stepNames are the names of the steps of the protocol.
var stepNames = lab.ProtocolStepNames()

// protocolStep is a step of the protocol with another cost.
type protocolStep struct {
	name string
	cost float64
}

// Flags binds the flags.
func (o *overheadsOptions) Flags() []cli.Flag {
	steps := strings.Join(stepNames[:], ", ")
	environments, environment := values.ByName("unknown environment", lab.Environments(), func(e lab.Environment) string { return e.Name })
	return []cli.Flag{
		cli.Values(&o.environments, "environment", environment, cli.About{Default: "all", Words: environments,
			Usage: "take the costs of the environment `NAME`: " + words.Or(environments) + "; may be repeated"}),
		cli.Value(&o.nodes, "nodes", values.WholeNumbers(1, math.MaxInt32), cli.About{Usage: "add up the costs on each number of nodes of `LIST`"}),
		cli.Int(&o.unit, "min-nodes", values.PositiveInt, cli.About{Hint: "for example --nodes 8 --min-nodes 2",
			Usage: "give partitions in multiples of `M` nodes"}),
		cli.Values(&o.steps, "step", parseStep, cli.About{Hint: "for example --step connect=0.4; the steps are " + steps,
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

// parseStep reads a step with its cost in seconds, such as connect=0.4.
func parseStep(text string) (protocolStep, error) {
	name, value, ok := strings.Cut(text, "=")
	cost, err := strconv.ParseFloat(value, 64)
	if !ok || err != nil {
		return protocolStep{}, fmt.Errorf("%q is not a step and its cost", text)
	}
	_, err = new(lab.ProtocolSteps).With(name, cost)
	return protocolStep{name, cost}, err
}

// protocolMachine is an environment with a number of nodes and its repartitions.
type protocolMachine struct {
	lab.Environment
	Nodes          int
	Unit           int
	shrink, expand []lab.ProtocolRow
}

// runOverheads adds up the costs of all environments and numbers of nodes, and writes and draws them: as a section of a model file if
// --format is yaml.
func runOverheads(inv *cli.Invocation, o *overheadsOptions) error {
	machines, err := o.machines(inv.Memory.Limit())
	switch {
	case errors.Is(err, parallel.ErrTooLarge):
		return fault.Hint(fault.ExitTooLarge, "list fewer --nodes, give them out in larger units with --min-nodes, or raise --memory", err)
	case err != nil:
		return fault.Usagef("for example --nodes 8 --min-nodes 2", "--min-nodes: %s", fault.Plain(err))
	case inv.Format == "yaml":
		err = inv.Print(machines[0].section(o.scv))
	default:
		err = inv.Emit(newOverheadsResult(machines))
	}
	if err != nil {
		return err
	}
	return input.Draw(inv, o.plot, newOverheadsFigure(machines))
}

// bytesOfSize is the memory of one size of a partition in the lists of repartitions. The JSON of two environments with 4096 partitions took
// 4.9 GB.
const bytesOfSize = 160

// machines returns each environment on each number of nodes, with the costs of its repartitions added up. The error is a
// *[parallel.LimitError] if the lists take more than the given bytes of memory; any other error is about --min-nodes.
func (o *overheadsOptions) machines(memory float64) (all []*protocolMachine, err error) {
	bytes := 0.0
	for _, nodes := range o.nodes {
		bytes += bytesOfSize * math.Pow(float64(nodes)/float64(o.unit), 2) * float64(len(o.environments))
	}
	if err := parallel.Check("the list of repartitions", parallel.Memory, bytes, memory); err != nil {
		return nil, err
	}
	for _, nodes := range o.nodes {
		for _, e := range o.environments {
			m := &protocolMachine{Environment: e, Nodes: nodes, Unit: o.unit}
			for _, q := range o.steps {
				m.Steps, _ = m.Steps.With(q.name, q.cost) // as checked when it was read
			}
			if m.shrink, m.expand, err = m.Steps.Phases(nodes, o.unit); err != nil {
				return nil, err
			}
			all = append(all, m)
		}
	}
	return all, nil
}

// newOverheadsResult returns the costs of machines: as rows of repartitions for CSV and tables, and as an object for each machine in
// JSON.
func newOverheadsResult(machines []*protocolMachine) *output.Result {
	var rows []output.Row
	var results []output.Object
	for _, m := range machines {
		for _, r := range slices.Concat(m.shrink, m.expand) {
			rows = append(rows, append(output.Row{output.Col("environment", "environment").CSV().Is(m.Name),
				output.Col("nodes", "nodes").CSV().Is(m.Nodes), output.InCSV("min_nodes", m.Unit)}, cells(&r)...))
		}
		var steps output.Object
		for i, name := range stepNames {
			steps.Add(name, m.Steps[i])
		}
		results = append(results, output.Pairs("environment", m.Name, "nodes", m.Nodes, "min_nodes", m.Unit, "steps", steps,
			"shrink", objects(m.shrink), "expand", objects(m.expand)))
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
func newOverheadsFigure(machines []*protocolMachine) *chart.Figure {
	f := &chart.Figure{Title: "What a repartition costs", XLabel: "applications that run when it is over",
		Strokes: []string{"shrinking", "expanding"},
		Notes:   []string{"total: from the decision until all applications run; system: the part that would remain if applications took no time to stop and start."}}
	for _, m := range machines {
		p := f.PanelOf(chart.Panel{Title: words.Count(m.Nodes, "node"), YLabel: "mean time [s]", MayLog: true})
		for _, r := range slices.Concat(m.shrink, m.expand) {
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
