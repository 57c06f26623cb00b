package labcmd

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/lab"
	"github.com/partwise/partwise/validate/metric"
)

// results are the rows of an experiment, in a group for each point.
type results struct {
	*epochsOptions
	groups [][]lab.EpochResult
}

// caseCells returns the cells that name a case.
func caseCells(c lab.EpochCase) output.Row {
	return output.Row{output.Data("nodes", c.Nodes), output.Data("jobs", c.Jobs), output.Data("load_factor", c.LoadFactor)}
}

// list returns the list of all rows, as JSON and CSV have it.
func (r *results) list() *output.List {
	return output.NewList("results", "", output.Wide, slices.Concat(r.groups...), func(w *lab.EpochResult) output.Row {
		e, ok := w.Policy.(policy.Epochs)
		row := slices.Concat(output.PolicyAsWritten(w.Policy), caseCells(w.Case), output.Row{
			output.Col("k", "").If(ok && e.Rule.TakesSpread(), e.Spread), output.Data("application", string(w.Application)),
			output.InJSON(measure.OfferedLoad, output.NonZero(w.Load)), output.InCSV("load", output.NonZero(w.Load))})
		for _, name := range r.experiment.Measures() {
			row = append(row, output.Col(name, "").HalfInCSV().Is(w.Of(name)))
		}
		return row
	})
}

// spreadsOrNone returns the values of --k; without --k the only value is −1.
func (o *epochsOptions) spreadsOrNone() []int {
	if o.spreads == nil {
		return []int{-1}
	}
	return o.spreads
}

// pivot returns a table with a row for each point and k, and a column for each series.
func (r *results) pivot() *output.List {
	title := titled("Reallocations of a node in a quantum", lab.EpochConfidence)
	if r.experiment == lab.ResponseExperiment {
		title = titled("Mean response time relative to opt:1", lab.EpochConfidence)
	}
	var rows []output.Row
	for _, group := range r.groups {
		for _, k := range r.spreadsOrNone() {
			rows = append(rows, r.pivotRow(group, k))
		}
	}
	return output.TableOfRows(title, rows)
}

// pivotRow returns the row of the table for a point and a K: what names the point, then the measure of each series.
func (r *results) pivotRow(group []lab.EpochResult, k int) (row output.Row) {
	point := &group[0]
	if r.experiment == lab.ResponseExperiment {
		row = append(row, output.InTable("application").Is(string(point.Application)))
	}
	row = append(row, output.InTable("nodes").Is(point.Nodes), output.InTable("jobs").Is(point.Jobs),
		output.InTable("load factor").Shortest().Is(point.LoadFactor))
	if r.spreads != nil {
		row = append(row, output.InTable("k").Is(k))
	}
	for _, name := range lab.EpochSeries(r.chosen) {
		v, ok := r.experiment.Principal(group, name, k)
		row = append(row, output.InTable(name).Right().Written(estimated).If(ok, v))
	}
	return row
}

// estimated writes an interval for people, with the digits that its width leaves.
func estimated(value any) string {
	v := value.(metric.Interval)
	if v.HalfWidth == 0 {
		return words.Round(v.Mean, 4)
	}
	digits := cmp.Or(int(math.Ceil(math.Log10(math.Abs(v.Mean)/v.HalfWidth)))+1, 1)
	return output.WithHalfWidth(min(max(digits, 3), 5), 2)(v)
}

// dimension is a quantity that an experiment can vary.
type dimension struct {
	name   string                          // on an axis
	format string                          // of the title of a panel that has one value
	of     func(w lab.EpochResult) float64 // the value; nil for K, of which a result may have several
}

// dimensions are what may be varied, in the order in which one is chosen for the horizontal axis.
var dimensions = []dimension{
	{"number of jobs", "%v jobs", func(w lab.EpochResult) float64 { return float64(w.Jobs) }},
	{"nodes", "%v nodes", func(w lab.EpochResult) float64 { return float64(w.Nodes) }},
	{"load factor", "load factor %v", func(w lab.EpochResult) float64 { return w.LoadFactor }},
	{"offered load", "load %v", func(w lab.EpochResult) float64 { return w.Load }},
}

// varied reports whether a dimension has several values.
func (r *results) varied(d dimension) bool {
	return slices.ContainsFunc(r.groups, func(g []lab.EpochResult) bool { return d.of(g[0]) != d.of(r.groups[0][0]) })
}

