package labcmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/lab"
)

// newAllocateResult returns the result of the studies. The fields of several studies are an object each.
func newAllocateResult(studies []*lab.DaysStudy) *output.Result {
	r := output.NewResult("s")
	var all []output.Object
	for _, s := range studies {
		var o output.Object
		prefix := ""
		o.Add("title", output.When(s.Title != "", s.Title))
		o.Add("nodes", s.Nodes)
		for _, l := range lists(s) {
			if len(studies) > 1 {
				prefix = s.Title + ": "
				l = l.Before(output.InCSV("study", s.Title))
			}
			o.Add(l.Name, l)
		}
		all = append(all, o)
		if s.ComparesPolicies() {
			r.Note("%s%s", prefix, bestSentence(s))
		}
	}
	if len(all) == 1 {
		r.Object = append(r.Object, all[0]...)
	} else {
		r.Add("studies", all)
	}
	return r
}

// lists returns the lists of a study: the points of curves, or the rows of all policies and, if it optimizes a parameter,
// the best values.
func lists(s *lab.DaysStudy) []*output.List {
	if !s.Simulated() {
		x, y, points := s.Curves()
		return []*output.List{output.NewList("curves", s.Title, output.Wide, points, func(q *lab.CurvePoint) output.Row {
			return output.Row{output.Col("series", "series").Is(q.Series), output.Col("x", x).Shortest().Is(q.X),
				output.Col("value", y).Is(q.Y)}
		})}
	}
	if s.Optimum == "" {
		return []*output.List{resultList(s)}
	}
	return []*output.List{resultList(s).Show(), optimumList(s)}
}

// shownMeasure returns the column in which tables show a measure: its digits, its head, and whether a narrow table leaves it out
// first.
func shownMeasure(name string) output.Column {
	c := output.Measure(name).WithHalfWidth(3)
	switch name {
	case measure.MeanResponseTime:
		return c.WithHalfWidth(4)
	case measure.UsefulUtilization:
		return c.Headed("useful").Aside()
	case measure.MeanClusterSize:
		return c.Aside()
	case measure.CVClusterSize:
		return c.Headed("CV").Aside()
	case measure.MedianSlowdown:
		return c.Headed("slowdown p50").Aside()
	case measure.P90Slowdown:
		return c.Headed("slowdown p90")
	case measure.MeanBoundedSlowdown:
		return c.Headed("bounded mean").Aside()
	case measure.Utilization, measure.MeanWaitingTime:
		return c
	}
	return c.Headed("")
}

// resultList returns the list with a row for each policy, load and value of the parameter: all measures in JSON and CSV, a
// choice of them in tables.
func resultList(s *lab.DaysStudy) *output.List {
	first := &s.Rows[0]
	title := titled(words.Count(s.Nodes, "node")+", "+words.Count(first.Days, "day"), measure.Confidence)
	if s.Title != "" {
		title = s.Title + ", " + title
	}
	parameter := output.Col("parameter", "").Shortest()
	if s.Parameter != nil {
		parameter = parameter.Headed(s.Parameter.Name)
	}
	return output.NewList("results", title, output.Wide, s.Rows, func(o *lab.DaysOutcome) output.Row {
		row := append(output.PolicyAsWritten(o.Policy), output.InTable("policy").Is(o.Name),
			output.InJSON("name", output.When(o.Name != o.Text, o.Name)),
			parameter.Is(o.Parameter), output.Measure(measure.OfferedLoad).Digits(3).Is(o.Load), output.Data("days", o.Days),
			output.Data("jobs", o.Jobs))
		for _, name := range lab.DaysMeasures() {
			row = append(row, shownMeasure(name).MeanFirst().Is(o.Of(name)))
		}
		return append(row, output.InJSON("seconds", o.Seconds))
	}).In("s")
}

