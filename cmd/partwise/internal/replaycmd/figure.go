package replaycmd

import (
	"cmp"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/logflags"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/replay"
)

// loadFigure draws response times, slowdowns and backfilling against the load.
func loadFigure(r *logReplay, runs []*replay.Run) *chart.Figure {
	f := &chart.Figure{Title: "Policies against the load: " + r.log.Name, XLabel: "offered load"}
	for _, q := range []struct {
		measure string
		panel   chart.Panel
	}{{measure.MeanResponseTime, chart.Panel{Title: "Response time", YLabel: "seconds", MayLog: true, FromZero: true}},
		{measure.MeanBoundedSlowdown, chart.Panel{Title: "Bounded slowdown", MayLog: true, FromZero: true}},
		{measure.BackfilledShare, chart.Panel{Title: "Backfilled jobs", YLabel: "share", FromZero: true}}} {
		for _, run := range runs {
			q.panel.Add(chart.Line{Series: f.SeriesOf(run.Policy.String())}, run.Load, run.Measures[q.measure])
		}
		f.Panels = append(f.Panels, q.panel)
	}
	return f
}

// benefitFigure draws the mean response time of EASY over that of the policies that resize jobs: against the share of
// malleable jobs, a line for each cost, and against the cost, a line for each share.
func benefitFigure(r *logReplay, runs []*replay.Run) *chart.Figure {
	f := &chart.Figure{Title: "What resizing brings: " + r.log.Name, XLabel: "malleable jobs [%]"}
	share := func(run *replay.Run) float64 { return 100 * run.Share }
	cost := func(run *replay.Run) float64 { return run.Cost.Seconds }
	if len(r.Shares) > 1 {
		f.Panels = append(f.Panels, benefitPanel(runs, f, "Against the share of malleable jobs", "malleable jobs [%]", share,
			func(run *replay.Run) string { return run.Policy.String() + ", " + logflags.CostWords(&run.Cost) }))
	}
	if len(r.Costs) > 1 && !slices.ContainsFunc(r.Costs, func(c replay.Cost) bool { return !c.Flat() }) {
		f.Panels = append(f.Panels, benefitPanel(runs, f, "Against the cost of a resize", "cost of a resize [s]", cost,
			func(run *replay.Run) string { return run.Policy.String() + ", " + shareWords(run.Share) + " malleable" }))
	}
	return f
}

// benefitPanel draws the ratio to EASY against x, a line for each name.
func benefitPanel(runs []*replay.Run, f *chart.Figure, title, axis string, x func(*replay.Run) float64,
	name func(*replay.Run) string) chart.Panel {
	p := chart.Panel{Title: title, XLabel: axis, YLabel: "EASY's mean response time / this", Rule: 1, HasRule: true, FromZero: true}
	resizing := slices.DeleteFunc(slices.Clone(runs), func(run *replay.Run) bool { return !run.Resizes() })
	for _, run := range resizing { // colours in the order of the table
		f.SeriesOf(name(run))
	}
	slices.SortStableFunc(resizing, func(a, b *replay.Run) int { return cmp.Compare(x(a), x(b)) })
	for _, run := range resizing {
		p.Add(chart.Line{Series: f.SeriesOf(name(run))}, x(run), run.Ratio().Mean)
	}
	return p
}