// axis returns what is drawn along the horizontal axis: K if it has several values, else the first dimension that is varied. ok is
// false if nothing is varied.
func (r *results) axis() (d dimension, ok bool) {
	if len(r.spreads) > 1 {
		return dimension{name: "K, by which the nodes of jobs may differ"}, true
	}
	i := slices.IndexFunc(dimensions, r.varied)
	if i < 0 {
		return d, false
	}
	return dimensions[i], true
}

// figure draws the principal measure over a quantity that is varied, in a panel for each combination of the other quantities.
// It is nil if nothing is varied.
func (r *results) figure() *chart.Figure {
	axis, ok := r.axis()
	if !ok {
		return nil
	}
	f := &chart.Figure{Title: "How often nodes change hands: fewer reallocations are better", XLabel: axis.name,
		Series: lab.EpochSeries(r.chosen), Notes: r.notes()}
	if r.experiment != lab.OverheadExperiment {
		f.Title = "How long jobs take under each policy; below 1 they are faster than under " + r.reference()
	}
	groups := slices.Clone(r.groups)
	// static applications first
	slices.SortStableFunc(groups, func(a, b []lab.EpochResult) int { return -cmp.Compare(a[0].Application, b[0].Application) })
	for _, group := range groups {
		r.draw(f.PanelOf(r.panel(group[0], axis)), f.Series, group, axis)
	}
	bothApplications := groups[0][0].Application != groups[len(groups)-1][0].Application
	if len(f.Panels) > 2 && bothApplications { // the rows name the applications in place of the panels
		f.Rows = []string{threads[lab.StaticApplication], threads[lab.DynamicApplication]}
		for p := range f.Panels {
			_, f.Panels[p].Title, _ = strings.Cut(f.Panels[p].Title, ", ")
		}
	}
	return f
}

// draw adds the results of a point to a panel: the principal measure of each series, for each K.
func (r *results) draw(p *chart.Panel, series []string, group []lab.EpochResult, axis dimension) {
	for s, name := range series {
		for _, k := range r.spreadsOrNone() {
			x := float64(k)
			if axis.of != nil {
				x = axis.of(group[0])
			}
			if v, ok := r.experiment.Principal(group, name, k); ok {
				p.Add(chart.Line{Series: s}, x, v.Mean)
			}
		}
	}
}

// panel returns an empty panel, whose title says what all its points have in common.
func (r *results) panel(w lab.EpochResult, axis dimension) chart.Panel {
	var words []string
	if w.Application != "" {
		words = append(words, threads[w.Application])
	}
	for _, d := range dimensions {
		if d.name != axis.name && (d.name != "offered load" || r.varied(d)) {
			words = append(words, fmt.Sprintf(d.format, d.of(w)))
		}
	}
	p := chart.Panel{Title: strings.Join(words, ", "), YLabel: "reallocations of a node in a quantum"}
	if r.experiment != lab.OverheadExperiment {
		p.YLabel, p.Rule, p.HasRule = "mean response time relative to "+r.reference(), 1, true
	}
	return p
}

// threads says in pictures what applications do, as "static" and "dynamic" are partitionings there.
var threads = map[lab.EpochApplication]string{lab.StaticApplication: "fixed threads", lab.DynamicApplication: "adaptive threads"}

// reference returns the policy whose response times are 1: opt:1 in closed systems, the first policy in open systems.
func (r *results) reference() string {
	if r.experiment == lab.OpenExperiment {
		return lab.EpochSeries(r.chosen)[0]
	}
	return "opt:1"
}

// notes say what the names of the policies mean, and what is varied.
func (r *results) notes() []string {
	all := epochNotes(r.chosen)
	if r.experiment == lab.OverheadExperiment {
		return append(all, "Load factor: how many times the nodes of the machine the memory of all jobs needs.")
	}
	return append(all, "Fixed threads: a job keeps those that it starts with. Adaptive threads: it repartitions its data whenever "+
		"its nodes change.")
}

// epochNotes say what the names of policies mean, and that opt bounds epochs only.
func epochNotes(chosen []lab.EpochChoice) []string {
	var policies []policy.Policy
	rules := map[policy.EpochRule]bool{}
	for _, c := range chosen {
		policies = append(policies, c.Policy)
		if e, ok := c.Policy.(policy.Epochs); ok {
			rules[e.Rule] = true
		}
	}
	all := input.PolicyNotes(policies...)
	if rules[policy.OptEpoch] && rules[policy.Buddy] {
		all = append(all, "buddy and hybrid have no epochs: they may reallocate fewer nodes than opt.")
	}
	return all
}
