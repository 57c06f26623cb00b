package allocatecmd

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/estimate"
	"github.com/partwise/partwise/validate/experiment/days"
)

// newResult returns what came of the studies: of one as it is, of several an object each.
func newResult(studies []*study) *output.Result {
	r := &output.Result{Object: output.Object{{Name: "version", Value: output.Version}, {Name: output.TimeUnit, Value: "s"}}}
	var all []output.Object
	for _, s := range studies {
		var o output.Object
		prefix := ""
		if s.Title != "" {
			o.Add("title", s.Title)
		}
		o.Add("nodes", s.Nodes)
		lists := s.lists()
		for _, l := range lists {
			if len(studies) > 1 {
				prefix = s.Title + ": "
				l.Columns = append([]output.Column{{Key: "study", OnlyCSV: true, Value: func(int) any { return s.Title }}}, l.Columns...)
			}
			o.Add(l.Name, l)
		}
		if all = append(all, o); s.simulated() && s.Optimum == "" && s.Parameter == nil && len(s.Loads) == 1 && len(s.rows) > 1 {
			r.Note("%s%s", prefix, s.bestSentence())
		}
	}
	if len(all) == 1 {
		r.Object = append(r.Object, all[0]...)
	} else {
		r.Add("studies", all)
	}
	return r
}

// lists returns what came of a study as lists.
func (s *study) lists() []*output.List {
	if !s.simulated() {
		return curveLists(s.Title, s.lines())
	}
	results := s.results()
	if s.Optimum == "" {
		return []*output.List{results}
	}
	for i := range results.Columns {
		results.Columns[i].Name = ""
	}
	return []*output.List{results, s.optimumList()}
}

// shown are the measures of tables: their heads and digits.
var shown = map[string]struct {
	name   string
	digits int
	extra  bool
}{
	measure.Utilization: {"utilization", 3, false}, measure.UsefulUtilization: {"useful", 3, true},
	measure.MeanResponseTime: {"response [s]", 4, false}, measure.MeanWaitingTime: {"waiting [s]", 3, false},
	measure.MeanClusterSize: {"cluster size", 3, true}, measure.CVClusterSize: {"CV", 3, true},
	measure.MedianSlowdown: {"slowdown p50", 3, true}, measure.P90Slowdown: {"slowdown p90", 3, false},
	measure.MeanBoundedSlowdown: {"bounded mean", 3, true},
}

// results returns the list of all rows.
func (s *study) results() *output.List {
	rows := s.rows
	parameter := output.Column{Key: "parameter", Number: true, Value: func(i int) any { return rows[i].parameter },
		Text: func(v any) string { return output.Shortest(v.(float64)) }}
	if s.Parameter != nil {
		parameter.Name = s.Parameter.Name
	}
	var measures []output.Column
	for _, m := range days.Measures() {
		t := shown[m.Name]
		measures = append(measures, output.Column{Key: m.Name, Name: t.name, Extra: t.extra, MeanOnly: true, Text: near(t.digits),
			Value: func(i int) any { return rows[i].Of(m.Name) }})
	}
	return &output.List{Name: "results", Title: s.headline(), Len: len(rows), Columns: slices.Concat(
		model.PolicyNames(func(i int) policy.Policy { return rows[i].Policy }), []output.Column{
			{Name: "policy", Value: func(i int) any { return rows[i].Name }},
			{Key: "name", OnlyJSON: true, Value: func(i int) any {
				if rows[i].Name == rows[i].Text {
					return nil
				}
				return rows[i].Name
			}},
			parameter,
			{Key: measure.OfferedLoad, Name: "load", Text: output.Digits(3), Value: func(i int) any { return rows[i].Load }},
			{Key: "days", Value: func(i int) any { return rows[i].Days }},
			{Key: "jobs", Value: func(i int) any { return rows[i].Jobs }},
		}, measures, []output.Column{
			{Key: "intervals", OnlyJSON: true, Value: func(i int) any { return output.Bounds(measures, i) }},
			{Key: "seconds", OnlyJSON: true, Value: func(i int) any { return rows[i].Seconds }},
		})}
}

// near writes an interval as its mean and half of its width, 0 where that is rounding.
func near(digits int) func(any) string {
	return func(value any) string {
		v := value.(estimate.Interval)
		if v.HalfWidth < 1e-6*math.Abs(v.Mean) {
			v.HalfWidth = 0
		}
		return output.WithHalfWidth(digits, 2)(v)
	}
}

