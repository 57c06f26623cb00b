package allocatecmd

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/sched"
)

// drawnMeasures are drawn of a study that does not say which.
var drawnMeasures = []string{measure.UsefulUtilization, measure.MeanResponseTime, measure.P90Slowdown}

// figure draws the studies: several that have equally many panels in a row each.
func (a *results) figure() *chart.Figure {
	f := &chart.Figure{Heading: "Policies of allocation"}
	var panels [][]chart.Panel
	for _, s := range a.studies {
		panels = append(panels, s.panels(f))
	}
	same := !slices.ContainsFunc(panels, func(p []chart.Panel) bool { return len(p) != len(panels[0]) })
	switch {
	case len(panels) == 1:
		f.Title = a.studies[0].study.Title
	case same && len(panels[0]) > 1:
		for _, s := range a.studies {
			f.Rows = append(f.Rows, s.study.Title)
		}
	default:
		for i, s := range a.studies {
			for j := range panels[i] {
				panels[i][j].Title = s.study.Title
			}
		}
	}
	f.Panels = slices.Concat(panels...)
	return f
}

// seriesOf returns the number of a series of the figure, a new one if its name is new.
func seriesOf(f *chart.Figure, name string) int {
	if i := slices.Index(f.Series, name); i >= 0 {
		return i
	}
	f.Series = append(f.Series, name)
	return len(f.Series) - 1
}

// panels draws a study.
func (s *studyResult) panels(f *chart.Figure) []chart.Panel {
	if !s.simulated() {
		return []chart.Panel{s.curvePanel(f)}
	}
	if best := s.optima(0.95); best != nil {
		return []chart.Panel{s.optimaPanel(f, best)}
	}
	measures := s.study.Measures
	if measures == nil {
		measures = drawnMeasures
	}
	var panels []chart.Panel
	for _, name := range measures {
		m, _ := measure.Named(name)
		panels = append(panels, s.panel(f, m))
	}
	return panels
}

// panel draws a measure of all policies against the parameter if there is one, otherwise against the load.
func (s *studyResult) panel(f *chart.Figure, m measure.Measure) chart.Panel {
	p := chart.Panel{Title: strings.ToUpper(m.Title[:1]) + m.Title[1:], YLabel: m.Title, XLabel: "offered load"}
	if m.Unit == measure.Time {
		p.YLabel += " [s]"
	}
	p.MayLog, p.FromZero = m.Unit == measure.Time || strings.Contains(m.Name, "slowdown"), m.Unit != measure.Share
	if s.study.Parameter != nil {
		p.XLabel = s.study.Parameter.Name
	}
	for i := range s.rows {
		r := &s.rows[i]
		x, name := r.Load, r.entry.Name
		if s.study.Parameter != nil {
			x = r.parameter
			if len(s.study.Loads) > 1 {
				name = fmt.Sprintf("%s, load %s", name, output.Shortest(r.Load))
			}
		}
		series := seriesOf(f, name)
		at := slices.IndexFunc(p.Lines, func(l chart.Line) bool { return l.Series == series })
		if at < 0 {
			p.Lines = append(p.Lines, chart.Line{Series: series})
			at = len(p.Lines) - 1
		}
		l := &p.Lines[at]
		l.X, l.Y = append(l.X, x), append(l.Y, r.Of(m.Name).Mean)
	}
	return p
}

// optimaPanel draws the best values of the parameter against the load, and between dashed lines where they may lie.
func (s *studyResult) optimaPanel(f *chart.Figure, best []optimum) chart.Panel {
	name := s.study.Parameter.Name
	p := chart.Panel{Title: "Best " + name, YLabel: name, XLabel: "offered load", FromZero: true}
	f.Solid, f.Dashed = "best", "does not differ significantly"
	for from := 0; from < len(best); {
		lines := make([]chart.Line, 3)
		to := from
		for ; to < len(best) && best[to].entry == best[from].entry; to++ {
			for j, y := range []float64{best[to].at, best[to].low, best[to].high} {
				lines[j].X, lines[j].Y = append(lines[j].X, best[to].load), append(lines[j].Y, y)
			}
		}
		series := seriesOf(f, best[from].entry.Name)
		for j := range lines {
			lines[j].Series, lines[j].Dashed = series, j > 0
		}
		p.Lines = append(p.Lines, lines...)
		from = to
	}
	return p
}

// curveLine is a curve that needs no simulation.
type curveLine struct {
	name, axis, value string
	x, y              []float64
}

// lines returns the curves of a study that draws speedups or sizes.
func (s *studyResult) lines() []curveLine {
	var all []curveLine
	if c := s.study.Speedup; c != nil {
		for _, sigma := range c.Sigma {
			l := curveLine{name: "sigma " + output.Shortest(sigma), axis: "nodes", value: "speedup"}
			d := workload.Downey{A: c.A, Sigma: sigma}
			for n := 1; n <= s.study.Nodes; n++ {
				l.x, l.y = append(l.x, float64(n)), append(l.y, d.At(float64(n)))
			}
			all = append(all, l)
		}
		least := curveLine{name: "lower bound", axis: "nodes", value: "speedup", x: all[0].x}
		for _, n := range least.x {
			least.y = append(least.y, workload.Downey{A: c.A}.LowerBound(n))
		}
		return append(all, least)
	}
	c := s.study.Sizes
	for _, load := range s.study.Loads {
		rows, policies := s.planned()
		for i, p := range policies {
			l := curveLine{name: rows[i].entry.Name, axis: "sigma", value: "size"}
			if rows[i].hasParameter {
				l.name += ", " + s.study.Parameter.Name + " " + output.Shortest(rows[i].parameter)
			}
			if len(s.study.Loads) > 1 {
				l.name += ", load " + output.Shortest(load)
			}
			size, ok := sched.SizingOf(p)
			if !ok {
				continue // the study was checked when it was read
			}
			at := sched.Situation{Nodes: s.study.Nodes, Free: s.study.Nodes, Waiting: 1, Load: load}
			for _, sigma := range c.Sigma {
				n := size(workload.Downey{A: c.A, Sigma: sigma}, at)
				l.x, l.y = append(l.x, sigma), append(l.y, math.Min(n, float64(s.study.Nodes)))
			}
			all = append(all, l)
		}
	}
	return all
}

func (s *studyResult) curvePanel(f *chart.Figure) chart.Panel {
	p := chart.Panel{FromZero: true}
	for _, l := range s.lines() {
		p.XLabel, p.YLabel = l.axis, l.value
		p.Lines = append(p.Lines, chart.Line{X: l.x, Y: l.y, Series: seriesOf(f, l.name)})
	}
	return p
}
