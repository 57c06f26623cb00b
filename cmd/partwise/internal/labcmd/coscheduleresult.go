package labcmd

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/lab"
)

// result returns what came of the runs: one list of all outcomes, and tables for each case and load.
func (o *coscheduleOptions) result(all []lab.CoschedulingOutcome) *output.Result {
	r := output.NewResult("s")
	if o.figure.Name != "" {
		r.Add("figure", o.figure.Name)
		r.Add("title", o.figure.Title)
	}
	r.List(outcomeList(all))
	for _, group := range lab.ByCoschedulingCase(all) {
		r.List(measureTable(group))
		r.List(profileTable(group))
	}
	return r
}

// outcomeList returns the list of all outcomes, as JSON and CSV have it.
func outcomeList(all []lab.CoschedulingOutcome) *output.List {
	return output.NewList("results", "", output.Wide, all, func(o *lab.CoschedulingOutcome) output.Row {
		c, activities := &o.Case, o.Profile()
		jobs, events, seconds := o.Effort()
		row := output.Row{output.Data("case", c.Name), output.Data("policy", o.Policy.String()), output.Data("workload", c.Mix.Name),
			output.Data("load", output.NonZero(c.Load)), output.Data("jobs", output.NonZero(jobs)),
			output.InJSON("saturated", output.When(c.Load > 0, o.Saturated())), output.InJSON("nodes", c.Cluster.Nodes),
			output.InJSON("mpl", c.Cluster.MPL), output.InJSON("skew", c.Cluster.Skew), output.InJSON("pattern", string(c.Cluster.Pattern)),
			output.InJSON("replications", len(o.Replications))}
		for _, name := range lab.CoschedulingMeasures() {
			row = append(row, output.Measure(name).MeanFirst().Is(o.Of(name)))
		}
		var profile output.Object
		for k, name := range lab.Activities() {
			row = append(row, output.Col(name, "").CSV().MeanFirst().Is(activities[k]))
			profile.Add(name, activities[k].Mean)
		}
		return append(row, output.InJSON("profile", profile), output.InJSON("boosts", boosts(o)),
			output.InJSON("events", events), output.InJSON("seconds", seconds))
	}).Show()
}

// boosts returns the numbers of boosts by the state and by the position of the process, or nil if no process was boosted.
func boosts(o *lab.CoschedulingOutcome) (all output.Object) {
	positions := o.Boosts(lab.BoostsByPosition)
	if slices.Max(positions) == 0 {
		return nil
	}
	for k, n := range o.Boosts(lab.BoostsByState) {
		all.Add(fmt.Sprintf("S%d", k+1), n)
	}
	all.Add("by_position", positions)
	return all
}

// measureTable returns the table of the measures of a case. Measures that no outcome has are left out.
func measureTable(group []lab.CoschedulingOutcome) *output.List {
	title := titled(group[0].Case.Title(), measure.Confidence)
	return output.NewTable(title, group, func(o *lab.CoschedulingOutcome) output.Row {
		row := output.Row{output.InTable("policy").Is(o.Policy.String())}
		for _, m := range []struct{ key, head string }{{measure.MeanResponseTime, "response [s]"}, {measure.MeanWaitingTime, "waiting"},
			{lab.MeanRunSlowdown, "slowdown"}, {lab.UtilizationDemand, "demand done"}, {lab.FairnessCV, "unfairness"}} {
			column, v := output.InTable(m.head).WithHalfWidth(3), o.Of(m.key)
			switch {
			case !words.Finite(group[0].Of(m.key).Mean):
			case m.key == measure.MeanResponseTime && o.Saturated():
				row = append(row, column.Is("over "+words.Round(v.Mean, 3)))
			default:
				row = append(row, column.Is(v))
			}
		}
		return row
	})
}

