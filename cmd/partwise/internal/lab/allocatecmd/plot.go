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

// newFigure draws the studies: several that have equally many panels in a row each.
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

// optimumPanel draws the best values of the parameter against the load, and between dashed lines where they may lie.
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
