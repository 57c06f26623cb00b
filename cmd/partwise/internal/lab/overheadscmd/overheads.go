package overheadscmd

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/modelfile"
)

// Command is the command that adds up what repartitions cost.
func Command() cli.Command {
	fresh := func() *options {
		return &options{environments: Environments(), nodes: []int{4, 8, 12}, unit: 1, scv: 1}
	}
	return cli.WithOptions(fresh, run, cli.Command{
		Name:    "overheads",
		Summary: "what repartitions cost, from what the steps of the scheduler's protocol cost",
		Details: "Adds up the steps of a repartition (notify, checkpoint, acknowledge, kill, launch, reconnect), for " +
			"applications that arrive one by one (shrink) and depart one by one (expand). --format yaml is the " +
			"dynamic section of a model file in seconds. The built-in costs stand in for measurements; --step " +
			"replaces them.",
		Examples: []string{
			"partwise lab overheads --nodes 4,8,12 --plot overheads.svg",
			"partwise lab overheads --environment sp2 --nodes 8 --format yaml >> model.yaml",
			"partwise lab overheads --environment now --nodes 16 --min-nodes 2 --step connect=0.4 --step launch=1.5",
		},
		Formats: []string{"json", "csv", "markdown", "table", "yaml"},
	})
}

// options are the flags of overheads.
type options struct {
	environments []Environment
	nodes        []int
	unit         int
	steps        []step // in place of the steps of the environments
	scv          float64
	plot         cli.Picture
}

// step is a step of the protocol with another cost.
type step struct {
	name string
	cost float64
}

// Flags binds the flags.
func (o *options) Flags() []cli.Flag {
	environments := modelfile.Texts(Environments(), func(e Environment) string { return e.Name })
	steps := modelfile.Texts(Table(), func(q Step) string { return q.Name })
	return []cli.Flag{
		cli.Values(&o.environments, "environment", parseEnvironment(environments), cli.About{Default: "all", Words: environments,
			Usage: "take the costs of the environment `NAME`: " + modelfile.Alternatives(environments) + "; may be repeated"}),
		cli.Value(&o.nodes, "nodes", cli.WholeNumbers(1, math.MaxInt32), cli.About{Default: "4,8,12", Hint: "for example --nodes 4,8,12",
			Usage: "add up the costs on each number of nodes of `LIST`"}),
		cli.Int(&o.unit, "min-nodes", cli.PositiveInt, cli.About{Hint: "for example --nodes 8 --min-nodes 2",
			Usage: "give partitions in multiples of `M` nodes"}),
		cli.Values(&o.steps, "step", parseStep, cli.About{Hint: "for example --step connect=0.4; the steps are " + strings.Join(steps, ", "),
			Usage: "replace the cost of a step by `NAME=COST`, in seconds; may be repeated; the steps are " + strings.Join(steps, ", ")}),
		cli.Number(&o.scv, "scv", cli.About{Default: "1", Hint: "for example --scv 0.25",
			Usage: "give the overheads the squared coefficient of variation `X` (with --format yaml)"}),
		cli.Plot(&o.plot, "the costs"),
	}
}

// Check checks that a section of a model is of one machine.
func (o *options) Check(inv *cli.Invocation) error {
	if machines := len(o.environments) * len(o.nodes); inv.Format == "yaml" && machines != 1 {
		return cli.Usagef("for example --environment sp2 --nodes 8",
			"--format yaml: a model has one environment and one number of nodes, not %d", machines)
	}
	return nil
}

func parseEnvironment(names []string) func(string) (Environment, error) {
	return func(name string) (Environment, error) {
		_, err := cli.OneOf("unknown environment", names...)(name)
		e, _ := Named(name)
		return e, err
	}
}

func parseStep(text string) (step, error) {
	name, value, ok := strings.Cut(text, "=")
	cost, err := strconv.ParseFloat(value, 64)
	if !ok || err != nil {
		return step{}, fmt.Errorf("%q is not a step and its cost", text)
	}
	_, err = new(Steps).With(name, cost)
	return step{name, cost}, err
}

// machine is an environment with a number of nodes.
type machine struct {
	Environment
	nodes, unit int
}

// row is a repartition on a machine.
type row struct {
	*machine
	phase string // shrink or expand
	Row
}

func run(inv *cli.Invocation, o *options) error {
	rows, err := o.rows()
	switch {
	case err != nil:
		return cli.Usagef("for example --nodes 8 --min-nodes 2", "--min-nodes: %s", cli.Plain(err))
	case inv.Format == "yaml":
		err = o.printSection(inv, rows[0].machine)
	default:
		err = inv.Emit(newResult(rows))
	}
	if err != nil {
		return err
	}
	return inv.Draw(o.plot, newFigure(rows))
}