// profileTable returns the table of what processors do in a case, and of how much of it is useful work.
func profileTable(group []lab.CoschedulingOutcome) *output.List {
	return output.NewTable("Time of processors [%]", group, func(o *lab.CoschedulingOutcome) output.Row {
		row := output.Row{output.InTable("policy").Is(o.Policy.String())}
		for k, v := range append(o.Profile(), o.Of(lab.UtilizationUseful)) {
			row = append(row, output.InTable(append(lab.Activities(), "useful")[k]).Decimals(1).Is(100*v.Mean))
		}
		return row
	})
}

// CoscheduleDrawing draws outcomes: response times over loads, or the bars of one load, which say more. figure is the figure of
// the paper that the outcomes belong to, and gives title and view; it is zero if they belong to no figure.
func CoscheduleDrawing(figure lab.CoschedulingFigure, all []lab.CoschedulingOutcome) *chart.Figure {
	if figure.IsOverLoads(all) {
		return loadCurves(figure, all)
	}
	return bars(figure, all)
}

// loadCurves draws response times over loads: a panel for each workload, a line for each policy. A policy that left
// jobs behind has no response time. Notes name the policies that have none at any load.
func loadCurves(figure lab.CoschedulingFigure, all []lab.CoschedulingOutcome) *chart.Figure {
	f := &chart.Figure{Title: figure.Title, Heading: "Coscheduling", XLabel: "offered load"}
	drawn := map[string]bool{}
	for i := range all {
		one, name := &all[i], all[i].Policy.String()
		response := one.Of(measure.MeanResponseTime).Mean
		if one.Saturated() {
			response = math.NaN()
		} else {
			drawn[name] = true
		}
		workload := cmp.Or(one.Case.NameBeforeLoad(), one.Case.Mix.Name)
		p := f.PanelOf(chart.Panel{Title: "Response times, workload " + workload, YLabel: "mean response time [s]", MayLog: true})
		p.Add(chart.Line{Series: f.SeriesOf(name)}, one.Case.Load, response)
	}
	f.Notes = notes(all, lab.ResponseTimes)
	missing := slices.DeleteFunc(slices.Clone(f.Series), func(name string) bool { return drawn[name] })
	if len(missing) > 0 {
		f.Notes = append(f.Notes, coscheduleSentences.Sentences("missing", missing)...)
	}
	return f
}

//go:embed coschedulenotes.txt
var coscheduleNotesText string

// coscheduleSentences say what names in pictures mean.
var coscheduleSentences = output.ParseProse(coscheduleNotesText)

// notes say what the names of the policies, of the workloads and of what is varied mean.
func notes(all []lab.CoschedulingOutcome, view lab.BoostView) []string {
	var about struct {
		Mixes                                                           []string
		Positions, Others, Fair, Patterns, Skews, Levels, Busy, Backlog bool
	}
	about.Positions = view == lab.BoostsByPosition
	first := &all[0].Case.Cluster
	for i := range all {
		c := &all[i].Case
		if mix := c.Mix.Summary(); !slices.Contains(about.Mixes, mix) {
			about.Mixes = append(about.Mixes, mix)
		}
		p, _ := all[i].Policy.(policy.Coscheduling)
		about.Others = about.Others || p.Arrival != policy.PeriodicBoost
		about.Fair = about.Fair || p.Boost.Fair
		about.Patterns = about.Patterns || c.Cluster.Pattern != first.Pattern
		about.Skews = about.Skews || c.Cluster.Skew != first.Skew
		about.Levels = about.Levels || strings.Contains(c.Name, "MPL")
		about.Busy = about.Busy || c.Load > 1
		about.Backlog = about.Backlog || c.Load == 0
	}
	return coscheduleSentences.Sentences("notes", about)
}

// mostProfiles is for how many cases the time of processors is drawn beside response times.
const mostProfiles = 5

