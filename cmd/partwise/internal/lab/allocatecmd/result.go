package allocatecmd

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/experiment/days"
	"github.com/partwise/partwise/validate/sched"
)

// newResult returns the result of the studies. The fields of several studies are an object each.
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

// lists returns the lists of a study.
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
		measures = append(measures, output.Column{Key: m.Name, Name: t.name, Extra: t.extra, MeanOnly: true, Text: output.WithHalfWidth(t.digits, 2),
			Value: func(i int) any { return rows[i].Of(m.Name) }})
	}
	title := fmt.Sprintf("%s, %s, %s; ± half of %s %% intervals", s.Title, output.Count(s.Nodes, "node"), output.Count(rows[0].Days, "day"),
		output.Shortest(100*s.confidence))
	return &output.List{Name: "results", Title: strings.TrimPrefix(title, ", "), Len: len(rows), Columns: slices.Concat(
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
			{Key: "seconds", OnlyJSON: true, Value: func(i int) any { return rows[i].Seconds }},
		})}
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
		if len(others) > 0 {
			verb := map[bool]string{true: "does", false: "do"}[len(others) == 1]
			text += fmt.Sprintf(", from which %s %s not differ significantly", strings.Join(others, " and "), verb)
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

// drawnMeasures are the measures that are drawn if a study names none.
var drawnMeasures = []string{measure.UsefulUtilization, measure.MeanResponseTime, measure.P90Slowdown}

// newFigure draws the studies. Studies with the same number of panels have a row each.
func newFigure(studies []*study) *chart.Figure {
	f := &chart.Figure{Heading: "Policies of allocation"}
	var panels [][]chart.Panel
	for _, s := range studies {
		panels = append(panels, s.panels(f))
	}
	same := !slices.ContainsFunc(panels, func(p []chart.Panel) bool { return len(p) != len(panels[0]) })
	for i, s := range studies {
		switch {
		case len(panels) == 1:
			f.Title = s.Title
		case same && len(panels[0]) > 1:
			f.Rows = append(f.Rows, s.Title)
		default:
			for j := range panels[i] {
				panels[i][j].Title = s.Title
			}
		}
	}
	f.Panels = slices.Concat(panels...)
	return f
}

// panels draws a study.
func (s *study) panels(f *chart.Figure) []chart.Panel {
	switch {
	case !s.simulated():
		p := chart.Panel{FromZero: true}
		for _, l := range s.lines() {
			p.XLabel, p.YLabel = l.axis, l.value
			p.Lines = append(p.Lines, chart.Line{X: l.x, Y: l.y, Series: f.SeriesOf(l.name)})
		}
		return []chart.Panel{p}
	case s.Optimum != "":
		return []chart.Panel{s.optimumPanel(f)}
	}
	measures := s.Measures
	if measures == nil {
		measures = drawnMeasures
	}
	var panels []chart.Panel
	for _, name := range measures {
		panels = append(panels, s.panel(f, measure.Must(name)))
	}
	return panels
}

// panel draws a measure of all policies against the parameter if there is one, otherwise against the load.
func (s *study) panel(f *chart.Figure, m measure.Measure) chart.Panel {
	p := chart.Panel{Title: strings.ToUpper(m.Title[:1]) + m.Title[1:], YLabel: m.Title, XLabel: "offered load",
		MayLog: m.Unit == measure.Time || strings.Contains(m.Name, "slowdown"), FromZero: m.Unit != measure.Share}
	if m.Unit == measure.Time {
		p.YLabel += " [s]"
	}
	for i := range s.rows {
		r := &s.rows[i]
		x, name := r.Load, r.Name
		if s.Parameter != nil {
			p.XLabel, x = s.Parameter.Name, r.parameter
			if len(s.Loads) > 1 {
				name = fmt.Sprintf("%s, load %s", name, output.Shortest(r.Load))
			}
		}
		p.Add(chart.Line{Series: f.SeriesOf(name)}, x, r.Of(m.Name).Mean)
	}
	return p
}

// optimumPanel draws the best values of the parameter against the load. Dashed lines bound where they may lie.
func (s *study) optimumPanel(f *chart.Figure) chart.Panel {
	name := s.Parameter.Name
	p := chart.Panel{Title: "Best " + name, YLabel: name, XLabel: "offered load", FromZero: true}
	f.Solid, f.Dashed = "best", "does not differ significantly"
	best := s.optima()
	for from, to := 0, 0; from < len(best); from = to {
		lines := make([]chart.Line, 3)
		for to = from; to < len(best) && best[to].Strategy == best[from].Strategy; to++ {
			for j, y := range []float64{best[to].parameter, best[to].Low, best[to].High} {
				lines[j].Series, lines[j].Dashed = f.SeriesOf(best[from].Name), j > 0
				lines[j].X, lines[j].Y = append(lines[j].X, best[to].Load), append(lines[j].Y, y)
			}
		}
		p.Lines = append(p.Lines, lines...)
	}
	return p
}

// curve is a curve that needs no simulation.
type curve struct {
	name, axis, value string
	x, y              []float64
}

// newCurve returns the curve of a function.
func newCurve(name, axis, value string, x []float64, of func(x float64) float64) curve {
	c := curve{name, axis, value, x, make([]float64, len(x))}
	for i := range x {
		c.y[i] = of(x[i])
	}
	return c
}

// lines returns the curves of a study that draws speedups or sizes.
func (s *study) lines() []curve {
	var all []curve
	if c := s.Speedup; c != nil {
		nodes := make([]float64, s.Nodes)
		for i := range nodes {
			nodes[i] = float64(i + 1)
		}
		for _, sigma := range c.Sigma {
			all = append(all, newCurve("sigma "+output.Shortest(sigma), "nodes", "speedup", nodes, workload.Downey{A: c.A, Sigma: sigma}.At))
		}
		return append(all, newCurve("lower bound", "nodes", "speedup", nodes, workload.Downey{A: c.A}.LowerBound))
	}
	for _, load := range s.Loads {
		rows, policies := s.planned()
		for i, p := range policies {
			name := rows[i].Name
			if !math.IsNaN(rows[i].parameter) {
				name += ", " + s.Parameter.Name + " " + output.Shortest(rows[i].parameter)
			}
			if len(s.Loads) > 1 {
				name += ", load " + output.Shortest(load)
			}
			if size, ok := sched.SizingOf(p); ok { // as checked when the study was read
				at := sched.Situation{Nodes: s.Nodes, Free: s.Nodes, Waiting: 1, Load: load}
				all = append(all, newCurve(name, "sigma", "size", s.Sizes.Sigma, func(sigma float64) float64 {
					return math.Min(size(workload.Downey{A: s.Sizes.A, Sigma: sigma}, at), float64(s.Nodes))
				}))
			}
		}
	}
	return all
}
