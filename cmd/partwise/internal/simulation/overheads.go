package simulation

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/modelfile/tree"
	"github.com/partwise/partwise/validate/protocol"
)

// Overheads is the command that adds up what repartitions cost.
func Overheads() cli.Command {
	return cli.WithOptions(newOverheadOptions, overheads, cli.Command{
		Name:    "overheads",
		Group:   cli.Measuring,
		Summary: "what repartitions cost, from what the steps of the scheduler's protocol cost",
		Details: "Adds up the steps of a repartition in the order in which a distributed scheduler, the coordinators of " +
			"the applications and their workers take them (notify, checkpoint, acknowledge, kill, launch, reconnect), for " +
			"applications that arrive one by one (shrink) and depart one by one (expand). --format yaml is the dynamic " +
			"section of a model file in seconds. The built-in costs stand in for measurements; --step replaces them.",
		Examples: []string{
			"partwise overheads --nodes 4,8,12 --plot overheads.svg",
			"partwise overheads --environment sp2 --nodes 8 --format yaml >> model.yaml",
			"partwise overheads --environment now --nodes 16 --min-nodes 2 --step connect=0.4 --step launch=1.5",
		},
		Formats: []string{"json", "csv", "markdown", "table", "yaml"},
	})
}

// overheadOptions are the flags of overheads.
type overheadOptions struct {
	environments []protocol.Environment
	nodes        []int
	unit         int
	steps        []stepCost // in place of those of the environments
	scv          float64
	launch       bool
	plot         cli.Picture
}

func newOverheadOptions() *overheadOptions {
	return &overheadOptions{environments: protocol.Environments, nodes: []int{4, 8, 12}, unit: 1, scv: 1}
}

// Flags binds the flags.
func (o *overheadOptions) Flags() []cli.Flag {
	return []cli.Flag{
		cli.Values(&o.environments, "environment", parseEnvironment, cli.About{Default: "all", Words: environmentNames(),
			Usage: "take the costs of the environment `NAME`: " + tree.Alternatives(environmentNames()) + "; may be repeated"}),
		cli.Value(&o.nodes, "nodes", parseNodes, cli.About{Default: "4,8,12", Hint: "for example --nodes 4,8,12",
			Usage: "add up the costs on each number of nodes of `LIST`"}),
		cli.Int(&o.unit, "min-nodes", cli.PositiveInt, cli.About{Hint: "for example --nodes 8 --min-nodes 2",
			Usage: "give partitions in multiples of `M` nodes"}),
		cli.Values(&o.steps, "step", parseStep, cli.About{Hint: "for example --step connect=0.4",
			Usage: "replace the cost of a step, in seconds, as in `NAME=COST`; may be repeated; the steps are " + stepNames()}),
		cli.Value(&o.scv, "scv", parseSCV, cli.About{Default: "1", Hint: "for example --scv 0.25",
			Usage: "give the overheads the squared coefficient of variation `X` (with --format yaml)"}),
		cli.Switch(&o.launch, "launch",
			"count the launch on an empty machine as a repartition, if run times do not include it (with --format yaml)"),
		cli.Plot(&o.plot, "the costs"),
	}
}

// Check checks that there is one section of a model to write where that is asked for.
func (o *overheadOptions) Check(inv *cli.Invocation) error {
	if beds := len(o.environments) * len(o.nodes); inv.Format == "yaml" && beds != 1 {
		return cli.Usagef("for example --environment sp2 --nodes 8",
			"--format yaml: a model has one environment and one number of nodes, not %d", beds)
	}
	return nil
}

func environmentNames() []string {
	var names []string
	for _, e := range protocol.Environments {
		names = append(names, e.Name)
	}
	return names
}

func parseEnvironment(name string) (protocol.Environment, error) {
	if _, err := cli.OneOf("unknown environment", environmentNames()...)(name); err != nil {
		return protocol.Environment{}, err
	}
	e, _ := protocol.Named(name)
	return e, nil
}

func parseNodes(text string) ([]int, error) {
	var all []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a number of nodes", word)
		}
		all = append(all, n)
	}
	return all, nil
}

