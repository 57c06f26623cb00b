package epochscmd

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/validate/sched/epoch"
)

// planned is the schedule of a policy.
type planned struct {
	choice
	epoch.Schedule
}

// schedule makes a schedule under each policy.
func (o *options) schedule(inv *cli.Invocation) error {
	problem := epoch.Problem{Nodes: o.nodes[0], Min: o.least}
	if err := problem.Check(); err != nil {
		return cli.Usagef("for example --nodes 16 --min-nodes 1,2,3", "--min-nodes: %s", cli.Plain(err))
	}
	chosen, err := o.fit(inv, problem.Nodes)
	if err != nil {
		return err
	}
	var all []planned
	var checker epoch.Checker
	for _, c := range chosen {
		rule, err := epoch.New(c.epoch())
		if err != nil {
			return err
		}
		p := planned{choice: c}
		if err := rule.Schedule(problem, &p.Schedule); err != nil {
			return cli.Usagef("heuristic:K makes good schedules at once", "%s: %s", c, cli.Plain(err))
		}
		if err := checker.Check(problem, &p.Schedule, rule.Spread()); err != nil {
			return fmt.Errorf("internal error: %s: %w", c, err)
		}
		all = append(all, p)
	}
	if inv.Format == "table" {
		err = inv.Write(func(w io.Writer) error { return writeText(w, all) })
	} else {
		err = inv.Emit(scheduleResult(all))
	}
	if err != nil {
		return err
	}
	return inv.Draw(o.plot, scheduleFigure(all))
}

// textColumns is the width of the rectangles in text.
const textColumns = 64

// writeText draws the schedules with characters.
func writeText(w io.Writer, all []planned) error {
	for i, p := range all {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s, %s in a quantum, %s for each node\n", p.Policy, output.Count(p.Nodes, "node"),
			output.Count(p.Overhead(), "reallocation"),
			output.Round(p.NormalizedOverhead(), 4))
		if err := p.WriteText(w, textColumns); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, "\nNodes from left to right, time upwards; jobs are counted from 0.")
	return err
}

// scheduleResult lays out the schedules.
func scheduleResult(all []planned) *cli.Result {
	r := &cli.Result{JSON: output.Object{{Name: "version", Value: output.Version},
		{Name: output.TimeUnit, Value: "quantum"}}}
	r.CSV = [][]string{{"policy", "job", "offset", "width", "start", "end"}}
	var results []output.Object
	for _, p := range all {
		pieces := []output.Object{}
		whole := float64(len(p.Pieces))
		table := output.Table{Title: fmt.Sprintf("%s, %s", p.Policy, output.Count(p.Nodes, "node"))}
		for _, name := range r.CSV[0][1:] {
			table.Columns = append(table.Columns, output.Column{Name: name, Number: true})
		}
		for _, q := range p.Pieces {
			start, end := float64(q.Start)/whole, float64(q.End)/whole
			pieces = append(pieces, output.Object{{Name: "job", Value: q.Job}, {Name: "offset", Value: q.Offset},
				{Name: "width", Value: q.Width}, {Name: "start", Value: start}, {Name: "end", Value: end}})
			r.CSV = append(r.CSV, []string{p.Policy.String(), strconv.Itoa(q.Job), strconv.Itoa(q.Offset), strconv.Itoa(q.Width),
				output.Shortest(start), output.Shortest(end)})
			table.Rows = append(table.Rows, []string{strconv.Itoa(q.Job), strconv.Itoa(q.Offset), strconv.Itoa(q.Width),
				p.Fraction(q.Start), p.Fraction(q.End)})
		}
		results = append(results, output.Object{{Name: "policy", Value: p.Policy.String()}, {Name: "nodes", Value: p.Nodes},
			{Name: "overhead", Value: p.NormalizedOverhead()}, {Name: "reallocations", Value: p.Overhead()},
			{Name: "schedule", Value: pieces}})
		r.Tables = append(r.Tables, table)
	}
	r.JSON.Add("results", results)
	return r
}

// scheduleFigure draws the schedules.
func scheduleFigure(all []planned) *chart.Rectangles {
	f := &chart.Rectangles{XLabel: "nodes", YLabel: "time [quanta]"}
	for _, p := range all {
		whole := float64(len(p.Pieces))
		r := chart.Rectangle{Name: fmt.Sprintf("%s: %s reallocations of a node", p.Policy,
			output.Round(p.NormalizedOverhead(), 3)), Width: p.Nodes}
		moments := []int{}
		for _, q := range p.Pieces {
			r.Tiles = append(r.Tiles, chart.Tile{Job: q.Job, X0: float64(q.Offset), X1: float64(q.Offset + q.Width),
				Y0: float64(q.Start) / whole, Y1: float64(q.End) / whole})
			moments = append(moments, q.Start, q.End)
		}
		slices.Sort(moments)
		for _, t := range slices.Compact(moments) {
			r.Marks = append(r.Marks, chart.Mark{At: float64(t) / whole, Label: p.Fraction(t)})
		}
		f.All = append(f.All, r)
	}
	return f
}