// bars draws for each case the parts of response times and, if the cases are few, of the time of processors. If the
// view of the figure asks for boosts, it draws their shares instead.
func bars(figure lab.CoschedulingFigure, all []lab.CoschedulingOutcome) *chart.Figure {
	f := &chart.Figure{Title: figure.Title, Notes: notes(all, figure.View)}
	cases := lab.ByCoschedulingCase(all)
	if figure.View != lab.ResponseTimes {
		f.Columns = casesInRow
		sortByWorkload(cases)
		parts := boostParts(figure.View, all[0].Case.Cluster.MPL)
		for _, group := range cases {
			f.Panels = append(f.Panels, barPanel(group, "", chart.Panel{YLabel: "share of boosts", Top: 1, Parts: parts},
				func(o *lab.CoschedulingOutcome) []float64 { return o.BoostShares(figure.View) }))
		}
		return f
	}
	profiles := len(cases) <= mostProfiles
	if profiles {
		f.Columns = 2 // response times, and the time of processors
		f.Notes = append(f.Notes, coscheduleSentences.Sentences("activities", nil)...)
	} else {
		f.Columns = casesInRow
		sortByWorkload(cases)
	}
	limit := lab.ResponseLimit(all)
	for _, group := range cases {
		if group[0].Case.Load > 0 {
			f.Panels = append(f.Panels, responsePanel(group, limit))
		}
		if profiles {
			f.Panels = append(f.Panels, barPanel(group, ": time of processors",
				chart.Panel{YLabel: "share of time", Top: 1, Parts: lab.Activities()}, activities))
		}
	}
	if limit > 0 {
		f.Notes = append(f.Notes, coscheduleSentences.Sentences("cut", nil)...)
	}
	return f
}

// casesInRow is how many cases stand side by side where each has one panel.
const casesInRow = 3

// sortByWorkload puts the cases of the workloads with the most cases first. The cases of a workload then stand in a row
// if they are as many as columns.
func sortByWorkload(cases [][]lab.CoschedulingOutcome) {
	number := map[string]int{} // of cases, by workload
	workload := func(group []lab.CoschedulingOutcome) string { return group[0].Case.Mix.Name }
	for _, group := range cases {
		number[workload(group)]++
	}
	slices.SortStableFunc(cases, func(a, b []lab.CoschedulingOutcome) int { return number[workload(b)] - number[workload(a)] })
}

// barPanel completes the panel of a case: its title is that of the case with what the panel shows, and each policy has a bar with
// parts.
func barPanel(group []lab.CoschedulingOutcome, shows string, p chart.Panel,
	parts func(*lab.CoschedulingOutcome) []float64) chart.Panel {
	p.Title = group[0].Case.Title() + shows
	for i := range group {
		p.Bars = append(p.Bars, chart.StackedBar{Name: group[i].Policy.String(), Parts: parts(&group[i])})
	}
	return p
}

// responsePanel draws waiting and run times of a case, up to a limit. The response times of policies that left jobs
// behind are lower bounds.
func responsePanel(group []lab.CoschedulingOutcome, limit float64) chart.Panel {
	parts := chart.Panel{YLabel: "response time [s]", Top: limit, Parts: []string{"waiting", "run time"}}
	p := barPanel(group, ": response time", parts,
		func(o *lab.CoschedulingOutcome) []float64 {
			return []float64{o.Of(measure.MeanWaitingTime).Mean, o.Of(measure.MeanRunTime).Mean}
		})
	for i := range group {
		if group[i].Saturated() {
			p.Bars[i].Note = "> "
		}
	}
	return p
}

// boostParts names the parts of bars that show boosts: the states of boosted processes, or their places among as many processes as
// may share a node.
func boostParts(view lab.BoostView, mpl int) (parts []string) {
	if view == lab.BoostsByState {
		return []string{"no message (S1)", "computes, has messages (S2)", "waited, has its message (S3)"}
	}
	for k := range mpl {
		parts = append(parts, fmt.Sprintf("place %d", k))
	}
	return parts
}

// activities returns the shares of what processors do under a policy, as parts of a bar.
func activities(o *lab.CoschedulingOutcome) (parts []float64) {
	for _, v := range o.Profile() {
		parts = append(parts, v.Mean)
	}
	return parts
}