// rows adds up the costs.
func (o *options) rows() ([]row, error) {
	var all []row
	for _, nodes := range o.nodes {
		for _, e := range o.environments {
			m := &machine{e, nodes, o.unit}
			for _, q := range o.steps {
				m.Steps, _ = m.Steps.With(q.name, q.cost) // as checked when it was read
			}
			for phase, costs := range []func(nodes, unit int) ([]Row, error){m.Steps.Shrink, m.Steps.Expand} {
				rows, err := costs(nodes, o.unit)
				if err != nil {
					return nil, err
				}
				for _, r := range rows {
					all = append(all, row{m, []string{"shrink", "expand"}[phase], r})
				}
			}
		}
	}
	return all, nil
}

// printSection prints the section of a model file about repartitions of a machine.
func (o *options) printSection(inv *cli.Invocation, m *machine) error {
	lists, err := m.Steps.Overheads(m.nodes, m.unit, o.scv)
	if err != nil {
		return err
	}
	return inv.Print(fmt.Sprintf("dynamic:   # %s of %s: partwise lab overheads\n", m.Title, output.Count(m.nodes, "node")) + lists)
}

func newResult(rows []row) *output.Result {
	l := &output.List{Title: "Repartitions, seconds", Len: len(rows), Columns: []output.Column{
		{Key: "environment", Name: "environment", OnlyCSV: true, Value: func(i int) any { return rows[i].Name }},
		{Key: "nodes", Name: "nodes", OnlyCSV: true, Value: func(i int) any { return rows[i].nodes }},
		{Key: "min_nodes", OnlyCSV: true, Value: func(i int) any { return rows[i].unit }},
		{Key: "phase", Name: "phase", OnlyCSV: true, Value: func(i int) any { return rows[i].phase }},
		{Key: "jobs", Value: func(i int) any { return rows[i].Jobs }},
		{Key: "before", OnlyJSON: true, Value: func(i int) any { return rows[i].Before }},
		{Key: "after", OnlyJSON: true, Value: func(i int) any { return rows[i].After }},
		{Key: "before", OnlyCSV: true, Value: func(i int) any { return partitions(rows[i].Before) }},
		{Key: "after", OnlyCSV: true, Value: func(i int) any { return partitions(rows[i].After) }},
		{Name: "transition", Value: func(i int) any { return partitions(rows[i].Before) + " → " + partitions(rows[i].After) }},
	}}
	for _, c := range []struct {
		key, name string
		of        func(*row) float64
	}{
		{"interrupted", "interrupted", func(r *row) float64 { return r.Interrupted }},
		{"moving_nodes", "moving", func(r *row) float64 { return r.Moving }},
		{"system", "system", func(r *row) float64 { return r.System }},
		{"application", "application", func(r *row) float64 { return r.Application }},
		{"total", "total", func(r *row) float64 { return r.Total }},
	} {
		l.Columns = append(l.Columns, output.Column{Key: c.key, Name: c.name, Extra: c.key != "total", Text: output.Digits(3),
			Value: func(i int) any { return c.of(&rows[i]) }})
	}
	var results []output.Object
	objects := l.Objects()
	for from, to := 0, 0; from < len(rows); from = to {
		m, expand := rows[from].machine, from
		for to = from; to < len(rows) && rows[to].machine == m; to++ {
			if rows[to].phase == "shrink" {
				expand++
			}
		}
		var steps output.Object
		for _, q := range Table() {
			steps.Add(q.Name, q.Of(m.Steps))
		}
		results = append(results, output.Object{{Name: "environment", Value: m.Name}, {Name: "nodes", Value: m.nodes},
			{Name: "min_nodes", Value: m.unit}, {Name: "steps", Value: steps}, {Name: "shrink", Value: objects[from:expand]},
			{Name: "expand", Value: objects[expand:to]}})
	}
	r := &output.Result{Object: output.Object{{Name: "version", Value: output.Version}, {Name: output.TimeUnit, Value: "s"},
		{Name: "results", Value: results}}}
	r.List(l)
	r.Note("The costs of the steps are parameters (--step); the built-in ones stand in for measurements.")
	return r
}

// partitions writes sizes as the tables of the literature do.
func partitions(sizes []int) string {
	return "{" + strings.ReplaceAll(strings.Trim(fmt.Sprint(sizes), "[]"), " ", ",") + "}"
}

// newFigure draws a panel for each number of nodes: system and total of each environment.
func newFigure(rows []row) *chart.Figure {
	f := &chart.Figure{Title: "What a repartition costs", XLabel: "applications that run when it is over",
		Solid: "shrinking", Dashed: "expanding",
		Notes: []string{"total: from the decision until all applications run; system: the part that would remain if applications took no time to stop and start."}}
	for _, r := range rows {
		p := f.PanelOf(chart.Panel{Title: output.Count(r.nodes, "node"), YLabel: "mean time [s]", MayLog: true})
		for _, kind := range []string{"system", "total"} {
			l := chart.Line{Series: f.SeriesOf(r.Title + ", " + kind), Dashed: r.phase == "expand"}
			p.Add(l, float64(r.Jobs), map[string]float64{"system": r.System, "total": r.Total}[kind])
		}
	}
	return f
}
