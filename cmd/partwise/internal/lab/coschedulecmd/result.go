package coschedulecmd

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/cluster"
	"github.com/partwise/partwise/validate/estimate"
	"github.com/partwise/partwise/validate/experiment/coscheduling"
)

// results are the outcomes of a command line.
type results struct {
	*options
	outcomes []coscheduling.Outcome
}

// result lays the outcomes out.
func (r *results) result() *cli.Result {
	out := &cli.Result{JSON: output.Object{{Name: "version", Value: output.Version},
		{Name: output.TimeUnit, Value: "s"}}}
	if r.figure.Name != "" {
		out.JSON.Add("figure", r.figure.Name)
		out.JSON.Add("title", r.figure.Title)
	}
	header := []string{"case", "policy", "workload", "load", "jobs"}
	for _, name := range slices.Concat(coscheduling.Measures(), cluster.Activities()) {
		header = append(header, name, name+"_low", name+"_high")
	}
	out.CSV = [][]string{header}
	var objects []output.Object
	for i := range r.outcomes {
		one := &r.outcomes[i]
		objects = append(objects, r.object(one))
		out.CSV = append(out.CSV, cells(one))
	}
	out.JSON.Add("results", objects)
	for _, group := range r.groups() {
		out.Tables = append(out.Tables, r.table(group), r.profile(group))
	}
	return out
}

// object is an outcome as JSON.
func (r *results) object(one *coscheduling.Outcome) output.Object {
	c := &one.Case
	o := model.PolicyObject(one.Policy)
	o.Add("case", c.Name)
	o.Add("workload", c.Mix.Name)
	if c.Load > 0 {
		o.Add("load", c.Load)
		o.Add("jobs", one.Jobs())
		o.Add("saturated", one.Saturated())
	}
	o.Add("nodes", c.Cluster.Nodes)
	o.Add("mpl", c.Cluster.MPL)
	o.Add("skew", c.Cluster.Skew)
	o.Add("pattern", c.Cluster.Pattern.String())
	o.Add("replications", len(one.Replications))
	var intervals, profile, boosts output.Object
	interval := func(name string, v estimate.Interval) {
		intervals.Add(name, output.Object{{Name: "low", Value: v.Low}, {Name: "high", Value: v.High}})
	}
	for _, name := range coscheduling.Measures() {
		if v := one.Of(name); output.Finite(v.Mean) {
			o.Add(name, v.Mean)
			interval(name, v)
		}
	}
	for k, v := range one.Profile() {
		profile.Add(cluster.Activities()[k], v.Mean)
		interval(cluster.Activities()[k], v)
	}
	o.Add("profile", profile)
	o.Add("intervals", intervals)
	events, seconds, counts := one.Totals()
	if slices.Max(counts.ByPosition) > 0 {
		for k, n := range counts.ByState {
			boosts.Add(fmt.Sprintf("S%d", k+1), n)
		}
		boosts.Add("by_position", counts.ByPosition)
		o.Add("boosts", boosts)
	}
	o.Add("events", events)
	o.Add("seconds", seconds)
	return o
}

// cells is a row of the CSV; what does not exist is empty.
func cells(one *coscheduling.Outcome) []string {
	load, jobs := "", ""
	if one.Case.Load > 0 {
		load, jobs = output.Shortest(one.Case.Load), fmt.Sprint(one.Jobs())
	}
	row := []string{one.Case.Name, one.Policy.String(), one.Case.Mix.Name, load, jobs}
	add := func(v estimate.Interval) {
		row = append(row, output.ShortestOrEmpty(v.Mean), output.ShortestOrEmpty(v.Low), output.ShortestOrEmpty(v.High))
	}
	for _, name := range coscheduling.Measures() {
		add(one.Of(name))
	}
	for _, v := range one.Profile() {
		add(v)
	}
	return row
}

