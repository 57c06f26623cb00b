package allocatecmd

import (
	"fmt"
	"github.com/partwise/partwise/models/words"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
)

// newResult returns the result of the studies. The fields of several studies are an object each.
func newResult(studies []*Study) *output.Result {
	r := output.NewResult("s")
	var all []output.Object
	for _, s := range studies {
		var o output.Object
		prefix := ""
		o.Add("title", output.When(s.Title != "", s.Title))
		o.Add("nodes", s.Nodes)
		lists := s.lists()
		for _, l := range lists {
			if len(studies) > 1 {
				prefix = s.Title + ": "
				l.Columns = append([]output.Column{{Key: "study", OnlyCSV: true, Value: func(int) any { return s.Title }}}, l.Columns...)
			}
			o.Add(l.Name, l)
		}
		if all = append(all, o); s.Simulated() && s.Optimum == "" && s.Parameter == nil && len(s.Loads) == 1 && len(s.rows) > 1 {
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
func (s *Study) lists() []*output.List {
	if !s.Simulated() {
		x, y, points := s.curves()
		l := output.ListOf("curves", s.Title, output.Wide, points, "")
		l.Column("x").Name, l.Column("value").Name = x, y
		return []*output.List{l}
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

// shown are the columns of the measures of tables; unless they say so, numbers have three digits.
var shown = map[string]output.Column{
	measure.Utilization:         {Name: "utilization"},
	measure.UsefulUtilization:   {Name: "useful", Extra: true},
	measure.MeanResponseTime:    {Name: "response [s]", Text: output.WithHalfWidth(4, 2)},
	measure.MeanWaitingTime:     {Name: "waiting [s]"},
	measure.MeanClusterSize:     {Name: "cluster size", Extra: true},
	measure.CVClusterSize:       {Name: "CV", Extra: true},
	measure.MedianSlowdown:      {Name: "slowdown p50", Extra: true},
	measure.P90Slowdown:         {Name: "slowdown p90"},
	measure.MeanBoundedSlowdown: {Name: "bounded mean", Extra: true},
}

// results returns the list of all rows.
func (s *Study) results() *output.List {
	rows := s.rows
	title := fmt.Sprintf("%s, %s, %s; ± half of %s %% intervals", s.Title, words.Count(s.Nodes, "node"), words.Count(rows[0].Days, "day"),
		output.Shortest(100*measure.Confidence))
	l := output.ListOf("results", strings.TrimPrefix(title, ", "), output.Wide, rows, "")
	if s.Parameter != nil {
		l.Column("parameter").Name = s.Parameter.Name
	}
	for _, name := range measures {
		c := shown[name]
		c.Key, c.MeanOnly, c.Value = name, true, func(i int) any { return rows[i].Of(name) }
		if c.Text == nil {
			c.Text = output.WithHalfWidth(3, 2)
		}
		l.Columns = slices.Insert(l.Columns, len(l.Columns)-1, c)
	}
	l.Columns = slices.Concat(input.PolicyNames(func(i int) policy.Policy { return rows[i].Policy }), []output.Column{
		{Name: "policy", Value: func(i int) any { return rows[i].Name }},
		{Key: "name", OnlyJSON: true, Value: func(i int) any { return output.When(rows[i].Name != rows[i].Text, rows[i].Name) }},
	}, l.Columns)
	return l
}

// bestSentence says which policy is best, and from which others it does not differ significantly.
func (s *Study) bestSentence() string {
	var parts []string
	for _, q := range []struct {
		what, name string
		digits     int
	}{{"Shortest mean response time", measure.MeanResponseTime, 4}, {"smallest p90 of the slowdown", measure.P90Slowdown, 3}} {
		best, tied := Best(s.rows, q.name, false)
		text := fmt.Sprintf("%s: %s (%s)", q.what, s.rows[best].Name, output.Round(s.rows[best].Of(q.name).Mean, q.digits))
		var others []string
		for _, i := range tied {
			if i != best {
				others = append(others, s.rows[i].Name)
			}
		}
		if len(others) > 0 {
			verb := map[bool]string{true: "does", false: "do"}[len(others) == 1]
			text += fmt.Sprintf(", from which %s %s not differ significantly", words.And(others), verb)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ") + "."
}

// optimumList returns the list of the best values.
func (s *Study) optimumList() *output.List {
	best := s.Optima()
	l := output.ListOf("optima", s.Title, output.NoCSV, best, "")
	l.Column("parameter").Name += " " + s.Parameter.Name
	l.Columns = append(l.Columns, output.Column{Key: s.Optimum, Name: measure.Must(s.Optimum).Title, Text: output.Digits(4),
		Value: func(i int) any { return best[i].value }})
	return l
}

// drawnMeasures are the measures that are drawn if a study names none.
var drawnMeasures = []string{measure.UsefulUtilization, measure.MeanResponseTime, measure.P90Slowdown}

// newFigure draws the studies. Studies with the same number of panels have a row each.
func newFigure(studies []*Study) *chart.Figure {
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
func figureNotes(studies []*Study) []string {
	notes := []string{"A: the average parallelism of a job; sigma: how much its parallelism varies"}
	add := func(note string) {
		if !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	for _, s := range studies {
		for _, one := range s.Strategies {
			name, _, _ := strings.Cut(one.Text, ":")
			e, _ := s.table.Named(name)
			add(one.Name + ": " + e.Summary)
		}
		if slices.Contains(s.Measures, measure.UsefulUtilization) || s.Optimum == measure.UsefulUtilization {
			add("Useful utilization: the work that is done, as a share of what all nodes could do")
		}
	}
	return notes
}

// panels draws a study.
func (s *Study) panels(f *chart.Figure) []chart.Panel {
	switch {
	case !s.Simulated():
		x, y, points := s.curves()
		p := chart.Panel{FromZero: true, XLabel: x, YLabel: y}
		if y == "size" {
			p.YLabel = "nodes that a job gets"
		}
		for _, q := range points {
			p.Add(chart.Line{Series: f.SeriesOf(q.Series)}, q.X, q.Y)
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
func (s *Study) panel(f *chart.Figure, m measure.Measure) chart.Panel {
	what := m.Title
	switch m.Name {
	case measure.MeanResponseTime:
		what = "mean response time"
	case measure.MeanClusterSize:
		what = "nodes that a job gets"
	}
	p := chart.Panel{Title: strings.ToUpper(what[:1]) + what[1:], YLabel: what, XLabel: "offered load",
		MayLog: m.Unit == measure.Time || strings.Contains(m.Name, "slowdown"), FromZero: m.Unit != measure.Share}
	if m.Unit == measure.Time {
		p.YLabel += " [s]"
	}
	for i := range s.rows {
		r := &s.rows[i]
		x, name := r.Load, r.Name
		if s.Parameter != nil {
			p.XLabel, x = s.Parameter.Name, r.Parameter
			if len(s.Loads) > 1 {
				name = fmt.Sprintf("%s, load %s", name, output.Shortest(r.Load))
			}
		}
		p.Add(chart.Line{Series: f.SeriesOf(name)}, x, r.Of(m.Name).Mean)
	}
	return p
}

// optimumPanel draws the best values of the parameter against the load. Dashed lines bound where they may lie.
func (s *Study) optimumPanel(f *chart.Figure) chart.Panel {
	name := s.Parameter.Name
	p := chart.Panel{Title: "Best " + name, YLabel: name, XLabel: "offered load", FromZero: true}
	f.Solid, f.Dashed = "best", "not significantly worse"
	best := s.Optima()
	for i, b := range best {
		if i == 0 || b.Name != best[i-1].Name {
			l := chart.Line{Series: f.SeriesOf(b.Name), Dashed: true}
			p.Lines = append(p.Lines, chart.Line{Series: l.Series}, l, l)
		}
		for k, y := range []float64{b.Parameter, b.Low, b.High} {
			l := &p.Lines[len(p.Lines)-3+k]
			l.X, l.Y = append(l.X, b.Load), append(l.Y, y)
		}
	}
	return p
}
