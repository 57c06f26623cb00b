package replayview

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/replay"
)

// LoadFigure draws response times, slowdowns and backfilling against the load.
func (r *Replay) LoadFigure(runs []*replay.Run) *chart.Figure {
	f := &chart.Figure{Title: fastest(runs), XLabel: "offered load, as a share of the capacity"}
	for _, q := range []struct {
		measure string
		panel   chart.Panel
	}{{measure.MeanResponseTime, chart.Panel{Title: "Mean response time", YLabel: "mean response time [s]", MayLog: true,
		FromZero: true}},
		{measure.MeanBoundedSlowdown,
			chart.Panel{Title: "Mean bounded slowdown", YLabel: "mean bounded slowdown", MayLog: true, FromZero: true}},
		{measure.BackfilledShare, chart.Panel{Title: "Jobs that are backfilled", YLabel: "share of the jobs", FromZero: true}}} {
		for _, run := range runs {
			q.panel.Add(chart.Line{Series: f.SeriesOf(run.Policy.String())}, run.Load, run.Measures[q.measure])
		}
		f.Panels = append(f.Panels, q.panel)
	}
	f.Notes = append(policyNotes(runs), "Jobs: those of "+filepath.Base(r.Log.Name)+".")
	return f
}

// NodesFigure draws response times and waits against the number of nodes, and how much faster jobs are than under EASY on the
// first number.
func (r *Replay) NodesFigure(runs []*replay.Run) *chart.Figure {
	return OnNodesFigure("What more "+r.unit()+"s bring: "+filepath.Base(r.Log.Name), r.unit(), runs, r.labelOnNodes)
}

// OnNodesFigure does so for runs on several numbers of nodes; nil without runs. unit is what one of the nodes is called. label
// names a run among the runs on the same number.
func OnNodesFigure(title, unit string, runs []*replay.Run, label func(*replay.Run) string) *chart.Figure {
	if len(runs) == 0 {
		return nil
	}
	f := &chart.Figure{Title: title, XLabel: unit + "s"}
	response := chart.Panel{Title: "Mean response time", YLabel: "mean response time [s]", FromZero: true}
	wait := chart.Panel{Title: "Mean waiting time", YLabel: "mean waiting time [s]", FromZero: true}
	faster := chart.Panel{Title: fmt.Sprintf("Against EASY on %s", words.Count(runs[0].OnFirst.Nodes, unit)),
		YLabel: "times as fast", Rule: 1, HasRule: true, Log: true}
	for _, run := range runs {
		series, x := f.SeriesOf(label(run)), float64(run.Nodes)
		response.Add(chart.Line{Series: series}, x, run.Measures[measure.MeanResponseTime])
		wait.Add(chart.Line{Series: series}, x, run.Measures[measure.MeanWaitingTime])
		ratio := ifKnown(run.RatioToFirst())
		faster.AddInterval(chart.Line{Series: series}, x, ratio.Mean, ratio.Low, ratio.High)
	}
	f.Panels, f.Notes = []chart.Panel{response, wait, faster}, append(policyNotes(runs),
		"Shaded: "+intervalWords+"s, by the same jobs on both numbers of "+unit+"s.")
	return f
}

// fastest says which policy has the shortest mean response times at all loads, if one has.
func fastest(runs []*replay.Run) string {
	best := replay.Best(runs, measure.MeanResponseTime, func(run *replay.Run) float64 { return run.Load })
	if slices.ContainsFunc(best, func(run *replay.Run) bool { return run.Policy != best[0].Policy }) {
		return "Which policy is fastest depends on the load"
	}
	return "Shortest mean response times at all loads: " + best[0].Policy.String()
}

// policyNotes say what the names of the policies mean.
func policyNotes(runs []*replay.Run) []string {
	var policies []policy.Policy
	for _, run := range runs {
		policies = append(policies, run.Policy)
	}
	return input.PolicyNotes(policies...)
}

// BenefitFigure draws the mean response time of EASY over the mean response time of the policies that resize jobs: against the
// share of malleable jobs, a line for each cost, or, of one share, against the cost.
func (r *Replay) BenefitFigure(runs []*replay.Run) *chart.Figure {
	f := &chart.Figure{Title: "How much faster jobs are than under EASY: " + filepath.Base(r.Log.Name),
		XLabel: "malleable jobs [% of the jobs]"}
	x := func(run *replay.Run) float64 { return 100 * run.Share }
	name := func(run *replay.Run) string { return run.Policy.String() + ", " + input.CostWords(&run.Cost) }
	if len(r.Shares) < 2 {
		if slices.ContainsFunc(r.Costs, func(c replay.Cost) bool { return !c.Flat() }) {
			return f
		}
		f.XLabel, x = "resize cost [s]", func(run *replay.Run) float64 { return run.Cost.Seconds }
		name = func(run *replay.Run) string { return run.Policy.String() }
	}
	f.Panels, f.Notes = []chart.Panel{benefitPanel(runs, f, x, name)}, policyNotes(runs)
	return f
}

// resizingRuns returns the runs under policies that resize jobs.
func resizingRuns(runs []*replay.Run) []*replay.Run {
	return slices.DeleteFunc(slices.Clone(runs), func(run *replay.Run) bool { return !run.Resizes() })
}

// benefitPanel draws the ratio to EASY against x, a line for each name. A band shows where the ratio of another stretch
// of the log is expected. The axis is logarithmic, so that a slowdown of 4 is as far from 1 as a speedup of 4.
func benefitPanel(runs []*replay.Run, f *chart.Figure, x func(*replay.Run) float64, name func(*replay.Run) string) chart.Panel {
	p := chart.Panel{Title: "Above 1 resizing is faster", YLabel: "times as fast as EASY", Rule: 1, HasRule: true, Log: true}
	resizing := resizingRuns(runs)
	if slices.ContainsFunc(resizing, foretold) {
		p.Title += "; shaded: " + forecastWords + " for another stretch of the log"
	}
	for _, run := range resizing { // colours in the order of the table
		f.SeriesOf(name(run))
	}
	slices.SortStableFunc(resizing, func(a, b *replay.Run) int { return cmp.Compare(x(a), x(b)) })
	for _, run := range resizing {
		ratio := ratioForecast(run)
		low, high := ratio.ForecastLow, ratio.ForecastHigh
		if !foretold(run) {
			low, high = math.NaN(), math.NaN()
		}
		p.AddInterval(chart.Line{Series: f.SeriesOf(name(run))}, x(run), ratio.Mean, low, high)
	}
	return p
}
