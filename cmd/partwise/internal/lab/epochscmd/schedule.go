package epochscmd

import (
	"cmp"
	"fmt"
	"github.com/partwise/partwise/models/words"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/validate/sched"
)

// planned is the schedule of a policy.
type planned struct {
	Choice
	sched.EpochSchedule
}

// fraction writes a time of the schedule as a fraction of the quantum.
func (p *planned) fraction(t int) string {
	return big.NewRat(int64(t), int64(len(p.Pieces))).RatString()
}

// at returns a time of the schedule as a part of the quantum.
func (p *planned) at(t int) float64 { return float64(t) / float64(len(p.Pieces)) }

// schedule makes a schedule under each policy.
func (o *options) schedule(inv *cli.Invocation) error {
	problem := sched.EpochProblem{Nodes: o.nodes[0], Min: o.least}
	if err := problem.Check(); err != nil {
		return cli.Usagef("for example --nodes 16 --min-nodes 1,2,3", "--min-nodes: %s", cli.Plain(err))
	}
	chosen, err := o.fit(inv, problem.Nodes)
	if err != nil {
		return err
	}
	all := make([]planned, len(chosen))
	for i, c := range chosen {
		plans, err := newPlanner(c.Policy)
		if err == nil {
			err = plans.plan(problem)
		}
		if err != nil {
			return cli.Usagef("heuristic:K makes good schedules at once", "%s", cli.Plain(err))
		}
		all[i] = planned{c, plans.schedule}
	}
	if err := inv.Emit(scheduleResult(all)); err != nil {
		return err
	}
	return inv.Draw(o.plot, scheduleFigure(all, len(o.least)))
}

// piece is a piece of a schedule as results have it, its times as fractions of the quantum.
type piece struct {
	Policy string  `key:"policy" form:"csv"`
	Job    int     `key:"job" head:"job"`
	Offset int     `key:"offset" head:"offset"`
	Width  int     `key:"width" head:"width"`
	Start  float64 `key:"start"`
	End    float64 `key:"end"`
	From   string  `head:"start" form:"number"`
	To     string  `head:"end" form:"number"`
}

// scheduleResult returns the schedules, a list of pieces each.
func scheduleResult(all []planned) *output.Result {
	var results []output.Object
	for _, p := range all {
		var rows []piece
		for _, q := range p.Pieces {
			rows = append(rows, piece{p.String(), q.Job, q.Offset, q.Width, p.at(q.Start), p.at(q.End), p.fraction(q.Start), p.fraction(q.End)})
		}
		pieces := output.ListOf("", fmt.Sprintf("%s: %s, %s in a quantum, %s for each node", p.Policy, words.Count(p.Nodes, "node"),
			words.Count(p.Overhead(), "reallocation"), output.Round(p.NormalizedOverhead(), 4)), output.Wide, rows, "")
		results = append(results, output.Object{{Name: "policy", Value: p.String()}, {Name: "nodes", Value: p.Nodes},
			{Name: "overhead", Value: p.NormalizedOverhead()}, {Name: "reallocations", Value: p.Overhead()},
			{Name: "schedule", Value: pieces}})
	}
	return output.NewResult("quantum", output.Field{Name: "results", Value: results})
}

// scheduleTitle says under which policies fewest nodes are reallocated among so many jobs.
func scheduleTitle(all []planned, jobs int) string {
	least := slices.MinFunc(all, func(a, b planned) int { return cmp.Compare(a.Overhead(), b.Overhead()) })
	var names []string
	for _, p := range all {
		if p.Overhead() == least.Overhead() {
			names = append(names, p.String())
		}
	}
	return fmt.Sprintf("%s on %s: fewest reallocations under %s", words.Count(jobs, "job"), words.Count(least.Nodes, "node"),
		strings.Join(names, ", "))
}

// scheduleFigure draws the schedules of so many jobs.
func scheduleFigure(all []planned, jobs int) *chart.Figure {
	f := &chart.Figure{Title: scheduleTitle(all, jobs), XLabel: "nodes", Columns: 3}
	var chosen []Choice
	for _, p := range all {
		chosen = append(chosen, p.Choice)
		r := chart.Panel{Title: fmt.Sprintf("%s: %s reallocations of a node", p.Policy,
			output.Round(p.NormalizedOverhead(), 3)), YLabel: "time [quanta]"}
		moments := []int{}
		for _, q := range p.Pieces {
			r.Tiles = append(r.Tiles, chart.Tile{Job: q.Job, Text: strconv.Itoa(q.Job), X0: float64(q.Offset),
				X1: float64(q.Offset + q.Width), Y0: p.at(q.Start), Y1: p.at(q.End)})
			moments = append(moments, q.Start, q.End)
		}
		slices.Sort(moments)
		for _, t := range slices.Compact(moments) {
			r.YNames = append(r.YNames, chart.Named{At: p.at(t), Name: p.fraction(t)})
		}
		f.Panels = append(f.Panels, r)
	}
	f.Notes = append(epochNotes(chosen), "Numbers are jobs. In a quantum each job has its turn; the picture shows one quantum.")
	return f
}
