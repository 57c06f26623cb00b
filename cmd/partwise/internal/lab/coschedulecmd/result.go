package coschedulecmd

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/lab/cluster"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
)

// result returns what came of the runs: one list of all outcomes, and tables for each case and load.
func (o *options) result(all []Outcome) *output.Result {
	r := &output.Result{Object: output.Object{{Name: "version", Value: output.Version}, {Name: output.TimeUnit, Value: "s"}}}
	if o.figure.Name != "" {
		r.Add("figure", o.figure.Name)
		r.Add("title", o.figure.Title)
	}
	r.List(outcomeList(all))
	for _, group := range Groups(all) {
		r.List(o.measureTable(group))
		r.List(profileTable(group))
	}
	return r
}

// outcomeList returns the list of all outcomes, as JSON and CSV have it.
func outcomeList(all []Outcome) *output.List {
	column := func(key string, of func(o *Outcome) any) output.Column {
		return output.Column{Key: key, MeanOnly: true, Value: func(i int) any { return of(&all[i]) }}
	}
	inJSON := func(key string, of func(o *Outcome) any) output.Column {
		c := column(key, of)
		c.OnlyJSON = true
		return c
	}
	var measures []output.Column
	for _, name := range Measures() {
		measures = append(measures, column(name, func(o *Outcome) any { return o.Of(name) }))
	}
	for k, name := range cluster.Activities() {
		c := column(name, func(o *Outcome) any { return o.Profile()[k] })
		c.OnlyCSV = true
		measures = append(measures, c)
	}
	arriving := func(of func(o *Outcome) any) func(o *Outcome) any {
		return func(o *Outcome) any { return output.When(o.Case.Load > 0, of(o)) }
	}
	return &output.List{Name: "results", Len: len(all), Columns: slices.Concat([]output.Column{
		column("case", func(o *Outcome) any { return o.Case.Name }),
		column("policy", func(o *Outcome) any { return o.Policy.String() }),
		column("workload", func(o *Outcome) any { return o.Case.Mix.Name }),
		column("load", arriving(func(o *Outcome) any { return o.Case.Load })),
		column("jobs", arriving(func(o *Outcome) any { return o.Jobs() })),
		inJSON("saturated", arriving(func(o *Outcome) any { return o.Saturated() })),
		inJSON("nodes", func(o *Outcome) any { return o.Case.Cluster.Nodes }),
		inJSON("mpl", func(o *Outcome) any { return o.Case.Cluster.MPL }),
		inJSON("skew", func(o *Outcome) any { return o.Case.Cluster.Skew }),
		inJSON("pattern", func(o *Outcome) any { return o.Case.Cluster.Pattern.String() }),
		inJSON("replications", func(o *Outcome) any { return len(o.Replications) }),
	}, measures, []output.Column{
		inJSON("profile", func(o *Outcome) any {
			var shares output.Object
			for k, v := range o.Profile() {
				shares.Add(cluster.Activities()[k], v.Mean)
			}
			return shares
		}),
		inJSON("boosts", boosts),
		inJSON("events", func(o *Outcome) any { events, _, _ := o.Totals(); return events }),
		inJSON("seconds", func(o *Outcome) any { _, seconds, _ := o.Totals(); return seconds }),
	})}
}

// boosts returns the numbers of boosts by the states of processes and by their positions, nil if there are none.
func boosts(o *Outcome) any {
	_, _, counts := o.Totals()
	if slices.Max(counts.ByPosition) == 0 {
		return nil
	}
	var all output.Object
	for k, n := range counts.ByState {
		all.Add(fmt.Sprintf("S%d", k+1), n)
	}
	return append(all, output.Field{Name: "by_position", Value: counts.ByPosition})
}

// measureTable returns the table of the measures of a case, without those that no outcome has.
func (o *options) measureTable(group []Outcome) *output.List {
	l := policyTable(group, fmt.Sprintf("%s; ± half of %s %% intervals", group[0].Case.Title(),
		output.Shortest(100*o.simulation.Confidence)))
	for _, m := range []struct{ key, name string }{{measure.MeanResponseTime, "response [s]"}, {measure.MeanWaitingTime, "waiting"},
		{measure.MeanRunSlowdown, "slowdown"}, {measure.UtilizationDemand, "demand done"}, {measure.FairnessCV, "unfairness"}} {
		if !output.Finite(group[0].Of(m.key).Mean) {
			continue
		}
		l.Columns = append(l.Columns, output.Column{Name: m.name, Number: true, Text: output.WithHalfWidth(3, 2), Value: func(i int) any {
			if v := group[i].Of(m.key); m.key != measure.MeanResponseTime || !group[i].Saturated() {
				return v
			}
			return "over " + output.Round(group[i].Of(m.key).Mean, 3)
		}})
	}
	return l
}

// profileTable returns the table of what processors do in a case, and of how much of it is useful work.
func profileTable(group []Outcome) *output.List {
	l := policyTable(group, "Time of processors [%]")
	for k, name := range append(cluster.Activities(), "useful") {
		l.Columns = append(l.Columns, output.Column{Name: name, Text: output.Decimals(1), Value: func(i int) any {
			return 100 * append(group[i].Profile(), group[i].Of(measure.UtilizationUseful))[k].Mean
		}})
	}
	return l
}

// policyTable returns a table with the policies of outcomes.
func policyTable(group []Outcome, title string) *output.List {
	return &output.List{Title: title, Len: len(group), Form: output.NoCSV, Columns: []output.Column{
		{Name: "policy", Value: func(i int) any { return group[i].Policy.String() }}}}
}