// bestSentence says which policy is best, and from which others it does not differ significantly.
func bestSentence(s *lab.DaysStudy) string {
	var parts []string
	for _, q := range []struct {
		what, name string
		digits     int
	}{{"Shortest mean response time", measure.MeanResponseTime, 4}, {"smallest p90 of the slowdown", measure.P90Slowdown, 3}} {
		best, tied := lab.BestOfDays(s.Rows, q.name, false)
		text := fmt.Sprintf("%s: %s (%s)", q.what, s.Rows[best].Name, words.Round(s.Rows[best].Of(q.name).Mean, q.digits))
		var others []string
		for _, i := range tied {
			if i != best {
				others = append(others, s.Rows[i].Name)
			}
		}
		if len(others) > 0 {
			verb := "do"
			if len(others) == 1 {
				verb = "does"
			}
			text += fmt.Sprintf(", from which %s %s not differ significantly", words.And(others), verb)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ") + "."
}

// optimumList returns a row for each policy and load: the best value of the parameter of the study, and the range of values
// that do not differ significantly from it.
func optimumList(s *lab.DaysStudy) *output.List {
	number := func(key, head string) output.Column { return output.Col(key, head).Shortest() }
	return output.NewList("optima", s.Title, output.NoCSV, s.Optima(), func(b *lab.BestParameter) output.Row {
		return output.Row{output.Data("policy", b.Text), output.InTable("policy").Is(b.Name),
			output.Col("load", "load").Digits(3).Is(b.Load),
			number("parameter", "best "+s.Parameter.Name).Is(b.Parameter), number("low", "from").Is(b.Low), number("high", "to").Is(b.High),
			output.Measure(s.Optimum).Digits(4).Is(b.Value)}
	})
}

// drawnMeasures are the measures that are drawn if a study names no measures.
var drawnMeasures = []string{measure.UsefulUtilization, measure.MeanResponseTime, measure.P90Slowdown}

// newAllocateFigure draws the studies. Studies with the same number of panels have a row each.
func newAllocateFigure(studies []*lab.DaysStudy) *chart.Figure {
	f := &chart.Figure{Heading: "Policies of allocation"}
	var panels [][]chart.Panel
	for _, s := range studies {
		panels = append(panels, panelsOf(s, f))
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
				what := panels[i][j].Title
				if panels[i][j].Title = s.Title; len(panels[i]) > 1 {
					panels[i][j].Title += ": " + strings.ToLower(what)
				}
			}
		}
	}
	f.Panels = slices.Concat(panels...)
	f.Notes = figureNotes(studies)
	return f
}

// figureNotes say what the names of policies mean, and the letters of the speedups.
func figureNotes(studies []*lab.DaysStudy) []string {
	notes := []string{"A: the average parallelism of a job; sigma: how much its parallelism varies"}
	add := func(note string) {
		if !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	for _, s := range studies {
		for _, one := range s.Strategies {
			name, _, _ := strings.Cut(one.Text, ":")
			e, _ := s.Table.Named(name)
			add(one.Name + ": " + e.Summary)
		}
		if slices.Contains(s.Measures, measure.UsefulUtilization) || s.Optimum == measure.UsefulUtilization {
			add("Useful utilization: the work that is done, as a share of what all nodes could do")
		}
	}
	return notes
}

// panelsOf returns the panels of a study: curves, best values, or a panel for each measure. Series that the figure f lacks
// are added to it.
func panelsOf(s *lab.DaysStudy, f *chart.Figure) []chart.Panel {
	switch {
	case !s.Simulated():
		x, y, points := s.Curves()
		p := chart.Panel{FromZero: true, XLabel: x, YLabel: y}
		if y == "size" {
			p.YLabel = "nodes that a job gets"
		}
		for _, q := range points {
			p.Add(chart.Line{Series: f.SeriesOf(q.Series)}, q.X, q.Y)
		}
		return []chart.Panel{p}
	case s.Optimum != "":
		return []chart.Panel{optimumPanel(s, f)}
	}
	measures := s.Measures
	if measures == nil {
		measures = drawnMeasures
	}
	var panels []chart.Panel
	for _, name := range measures {
		panels = append(panels, panel(s, f, measure.Must(name)))
	}
	return panels
}

// panel draws a measure of all policies against the parameter if there is one, otherwise against the load.
func panel(s *lab.DaysStudy, f *chart.Figure, m measure.Measure) chart.Panel {
	what := m.Title
	switch m.Name {
	case measure.MeanResponseTime:
		what = "mean response time"
	case measure.MeanClusterSize:
		what = "nodes that a job gets"
	}
	p := chart.Panel{Title: words.Capitalized(what), YLabel: what, XLabel: "offered load",
		MayLog: m.Unit == measure.Time || strings.Contains(m.Name, "slowdown"), FromZero: m.Unit != measure.Share}
	if m.Unit == measure.Time {
		p.YLabel += " [s]"
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		x, name := r.Load, r.Name
		if s.Parameter != nil {
			p.XLabel, x = s.Parameter.Name, r.Parameter
			if len(s.Loads) > 1 {
				name = fmt.Sprintf("%s, load %s", name, words.Shortest(r.Load))
			}
		}
		p.Add(chart.Line{Series: f.SeriesOf(name)}, x, r.Of(m.Name).Mean)
	}
	return p
}

// optimumPanel draws the best values of the parameter against the load. Dashed lines bound where they may lie.
func optimumPanel(s *lab.DaysStudy, f *chart.Figure) chart.Panel {
	name := s.Parameter.Name
	p := chart.Panel{Title: "Best " + name, YLabel: name, XLabel: "offered load", FromZero: true}
	f.Strokes = []string{"best", "not significantly worse"}
	best := s.Optima()
	for i, b := range best {
		if i == 0 || b.Name != best[i-1].Name {
			l := chart.Line{Series: f.SeriesOf(b.Name), Stroke: chart.Dashed}
			p.Lines = append(p.Lines, chart.Line{Series: l.Series}, l, l)
		}
		for k, y := range []float64{b.Parameter, b.Low, b.High} {
			l := &p.Lines[len(p.Lines)-3+k]
			l.X, l.Y = append(l.X, b.Load), append(l.Y, y)
		}
	}
	return p
}
