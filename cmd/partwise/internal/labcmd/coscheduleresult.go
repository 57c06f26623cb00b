package labcmd

import (
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
	several, drawn := false, map[string]bool{}
	f := &chart.Figure{Title: figure.Title, Heading: "Coscheduling", XLabel: "offered load"}
	for i := range all {
		one := &all[i]
		several = several || one.Case.Load != all[0].Case.Load && figure.Name == ""
		name, _, _ := strings.Cut(one.Case.Name, fmt.Sprintf("load %s", words.Shortest(one.Case.Load)))
		if name == "" {
			several, name = true, one.Case.Mix.Name
		}
		y := one.Of(measure.MeanResponseTime).Mean
		if one.Saturated() {
			y = math.NaN()
		} else {
			drawn[one.Policy.String()] = true
		}
		p := f.PanelOf(chart.Panel{Title: "Response times, workload " + name, YLabel: "mean response time [s]", MayLog: true})
		p.Add(chart.Line{Series: f.SeriesOf(one.Policy.String())}, one.Case.Load, y)
	}
	if !several {
		return bars(figure, all)
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
		var types []string
		for _, t := range c.Mix.Types {
			types = append(types, fmt.Sprintf("%.0f/%.0f/%.0f", 100*t.Compute, 100*t.IO, 100*t.Communicate))
		}
		if mix := c.Mix.Name + " " + strings.Join(types, ", "); !slices.Contains(about.Mixes, mix) {
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

// boostStates are the states of boosted processes.
var boostStates = []string{"no message (S1)", "computes, has messages (S2)", "waited, has its message (S3)"}

// mostShares is for how many cases the time of processors is drawn beside response times.
const mostShares = 5

// bars draws the parts of response times and of the time of processors for each case, or the shares of boosts.
func bars(figure lab.CoschedulingFigure, all []lab.CoschedulingOutcome) *chart.Figure {
	groups := lab.ByCoschedulingCase(all)
	profiles := figure.View == lab.ResponseTimes && len(groups) <= mostShares
	b := &chart.Figure{Title: figure.Title, Columns: 2, Notes: notes(all, figure.View)}
	if profiles {
		b.Notes = append(b.Notes, coscheduleSentences.Sentences("activities", nil)...)
	} else { // the cases of a workload stand in a row if they are as many as columns
		b.Columns = 3
		cases := map[string]int{}
		for _, g := range groups {
			cases[g[0].Case.Mix.Name]++
		}
		slices.SortStableFunc(groups,
			func(a, b []lab.CoschedulingOutcome) int { return cases[b[0].Case.Mix.Name] - cases[a[0].Case.Mix.Name] })
	}
	top := lab.ResponseLimit(all)
	for _, group := range groups {
		title := group[0].Case.Title()
		add := func(what, label string, top float64, parts []string, of func(*lab.CoschedulingOutcome) []float64) *chart.Panel {
			p := chart.Panel{Title: title + what, YLabel: label, Top: top, Parts: parts}
			for i := range group {
				p.Bars = append(p.Bars, chart.StackedBar{Name: group[i].Policy.String(), Parts: of(&group[i])})
			}
			b.Panels = append(b.Panels, p)
			return &b.Panels[len(b.Panels)-1]
		}
		switch figure.View {
		case lab.BoostsByState, lab.BoostsByPosition:
			parts := boostStates
			if figure.View == lab.BoostsByPosition {
				parts = nil
				for k := range all[0].Case.Cluster.MPL {
					parts = append(parts, fmt.Sprintf("place %d", k))
				}
			}
			add("", "share of boosts", 1, parts, func(of *lab.CoschedulingOutcome) []float64 {
				return of.BoostShares(figure.View)
			})
			continue
		}
		if group[0].Case.Load > 0 {
			p := add(": response time", "response time [s]", top, []string{"waiting", "run time"},
				func(o *lab.CoschedulingOutcome) []float64 {
					return []float64{o.Of(measure.MeanWaitingTime).Mean, o.Of(measure.MeanRunTime).Mean}
				})
			for i := range p.Bars {
				if group[i].Saturated() {
					p.Bars[i].Note = "> "
				}
			}
		}
		if profiles {
			add(": time of processors", "share of time", 1, lab.Activities(), activities)
		}
	}
	if top > 0 && figure.View == lab.ResponseTimes {
		b.Notes = append(b.Notes, coscheduleSentences.Sentences("cut", nil)...)
	}
	return b
}

// activities returns the shares of what processors do under a policy, as parts of a bar.
func activities(o *lab.CoschedulingOutcome) (parts []float64) {
	for _, v := range o.Profile() {
		parts = append(parts, v.Mean)
	}
	return parts
}
