package simulation

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/validate/protocol"
)

// Overheads is the command that adds up what repartitions cost.
func Overheads() cli.Command {
	return cli.Command{
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
		Flags: []urfave.Flag{
			&urfave.StringSliceFlag{Name: "environment", Usage: "costs of `E`: now or sp2; may be repeated (default: both)"},
			&urfave.StringFlag{Name: "nodes", Value: "4,8,12", Usage: "numbers of nodes `N,N,...`"},
			&urfave.IntFlag{Name: "min-nodes", Value: 1, Usage: "partitions are multiples of `M` nodes"},
			&urfave.StringSliceFlag{Name: "step",
				Usage: "cost of a step in seconds, as in `NAME=COST`; may be repeated. Steps: " +
					stepNames()},
			&urfave.StringFlag{Name: "scv", Value: "1",
				Usage: "squared coefficient of variation `X` of the overheads (--format yaml)"},
			&urfave.BoolFlag{Name: "launch", DisableDefaultText: true,
				Usage: "count the launch on an empty machine as a repartition (--format yaml), for run times without it"},
			cli.PlotFlag("the costs"),
		},
		Formats: []string{"json", "csv", "markdown", "table", "yaml"},
		Run:     overheads,
	}
}

func stepNames() string {
	var names []string
	for _, q := range protocol.Table {
		names = append(names, q.Name)
	}
	return strings.Join(names, ", ")
}

// testbed is an environment with a number of nodes, and what repartitions cost on it.
type testbed struct {
	protocol.Environment
	nodes, unit    int
	shrink, expand []protocol.Row
}

func overheads(inv *cli.Invocation) error {
	plot, err := inv.Picture("plot")
	if err != nil {
		return err
	}
	beds, err := testbeds(inv)
	if err != nil {
		return err
	}
	if inv.Format == "yaml" {
		if len(beds) != 1 {
			return cli.Usagef("for example --environment sp2 --nodes 8",
				"--format yaml: a model has one environment and one number "+
					"of nodes, not %d", len(beds))
		}
		err = writeDynamicSection(inv, beds[0])
	} else {
		err = inv.Emit(newOverheads(beds))
	}
	if err != nil || !plot.Wanted() {
		return err
	}
	return inv.Draw(plot, overheadFigure(beds))
}

// testbeds reads the flags and adds up the costs.
func testbeds(inv *cli.Invocation) ([]testbed, error) {
	environments, err := environments(inv)
	if err != nil {
		return nil, err
	}
	var beds []testbed
	unit := inv.Flags.Int("min-nodes")
	for _, word := range strings.Split(inv.Flags.String("nodes"), ",") {
		nodes, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || nodes < 1 {
			return nil, cli.Usagef("for example --nodes 4,8,12", "--nodes: %q is not a number of nodes", word)
		}
		for _, e := range environments {
			b := testbed{Environment: e, nodes: nodes, unit: unit}
			if b.shrink, err = e.Steps.Shrink(nodes, unit); err == nil {
				b.expand, err = e.Steps.Expand(nodes, unit)
			}
			if err != nil {
				return nil, cli.Usagef("for example --nodes 8 --min-nodes 2", "--min-nodes: %s", cli.Plain(err))
			}
			beds = append(beds, b)
		}
	}
	return beds, nil
}

// environments returns those that were asked for, with the costs that were given.
func environments(inv *cli.Invocation) ([]protocol.Environment, error) {
	chosen := protocol.Environments
	if names := inv.Flags.StringSlice("environment"); len(names) > 0 {
		chosen = nil
		for _, name := range names {
			e, ok := protocol.Named(name)
			if !ok {
				return nil, cli.Usagef("use now or sp2", "--environment: unknown environment %q", name)
			}
			chosen = append(chosen, e)
		}
	}
	out := append([]protocol.Environment(nil), chosen...)
	for _, text := range inv.Flags.StringSlice("step") {
		name, value, ok := strings.Cut(text, "=")
		cost, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil {
			return nil, cli.Usagef("for example --step connect=0.4", "--step: %q is not a step and its cost", text)
		}
		for i := range out {
			if out[i].Steps, err = out[i].Steps.With(name, cost); err != nil {
				return nil, cli.Usagef("steps: "+stepNames(), "--step: %s", cli.Plain(err))
			}
		}
	}
	return out, nil
}

// writeDynamicSection writes the overheads as a model file has them, in seconds.
func writeDynamicSection(inv *cli.Invocation, b testbed) error {
	text := inv.Flags.String("scv")
	scv, err := strconv.ParseFloat(text, 64)
	if err != nil || !(scv > 0 && scv < 1e9) {
		return cli.Usagef("for example --scv 0.25", "--scv: %q is not a positive number", text)
	}
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
		fmt.Fprintf(w, "dynamic:   # %s of %d nodes: partwise overheads\n", b.Title, b.nodes)
		fmt.Fprintf(w, "  shrink: {means: [%s], scv: %s}\n", means(b.shrink, inv.Flags.Bool("launch")), output.Shortest(scv))
		if len(b.expand) > 0 {
			fmt.Fprintf(w, "  expand: {means: [%s], scv: %s}\n", means(b.expand, true), output.Shortest(scv))
		}
		return nil
	})
}

func newOverheads(beds []testbed) *cli.Result {
	r := &cli.Result{JSON: output.Object{{Name: "version", Value: output.Version}, {Name: "time_unit", Value: "s"}}}
	r.CSV = [][]string{{"environment", "nodes", "min_nodes", "phase", "jobs", "before", "after", "interrupted",
		"moving_nodes", "system", "application", "total"}}
	table := output.Table{Title: "Repartitions, seconds", Columns: []output.Column{{Name: "environment"},
		{Name: "nodes", Number: true}, {Name: "phase"}, {Name: "transition"}, {Name: "interrupted", Number: true},
		{Name: "moving", Number: true}, {Name: "system", Number: true}, {Name: "application", Number: true},
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
		if n := len(f.Panels); n == 0 || f.Panels[n-1].Title != fmt.Sprintf("%d nodes", b.nodes) {
			f.Panels = append(f.Panels, chart.Panel{Title: fmt.Sprintf("%d nodes", b.nodes), YLabel: "seconds", MayLog: true})
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
