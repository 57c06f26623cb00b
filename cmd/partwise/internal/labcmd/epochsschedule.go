package labcmd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/lab"
	"github.com/partwise/partwise/validate/sched"
)

// planned is the schedule of a policy.
type planned struct {
	lab.EpochChoice
	sched.EpochSchedule
}

// schedule makes the schedule of a quantum under each policy for the jobs of --min-nodes, and writes and draws the
// schedules.
func (o *epochsOptions) schedule(inv *cli.Invocation) error {
	problem := sched.EpochProblem{Nodes: o.nodes[0], Min: o.least}
	if err := problem.Check(); err != nil {
		return fault.Usagef("for example --nodes 16 --min-nodes 1,2,3", "--min-nodes: %s", fault.Plain(err))
	}
	chosen, err := o.fit(inv, problem.Nodes)
	if err != nil {
		return err
	}
	all := make([]planned, len(chosen))
	for i, c := range chosen {
		schedule, err := lab.ScheduleEpoch(problem, c.Policy)
		if err != nil {
			return fault.Hint(fault.ExitTooLarge, "heuristic:K makes good schedules at once", errors.New(fault.Plain(err)))
		}
		all[i] = planned{c, schedule}
	}
	if err := inv.Emit(scheduleResult(all)); err != nil {
		return err
	}
	return input.Draw(inv, o.plot, scheduleFigure(all, len(o.least)))
}

// pieceRow returns what results say of a piece of a schedule, its times as fractions of the quantum.
func (p *planned) pieceRow(q *sched.EpochPiece) output.Row {
	return output.Row{output.InCSV("policy", p.String()), output.Col("job", "job").Is(q.Job),
		output.Col("offset", "offset").Is(q.Offset), output.Col("width", "width").Is(q.Width), output.Data("start", p.Share(q.Start)),
		output.Data("end", p.Share(q.End)), output.InTable("start").Right().Is(p.Fraction(q.Start)),
		output.InTable("end").Right().Is(p.Fraction(q.End))}
}

// scheduleResult returns the schedules: for each policy a list of the pieces of the quantum, with the number of reallocated
// nodes.
func scheduleResult(all []planned) *output.Result {
	var results []output.Object
	for _, p := range all {
		title := fmt.Sprintf("%s: %s, %s in a quantum, %s for each node", p.Policy, words.Count(p.Nodes, "node"),
			words.Count(p.Overhead(), "reallocation"), words.Round(p.NormalizedOverhead(), 4))
		pieces := output.NewList("", title, output.Wide, p.Pieces, p.pieceRow)
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

// scheduleFigure draws the schedules of so many jobs, a panel for each policy: nodes to the right, time in the quantum
// upwards, a tile for each job.
func scheduleFigure(all []planned, jobs int) *chart.Figure {
	f := &chart.Figure{Title: scheduleTitle(all, jobs), XLabel: "nodes", Columns: 3}
	var chosen []lab.EpochChoice
	for _, p := range all {
		chosen = append(chosen, p.EpochChoice)
		r := chart.Panel{Title: fmt.Sprintf("%s: %s reallocations of a node", p.Policy,
			words.Round(p.NormalizedOverhead(), 3)), YLabel: "time [quanta]"}
		moments := []int{}
		for _, q := range p.Pieces {
			r.Tiles = append(r.Tiles, chart.Tile{Job: q.Job, Text: strconv.Itoa(q.Job), X0: float64(q.Offset),
				X1: float64(q.Offset + q.Width), Y0: p.Share(q.Start), Y1: p.Share(q.End)})
			moments = append(moments, q.Start, q.End)
		}
		slices.Sort(moments)
		for _, t := range slices.Compact(moments) {
			r.YNames = append(r.YNames, chart.Named{At: p.Share(t), Name: p.Fraction(t)})
		}
		f.Panels = append(f.Panels, r)
	}
	f.Notes = append(epochNotes(chosen), "Numbers are jobs. In a quantum each job has its turn; the picture shows one quantum.")
	return f
}