// stepCost is the cost of a step of the protocol, in seconds.
type stepCost struct {
	name string
	cost float64
}

func parseStep(text string) (stepCost, error) {
	name, value, ok := strings.Cut(text, "=")
	cost, err := strconv.ParseFloat(value, 64)
	if !ok || err != nil {
		return stepCost{}, fmt.Errorf("%q is not a step and its cost", text)
	}
	if _, err := (protocol.Steps{}).With(name, cost); err != nil {
		return stepCost{}, cli.Usagef("steps: "+stepNames(), "--step: %s", cli.Plain(err))
	}
	return stepCost{name, cost}, nil
}

func stepNames() string {
	var names []string
	for _, q := range protocol.Table {
		names = append(names, q.Name)
	}
	return strings.Join(names, ", ")
}

// mostSCV bounds --scv.
const mostSCV = 1e9

func parseSCV(text string) (float64, error) {
	v, err := cli.PositiveNumber(text)
	if err == nil && v >= mostSCV {
		err = fmt.Errorf("%q is not less than %g", text, mostSCV)
	}
	return v, err
}

// testbed is an environment with a number of nodes, and what repartitions cost on it.
type testbed struct {
	protocol.Environment
	nodes, unit    int
	shrink, expand []protocol.Row
}

func overheads(inv *cli.Invocation, o *overheadOptions) error {
	beds, err := o.testbeds()
	if err != nil {
		return err
	}
	if inv.Format == "yaml" {
		err = o.writeDynamicSection(inv, beds[0])
	} else {
		err = inv.Emit(newOverheads(beds))
	}
	if err != nil || !o.plot.Wanted() {
		return err
	}
	return inv.Draw(o.plot, overheadFigure(beds))
}

// testbeds adds up the costs.
func (o *overheadOptions) testbeds() ([]testbed, error) {
	var beds []testbed
	for _, nodes := range o.nodes {
		for _, e := range o.environments {
			b := testbed{Environment: e, nodes: nodes, unit: o.unit}
			var err error
			for _, step := range o.steps {
				if b.Steps, err = b.Steps.With(step.name, step.cost); err != nil {
					return nil, err
				}
			}
			if b.shrink, err = b.Steps.Shrink(nodes, o.unit); err == nil {
				b.expand, err = b.Steps.Expand(nodes, o.unit)
			}
			if err != nil {
				return nil, cli.Usagef("for example --nodes 8 --min-nodes 2", "--min-nodes: %s", cli.Plain(err))
			}
			beds = append(beds, b)
		}
	}
	return beds, nil
}

// writeDynamicSection writes the overheads as a model file has them, in seconds.
func (o *overheadOptions) writeDynamicSection(inv *cli.Invocation, b testbed) error {
	means := func(rows []protocol.Row, launch bool) string {
		words := make([]string, len(rows))
		for i, r := range rows {
			if words[i] = output.Round(r.Total, 4) + "s"; i == 0 && !launch {
				words[i] = "null"
			}
		}
		return strings.Join(words, ", ")
	}
	return inv.Write(func(w io.Writer) error {
		scv := output.Shortest(o.scv)
		fmt.Fprintf(w, "dynamic:   # %s of %s: partwise overheads\n", b.Title, output.Count(b.nodes, "node"))
		fmt.Fprintf(w, "  shrink: {means: [%s], scv: %s}\n", means(b.shrink, o.launch), scv)
		if len(b.expand) > 0 {
			fmt.Fprintf(w, "  expand: {means: [%s], scv: %s}\n", means(b.expand, true), scv)
		}
		return nil
	})
}