// groups returns the outcomes of each case and load.
func (r *results) groups() (all [][]coscheduling.Outcome) {
	for from := 0; from < len(r.outcomes); {
		to := from + 1
		for to < len(r.outcomes) && title(&r.outcomes[to]) == title(&r.outcomes[from]) {
			to++
		}
		all = append(all, r.outcomes[from:to])
		from = to
	}
	return all
}

// title names the case of an outcome.
func title(one *coscheduling.Outcome) string {
	c := &one.Case
	switch load := "load " + output.Shortest(c.Load); {
	case c.Load == 0:
		return c.Name + ", backlog"
	case strings.Contains(c.Name, load):
		return c.Name
	default:
		return c.Name + ", " + load
	}
}

// shown are the measures of tables for people.
var shown = []struct{ name, title string }{{measure.MeanResponseTime, "response [s]"}, {measure.MeanWaitingTime, "waiting"},
	{measure.MeanRunSlowdown, "slowdown"}, {measure.UtilizationDemand, "demand done"}, {measure.FairnessCV, "unfairness"}}

// table shows the measures of a case; those that no outcome has are left out.
func (r *results) table(group []coscheduling.Outcome) output.Table {
	t := output.Table{Title: fmt.Sprintf("%s; ± half of %s %% intervals", title(&group[0]), output.Shortest(100*r.confidence)),
		Columns: []output.Column{{Name: "policy"}}}
	rows := make([][]string, len(group))
	for i := range group {
		rows[i] = []string{group[i].Policy.String()}
	}
	for _, m := range shown {
		if !output.Finite(group[0].Of(m.name).Mean) {
			continue
		}
		t.Columns = append(t.Columns, output.Column{Name: m.title, Number: true})
		for i := range group {
			v := group[i].Of(m.name)
			text := output.Round(v.Mean, 3) + " ±" + output.Round(v.HalfWidth, 2)
			if m.name == measure.MeanResponseTime && group[i].Saturated() {
				text = "over " + output.Round(v.Mean, 3)
			}
			rows[i] = append(rows[i], text)
		}
	}
	t.Rows = rows
	return t
}

