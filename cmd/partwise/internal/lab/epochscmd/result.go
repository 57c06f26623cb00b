package epochscmd

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/metric"
)

// results are the rows of an experiment, in a group for each point.
type results struct {
	*options
	groups [][]Result
}

// list returns the list of all rows, as JSON and CSV have it.
func (r *results) list() *output.List {
	type row struct {
		Case
		K           any         `key:"k"`
		Application Application `key:"application" form:"text"`
		Offered     float64     `key:"offered_load" form:"omitzero json"`
		Load        float64     `key:"load" form:"omitzero csv"`
	}
	all := slices.Concat(r.groups...)
	l := output.ListOf("results", "", output.Wide, output.RowsOf(all, func(w Result) row {
		e, ok := w.Policy.(policy.Epochs)
		return row{w.Case, output.When(ok && e.Rule.TakesSpread(), e.Spread), w.Application, w.Load, w.Load}
	}), "")
	l.Columns = append(input.PolicyNames(func(i int) policy.Policy { return all[i].Policy }), l.Columns...)
	for _, name := range measures[r.experiment] {
		l.Columns = append(l.Columns, output.Column{Key: name, HalfOnly: true, Value: func(i int) any { return all[i].Of(name) }})
	}
	return l
}

// at returns the measure that the paper shows, for a series in the group of a point. A series with several K has a value for each k. The value is nil if no policy of the series fits the machine of the point.
func (r *results) at(group []Result, series string, k int) any {
	i := slices.IndexFunc(group, func(x Result) bool { return x.Series == series && (x.K < 0 || x.K == k) })
	if i < 0 {
		return nil
	}
	if r.experiment == OverheadExperiment {
		return group[i].Of(NormalizedOverhead)
	}
	return group[i].Of(RelativeResponse)
}

// spreadsOrNone returns the values of --k; without --k the only value is −1.
func (o *options) spreadsOrNone() []int {
	if o.spreads == nil {
		return []int{-1}
	}
	return o.spreads
}

// pivot returns a table with a row for each point and k, and a column for each series.
func (r *results) pivot() *output.List {
	spreads := r.spreadsOrNone()
	point := func(i int) []Result { return r.groups[i/len(spreads)] }
	l := &output.List{Title: titled("Reallocations of a node in a quantum"), Len: len(r.groups) * len(spreads), Form: output.NoCSV}
	if r.experiment == ResponseExperiment {
		l.Title = titled("Mean response time relative to opt:1")
		l.Columns = []output.Column{{Name: "application", Value: func(i int) any { return string(point(i)[0].Application) }}}
	}
	l.Columns = append(l.Columns, output.Column{Name: "nodes", Value: func(i int) any { return point(i)[0].Nodes }},
		output.Column{Name: "jobs", Value: func(i int) any { return point(i)[0].Jobs }},
		output.Column{Name: "load factor", Number: true, Value: func(i int) any { return output.Shortest(point(i)[0].LoadFactor) }})
	if r.spreads != nil {
		l.Columns = append(l.Columns, output.Column{Name: "k", Value: func(i int) any { return spreads[i%len(spreads)] }})
	}
	for _, name := range SeriesOf(r.chosen) {
		l.Columns = append(l.Columns, output.Column{Name: name, Number: true, Text: estimated, Value: func(i int) any {
			return r.at(point(i), name, spreads[i%len(spreads)])
		}})
	}
	return l
}

func titled(what string) string {
	return fmt.Sprintf("%s; ± half of %s %% intervals", what, output.Shortest(100*confidence))
}

// estimated writes an interval for people, with the digits that its width leaves.
func estimated(value any) string {
	v := value.(metric.Interval)
	if v.HalfWidth == 0 {
		return output.Round(v.Mean, 4)
	}
	digits := cmp.Or(int(math.Ceil(math.Log10(math.Abs(v.Mean)/v.HalfWidth)))+1, 1)
	return output.WithHalfWidth(min(max(digits, 3), 5), 2)(v)
}

// dimension is something that is varied.
type dimension struct {
	name, format string
	of           func(w Result) float64
}

// dimensions are what may be varied, in the order in which one is chosen for the horizontal axis.
var dimensions = []dimension{
	{"number of jobs", "%v jobs", func(w Result) float64 { return float64(w.Jobs) }},
	{"nodes", "%v nodes", func(w Result) float64 { return float64(w.Nodes) }},
	{"load factor", "load factor %v", func(w Result) float64 { return w.LoadFactor }},
	{"offered load", "load %v", func(w Result) float64 { return w.Load }},
}

// varied reports whether a dimension has several values.
func (r *results) varied(d dimension) bool {
	return slices.ContainsFunc(r.groups, func(g []Result) bool { return d.of(g[0]) != d.of(r.groups[0][0]) })
}

// figure draws the principal value over what is varied, in a panel for each combination of what is not on the horizontal
// axis; nil if nothing is varied.
func (r *results) figure() *chart.Figure {
	axis := dimension{name: "K, by which the nodes of jobs may differ"}
	if len(r.spreads) < 2 {
		i := slices.IndexFunc(dimensions, r.varied)
		if i < 0 {
			return nil
		}
		axis = dimensions[i]
	}
	f := &chart.Figure{Title: "How often nodes change hands: fewer reallocations are better", XLabel: axis.name, Series: SeriesOf(r.chosen), Notes: r.notes()}
	if r.experiment != OverheadExperiment {
		f.Title = "How long jobs take under each policy; below 1 they are faster than under " + r.reference()
	}
	groups := slices.Clone(r.groups)
	slices.SortStableFunc(groups, func(a, b []Result) int { return -cmp.Compare(a[0].Application, b[0].Application) }) // static first
	both := groups[0][0].Application != groups[len(groups)-1][0].Application
	for _, group := range groups {
		p := f.PanelOf(r.panel(group[0], axis))
		for s, name := range f.Series {
			for _, k := range r.spreadsOrNone() {
				x := float64(k)
				if axis.of != nil {
					x = axis.of(group[0])
				}
				if v, ok := r.at(group, name, k).(metric.Interval); ok {
					p.Add(chart.Line{Series: s}, x, v.Mean)
				}
			}
		}
	}
	if len(f.Panels) > 2 && both {
		f.Rows = []string{threads[Static], threads[Dynamic]}
		for p := range f.Panels {
			_, f.Panels[p].Title, _ = strings.Cut(f.Panels[p].Title, ", ")
		}
	}
	return f
}

// panel returns an empty panel, whose title says what all its points have in common.
func (r *results) panel(w Result, axis dimension) chart.Panel {
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
	if r.experiment != OverheadExperiment {
		p.YLabel, p.Rule, p.HasRule = "mean response time relative to "+r.reference(), 1, true
	}
	return p
}

// threads says in pictures what applications do, as "static" and "dynamic" are partitionings there.
var threads = map[Application]string{Static: "fixed threads", Dynamic: "adaptive threads"}

// reference is the policy that others are compared with.
func (r *results) reference() string {
	if r.experiment == OpenExperiment {
		return SeriesOf(r.chosen)[0]
	}
	return "opt:1"
}

// notes say what the names of the policies mean, and what is varied.
func (r *results) notes() []string {
	all := epochNotes(r.chosen)
	if r.experiment == OverheadExperiment {
		return append(all, "Load factor: how many times the nodes of the machine the memory of all jobs needs.")
	}
	return append(all, "Fixed threads: a job keeps those that it starts with. Adaptive threads: it repartitions its data whenever its nodes change.")
}

// epochNotes say what the names of policies mean, and that opt bounds epochs only.
func epochNotes(chosen []Choice) []string {
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