func newOverheads(beds []testbed) *cli.Result {
	r := &cli.Result{JSON: output.Object{{Name: "version", Value: output.Version}, {Name: "time_unit", Value: "s"}}}
	r.CSV = [][]string{{"environment", "nodes", "min_nodes", "phase", "jobs", "before", "after", "interrupted",
		"moving_nodes", "system", "application", "total"}}
	table := output.Table{Title: "Repartitions, seconds", Columns: []output.Column{{Name: "environment"},
		{Name: "nodes", Number: true}, {Name: "phase"}, {Name: "transition"}, {Name: "interrupted", Number: true, Extra: true},
		{Name: "moving", Number: true, Extra: true}, {Name: "system", Number: true, Extra: true}, {Name: "application", Number: true, Extra: true},
		{Name: "total", Number: true}}}
	var results []output.Object
	for _, b := range beds {
		var steps output.Object
		for _, q := range protocol.Table {
			steps.Add(q.Name, q.Of(b.Steps))
		}
		o := output.Object{{Name: "environment", Value: b.Name}, {Name: "nodes", Value: b.nodes},
			{Name: "min_nodes", Value: b.unit}, {Name: "steps", Value: steps}}
		for _, phase := range []struct {
			name string
			rows []protocol.Row
		}{{"shrink", b.shrink}, {"expand", b.expand}} {
			points := []output.Object{}
			for _, row := range phase.rows {
				points = append(points, output.Object{{Name: "jobs", Value: row.Jobs}, {Name: "before", Value: row.Before},
					{Name: "after", Value: row.After}, {Name: "interrupted", Value: row.Interrupted},
					{Name: "moving_nodes", Value: row.Moving}, {Name: "system", Value: row.System},
					{Name: "application", Value: row.Application}, {Name: "total", Value: row.Total}})
				r.CSV = append(r.CSV, []string{b.Name, strconv.Itoa(b.nodes), strconv.Itoa(b.unit), phase.name,
					strconv.Itoa(row.Jobs), partitions(row.Before), partitions(row.After), output.Shortest(row.Interrupted),
					output.Shortest(row.Moving), output.Shortest(row.System), output.Shortest(row.Application),
					output.Shortest(row.Total)})
				table.Rows = append(table.Rows, []string{b.Name, strconv.Itoa(b.nodes), phase.name,
					partitions(row.Before) + " → " + partitions(row.After), output.Round(row.Interrupted, 3),
					output.Round(row.Moving, 3), output.Round(row.System, 3), output.Round(row.Application, 3),
					output.Round(row.Total, 3)})
			}
			o.Add(phase.name, points)
		}
		results = append(results, o)
	}
	r.JSON.Add("results", results)
	r.Tables = []output.Table{table}
	r.Notes = []string{"The costs of the steps are parameters (--step); the built-in ones stand in for measurements."}
	return r
}

// partitions writes sizes as the tables of the literature do.
func partitions(sizes []int) string {
	words := make([]string, len(sizes))
	for i, n := range sizes {
		words[i] = strconv.Itoa(n)
	}
	return "{" + strings.Join(words, ",") + "}"
}

// overheadFigure draws a panel for each number of nodes: system and total of each environment.
func overheadFigure(beds []testbed) *chart.Figure {
	f := &chart.Figure{Title: "What a repartition costs", XLabel: "applications that run when it is over",
		Solid: "shrinking", Dashed: "expanding"}
	series := map[string]int{}
	for _, b := range beds {
		for _, kind := range []string{"system", "total"} {
			if name := b.Title + ", " + kind; !contains(series, name) {
				series[name] = len(f.Series)
				f.Series = append(f.Series, name)
			}
		}
		if n := len(f.Panels); n == 0 || f.Panels[n-1].Title != output.Count(b.nodes, "node") {
			f.Panels = append(f.Panels, chart.Panel{Title: output.Count(b.nodes, "node"), YLabel: "seconds", MayLog: true})
		}
		panel := &f.Panels[len(f.Panels)-1]
		for _, dashed := range []bool{false, true} {
			rows := b.shrink
			if dashed {
				rows = b.expand
			}
			system := chart.Line{Series: series[b.Title+", system"], Dashed: dashed}
			total := chart.Line{Series: series[b.Title+", total"], Dashed: dashed}
			for _, row := range rows {
				system.X, system.Y = append(system.X, float64(row.Jobs)), append(system.Y, row.System)
				total.X, total.Y = append(total.X, float64(row.Jobs)), append(total.Y, row.Total)
			}
			panel.Lines = append(panel.Lines, system, total)
		}
	}
	return f
}

func contains(m map[string]int, key string) bool {
	_, ok := m[key]
	return ok
}