// profile shows what processors do in a case, and how much of it is useful work.
func (r *results) profile(group []coscheduling.Outcome) output.Table {
	t := output.Table{Title: "Time of processors [%]", Columns: []output.Column{{Name: "policy"}}}
	for _, name := range cluster.Activities() {
		t.Columns = append(t.Columns, output.Column{Name: name, Number: true})
	}
	t.Columns = append(t.Columns, output.Column{Name: "useful", Number: true})
	for i := range group {
		row := []string{group[i].Policy.String()}
		for _, v := range append(group[i].Profile(), group[i].Of(measure.UtilizationUseful)) {
			row = append(row, output.Fixed(100*v.Mean, 1))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// warn says which policies could not keep up.
func (r *results) warn(inv *cli.Invocation) {
	for _, group := range r.groups() {
		var names []string
		for i := range group {
			if group[i].Saturated() {
				names = append(names, group[i].Policy.String())
			}
		}
		if names != nil {
			inv.Warnf("%s: %s: not all jobs ended in three times the time in which they arrive; response times are lower bounds",
				title(&group[0]), strings.Join(names, ", "))
		}
	}
}

// curves draws response times over loads; nil if there is one load, whose bars say more.
func (r *results) curves() *chart.Figure {
	byName := map[string]int{}
	several := false
	f := &chart.Figure{Heading: "Coscheduling", XLabel: "load"}
	for i := range r.outcomes {
		one := &r.outcomes[i]
		several = several || one.Case.Load != r.outcomes[0].Case.Load && r.figure.Name == ""
		name, _, _ := strings.Cut(one.Case.Name, fmt.Sprintf("load %s", output.Shortest(one.Case.Load)))
		if name == "" {
			several, name = true, one.Case.Mix.Name
		}
		p, known := byName[name]
		if !known {
			p = len(f.Panels)
			byName[name] = p
			f.Panels = append(f.Panels, chart.Panel{Title: name, YLabel: "mean response time [s]", MayLog: true})
		}
		s := slices.Index(f.Series, one.Policy.String())
		if s < 0 {
			s = len(f.Series)
			f.Series = append(f.Series, one.Policy.String())
		}
		panel := &f.Panels[p]
		for len(panel.Lines) <= s {
			panel.Lines = append(panel.Lines, chart.Line{Series: len(panel.Lines)})
		}
		y := one.Of(measure.MeanResponseTime).Mean
		if one.Saturated() {
			y = math.NaN()
		}
		line := &panel.Lines[s]
		line.X, line.Y = append(line.X, one.Case.Load), append(line.Y, y)
	}
	if !several {
		return nil
	}
	return f
}

// cut is how many times the median of the response times bars are long at most.
const cut = 3

// bars draws what response times are made of, and what processors do, for each case; or whom boosts go to.
func (r *results) bars() *chart.Bars {
	if r.figure.View != coscheduling.Responses {
		return r.boosts()
	}
	b := &chart.Bars{Title: r.figure.Title, Parts: append([]string{"waiting", "run time"}, cluster.Activities()...)}
	none := make([]float64, 2)
	for _, group := range r.groups() {
		times := chart.BarPanel{Title: title(&group[0]), YLabel: "response time [s]"}
		work := chart.BarPanel{Title: title(&group[0]), YLabel: "share of time", Top: 1}
		var all []float64
		for i := range group {
			one := &group[i]
			wait, run := one.Of(measure.MeanWaitingTime).Mean, one.Of(measure.MeanRunTime).Mean
			note := ""
			if one.Saturated() {
				note = "over "
			}
			all = append(all, wait+run)
			times.Bars = append(times.Bars, chart.StackedBar{Name: one.Policy.String(), Parts: []float64{wait, run}, Note: note})
			parts := slices.Clone(none)
			for _, v := range one.Profile() {
				parts = append(parts, v.Mean)
			}
			work.Bars = append(work.Bars, chart.StackedBar{Name: one.Policy.String(), Parts: parts})
		}
		if output.Finite(all[0]) {
			slices.Sort(all)
			if most := cut * all[len(all)/2]; all[len(all)-1] > most {
				times.Top = most
			}
			b.Panels = append(b.Panels, times)
		}
		b.Panels = append(b.Panels, work)
	}
	if !slices.ContainsFunc(b.Panels, func(p chart.BarPanel) bool { return p.Top != 1 }) { // of a backlog
		b.Parts = b.Parts[2:]
		for i := range b.Panels {
			for k := range b.Panels[i].Bars {
				b.Panels[i].Bars[k].Parts = b.Panels[i].Bars[k].Parts[2:]
			}
		}
	}
	return b
}

// boosts draws the numbers of boosts by the states of processes, or by their positions.
func (r *results) boosts() *chart.Bars {
	b := &chart.Bars{Title: r.figure.Title, Parts: []string{"S1", "S2", "S3"}}
	if r.figure.View == coscheduling.Positions {
		b.Parts = nil
		for k := range r.outcomes[0].Case.Cluster.MPL {
			b.Parts = append(b.Parts, fmt.Sprintf("%d behind the current process", k))
		}
	}
	for _, group := range r.groups() {
		panel := chart.BarPanel{Title: title(&group[0]), YLabel: "share of boosts", Top: 1}
		for i := range group {
			_, _, counts := group[i].Totals()
			all := counts.ByPosition
			if r.figure.View == coscheduling.States {
				all = counts.ByState[:]
			}
			total := 0.
			for _, n := range all {
				total += float64(n)
			}
			parts := make([]float64, len(all))
			for k, n := range all {
				parts[k] = float64(n) / total
			}
			panel.Bars = append(panel.Bars, chart.StackedBar{Name: group[i].Policy.String(), Parts: parts})
		}
		b.Panels = append(b.Panels, panel)
	}
	return b
}