// curves draws response times over loads; nil if there is one load, whose bars say more.
func (o *options) curves(all []Outcome) *chart.Figure {
	several := false
	f := &chart.Figure{Heading: "Coscheduling", XLabel: "offered load"}
	for i := range all {
		one := &all[i]
		several = several || one.Case.Load != all[0].Case.Load && o.figure.Name == ""
		name, _, _ := strings.Cut(one.Case.Name, fmt.Sprintf("load %s", output.Shortest(one.Case.Load)))
		if name == "" {
			several, name = true, one.Case.Mix.Name
		}
		y := one.Of(measure.MeanResponseTime).Mean
		if one.Saturated() {
			y = math.NaN()
		}
		p := f.PanelOf(chart.Panel{Title: "Response times, workload " + name, YLabel: "mean response time [s]", MayLog: true})
		p.Add(chart.Line{Series: f.SeriesOf(one.Policy.String())}, one.Case.Load, y)
	}
	if !several {
		return nil
	}
	f.Notes = notes(all, false)
	return f
}

// What the names of the policies mean, for several policies and for the orders of boosts.
const (
	policyNote = "gs: gang scheduling, all processes of a job at the same time. Under the others each node time-shares by itself: " +
		"they spin for messages; with sb they then block, with sy yield. dcs: an interrupt boosts who gets a " +
		"message. pb: one process is boosted each millisecond."
	boostNote = "pb: each node time-shares by itself, and one process is boosted each millisecond: pb prefers S3, pb:b S3, then S2, " +
		"pb:c nobody, pb:d S3 or S2, pb:e S2, then S3. S3 waits for a message that is there, S2 computes and has messages, S1 has none. " +
		"With ' the process with the smallest share of the processor."
	activityNote = "Time of processors: spin looks for messages that are not there, switch changes processes, overhead is interrupts and checks."
)

// notes say what the names of the policies, of the workloads and of the times of processors mean.
func notes(all []Outcome, activities bool) []string {
	note := boostNote
	var mixes []string
	for i := range all {
		if c, coscheduled := all[i].Policy.(policy.Coscheduling); !coscheduled || c.Arrival != policy.PeriodicBoost {
			note = policyNote
		}
		var types []string
		for _, t := range all[i].Case.Mix.Types {
			types = append(types, fmt.Sprintf("%.0f/%.0f/%.0f", 100*t.Compute, 100*t.IO, 100*t.Communicate))
		}
		if mix := all[i].Case.Mix.Name + " " + strings.Join(types, ", "); !slices.Contains(mixes, mix) {
			mixes = append(mixes, mix)
		}
	}
	notes := []string{note, "Workloads, by per cent of computing/I/O/communicating: " + strings.Join(mixes, "; ") + "."}
	if slices.ContainsFunc(all, func(o Outcome) bool { return o.Case.Cluster.Pattern != all[0].Case.Cluster.Pattern }) {
		notes = append(notes, "Messages go to the nearest neighbours (nn), to all processes (aa), along a tree or along a line.")
	}
	if activities {
		notes = append(notes, activityNote)
	}
	return notes
}

// boostStates are the states of boosted processes.
var boostStates = []string{"no message (S1)", "computes, has messages (S2)", "waited, has its message (S3)"}

// cut bounds the length of bars: so many times the median of the response times.
const cut = 3

// bars draws the parts of response times and of the time of processors for each case, or the shares of boosts.
func (o *options) bars(all []Outcome) *chart.Bars {
	b := &chart.Bars{Title: o.figure.Title, Notes: notes(all, o.figure.View == Responses)}
	switch o.figure.View {
	case States:
		b.Parts = boostStates
	case Positions:
		for k := range all[0].Case.Cluster.MPL {
			b.Parts = append(b.Parts, fmt.Sprintf("%d behind the current process", k))
		}
	default:
		b.Parts = append([]string{"waiting", "run time"}, cluster.Activities()...)
		if all[0].Case.Load == 0 {
			b.Parts = b.Parts[2:]
		}
	}
	boostShares := func(of *Outcome) []float64 { return of.BoostShares(o.figure.View) }
	for _, group := range Groups(all) {
		title := group[0].Case.Title()
		if o.figure.View != Responses {
			b.Panels = append(b.Panels, chart.BarPanel{Title: title, YLabel: "share of boosts", Top: 1, Bars: stacked(group, boostShares)})
			continue
		}
		if group[0].Case.Load > 0 {
			times := chart.BarPanel{Title: title, YLabel: "response time [s]", Bars: stacked(group, responseParts)}
			var totals []float64
			for i := range times.Bars {
				parts := times.Bars[i].Parts
				totals = append(totals, parts[0]+parts[1])
				if group[i].Saturated() {
					times.Bars[i].Note = "over "
				}
			}
			slices.Sort(totals)
			if most := cut * totals[len(totals)/2]; totals[len(totals)-1] > most {
				times.Top = most
			}
			b.Panels = append(b.Panels, times)
		}
		b.Panels = append(b.Panels, chart.BarPanel{Title: title, YLabel: "share of time", Top: 1, Bars: stacked(group, activities)})
	}
	return b
}

// stacked returns a bar for each outcome.
func stacked(group []Outcome, parts func(*Outcome) []float64) []chart.StackedBar {
	bars := make([]chart.StackedBar, len(group))
	for i := range group {
		bars[i] = chart.StackedBar{Name: group[i].Policy.String(), Parts: parts(&group[i])}
	}
	return bars
}

func responseParts(o *Outcome) []float64 {
	return []float64{o.Of(measure.MeanWaitingTime).Mean, o.Of(measure.MeanRunTime).Mean}
}

// activities returns the shares of what processors do, behind the parts of response times if there are any.
func activities(o *Outcome) []float64 {
	var parts []float64
	if o.Case.Load > 0 {
		parts = make([]float64, 2)
	}
	for _, v := range o.Profile() {
		parts = append(parts, v.Mean)
	}
	return parts
}
