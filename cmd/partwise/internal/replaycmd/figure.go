package replaycmd

import (
	"cmp"
	"math"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/logflags"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/replay"
)

// loadFigure draws response times, slowdowns and backfilling against the load.
func loadFigure(r *logReplay, runs []*replay.Run) *chart.Figure {
	f := &chart.Figure{Title: "Policies against the load: " + r.log.Name, XLabel: "offered load"}
	panels := []struct {
		title, label string
		of           string
		mayLog       bool
	}{{"Response time", "seconds", measure.MeanResponseTime, true},
		{"Bounded slowdown", "", measure.MeanBoundedSlowdown, true},
		{"Backfilled jobs", "share", measure.BackfilledShare, false}}
	for _, run := range runs {
		if name := run.Policy.String(); !slices.Contains(f.Series, name) {
			f.Series = append(f.Series, name)
		}
	}
	for _, p := range panels {
		panel := chart.Panel{Title: p.title, YLabel: p.label, MayLog: p.mayLog, FromZero: true}
		for k, name := range f.Series {
			line := chart.Line{Series: k}
			for _, run := range runs {
				if run.Policy.String() != name {
					continue
				}
				y := run.Measures[p.of]
				if !output.Finite(y) {
					y = math.NaN()
				}
				line.X, line.Y = append(line.X, run.Load), append(line.Y, y)
			}
			panel.Lines = append(panel.Lines, line)
		}
		f.Panels = append(f.Panels, panel)
	}
	return f
}

// benefitFigure draws the mean response time of EASY over that of the policies that resize jobs: against the share of
// malleable jobs, a line for each cost, and against the cost, a line for each share.
func benefitFigure(r *logReplay, runs []*replay.Run) *chart.Figure {
	f := &chart.Figure{Title: "What resizing brings: " + r.log.Name, XLabel: "malleable jobs [%]"}
	var panels []chart.Panel
	if len(r.Shares) > 1 {
		panels = append(panels, benefitPanel(r, runs, f, "Against the share of malleable jobs", "malleable jobs [%]",
			func(run *replay.Run) float64 { return 100 * run.Share },
			func(run *replay.Run) string { return run.Policy.String() + ", " + logflags.CostWords(&run.Cost) }))
	}
	if len(r.Costs) > 1 && !slices.ContainsFunc(r.Costs, func(c replay.Cost) bool { return !c.Flat() }) {
		panels = append(panels, benefitPanel(r, runs, f, "Against the cost of a resize", "cost of a resize [s]",
			func(run *replay.Run) float64 { return run.Cost.Seconds },
			func(run *replay.Run) string {
				return run.Policy.String() + ", " + shareWords(run.Share) + " malleable"
			}))
	}
	f.Panels = panels
	return f
}

// benefitPanel draws the ratio to EASY, a line for each name, at places along the axis.
func benefitPanel(r *logReplay, runs []*replay.Run, f *chart.Figure, title, axis string,
	place func(*replay.Run) float64, name func(*replay.Run) string) chart.Panel {
	p := chart.Panel{Title: title, XLabel: axis, YLabel: "EASY's mean response time / this", Rule: 1, HasRule: true,
		FromZero: true}
	first := len(f.Series)
	for _, run := range runs {
		if !run.Resizes() {
			continue
		}
		k := slices.Index(f.Series[first:], name(run))
		if k < 0 {
			k = len(f.Series) - first
			f.Series = append(f.Series, name(run))
			p.Lines = append(p.Lines, chart.Line{Series: first + k})
		}
		line := &p.Lines[k]
		y := run.Ratio().Mean
		if !output.Finite(y) {
			y = math.NaN()
		}
		line.X, line.Y = append(line.X, place(run)), append(line.Y, y)
	}
	for k := range p.Lines {
		sortLine(&p.Lines[k])
	}
	return p
}

// sortLine puts the points of a line in the order of X.
func sortLine(l *chart.Line) {
	order := make([]int, len(l.X))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.X[a], l.X[b]) })
	x, y := make([]float64, len(order)), make([]float64, len(order))
	for i, k := range order {
		x[i], y[i] = l.X[k], l.Y[k]
	}
	l.X, l.Y = x, y
}