// headline tells what was simulated.
func (s *study) headline() string {
	var parts []string
	if s.Title != "" {
		parts = append(parts, s.Title)
	}
	parts = append(parts, output.Count(s.Nodes, "node"))
	if len(s.rows) > 0 {
		parts = append(parts, output.Count(s.rows[0].Days, "day"))
	}
	return strings.Join(parts, ", ") + fmt.Sprintf("; ± half of %s %% intervals", output.Shortest(100*s.confidence))
}

// bestSentence says which policy is best, and from which others it does not differ significantly.
func (s *study) bestSentence() string {
	outcomes := outcomesOf(s.rows)
	var parts []string
	for _, q := range []struct {
		what, name string
		digits     int
	}{{"Shortest mean response time", measure.MeanResponseTime, 4}, {"smallest p90 of the slowdown", measure.P90Slowdown, 3}} {
		best, tied := days.Best(outcomes, q.name, false, s.confidence)
		text := fmt.Sprintf("%s: %s (%s)", q.what, s.rows[best].Name, output.Round(outcomes[best].Of(q.name).Mean, q.digits))
		var others []string
		for _, i := range tied {
			if i != best {
				others = append(others, s.rows[i].Name)
			}
		}
		switch len(others) {
		case 0:
		case 1:
			text += ", from which " + others[0] + " does not differ significantly"
		default:
			text += ", from which " + strings.Join(others, " and ") + " do not differ significantly"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ") + "."
}

func outcomesOf(rows []row) []days.Outcome {
	all := make([]days.Outcome, len(rows))
	for i := range rows {
		all[i] = rows[i].Outcome
	}
	return all
}

// optimum is the row with the best value of the parameter of a policy at a load, and the range in which it may lie.
type optimum struct {
	*row
	days.Optimum
}

// optima looks for the best values, policy by policy and load by load.
func (s *study) optima() []optimum {
	var all []optimum
	for _, one := range s.Strategies {
		for _, load := range s.Loads {
			var group []row
			var values []float64
			for _, r := range s.rows {
				if r.Strategy == one && r.Load == load && !math.IsNaN(r.parameter) {
					group, values = append(group, r), append(values, r.parameter)
				}
			}
			if group != nil {
				o := days.OptimumOf(outcomesOf(group), values, s.Optimum, s.confidence)
				all = append(all, optimum{&group[o.Best], o})
			}
		}
	}
	return all
}

// optimumList returns the list of the best values.
func (s *study) optimumList() *output.List {
	best := s.optima()
	shortest := func(v any) string { return output.Shortest(v.(float64)) }
	return &output.List{Name: "optima", Title: s.Title, Len: len(best), Form: output.NoCSV, Columns: []output.Column{
		{Key: "policy", Value: func(i int) any { return best[i].Text }},
		{Name: "policy", Value: func(i int) any { return best[i].Name }},
		{Key: "load", Name: "load", Text: output.Digits(3), Value: func(i int) any { return best[i].Load }},
		{Key: "parameter", Name: "best " + s.Parameter.Name, Text: shortest, Value: func(i int) any { return best[i].parameter }},
		{Key: "low", Name: "from", Text: shortest, Value: func(i int) any { return best[i].Low }},
		{Key: "high", Name: "to", Text: shortest, Value: func(i int) any { return best[i].High }},
		{Key: s.Optimum, Name: measure.Must(s.Optimum).Title, Text: output.Digits(4),
			Value: func(i int) any { return best[i].Of(s.Optimum).Mean }},
	}}
}

// curveLists returns curves as JSON, as CSV, and as a table of some of their points.
func curveLists(title string, lines []curve) []*output.List {
	type point struct {
		series string
		x, y   float64
	}
	var points []point
	axis, x := lines[0].axis, lines[0].x
	every := 1 + (len(x)-1)/output.MostRows
	table := &output.List{Title: title, Len: (len(x) + every - 1) / every, Form: output.NoCSV, Columns: []output.Column{
		{Name: axis, Text: output.Digits(4), Value: func(i int) any { return x[i*every] }}}}
	for _, l := range lines {
		table.Columns = append(table.Columns, output.Column{Name: l.name, Value: func(i int) any { return l.y[i*every] }})
		for i, x := range l.x {
			points = append(points, point{l.name, x, l.y[i]})
		}
	}
	return []*output.List{
		{Name: "curves", Len: len(lines), Form: output.NoCSV, Columns: []output.Column{
			{Key: "series", Value: func(i int) any { return lines[i].name }},
			{Key: axis, Value: func(i int) any { return lines[i].x }},
			{Key: lines[0].value, Value: func(i int) any { return lines[i].y }}}},
		{Len: len(points), Columns: []output.Column{
			{Key: "series", Value: func(i int) any { return points[i].series }},
			{Key: "x", Value: func(i int) any { return points[i].x }},
			{Key: "value", Value: func(i int) any { return points[i].y }}}},
		table,
	}
}
