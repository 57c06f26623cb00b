package replayview

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// Columns of the table of runs beside the columns of measures.
var (
	malleableColumn = output.InTable("malleable").Right().Aside().Else("–")
	costColumn      = output.InTable("resize cost").Right().Aside().Else("–")
	ratioColumn     = output.InTable("times as fast").Right()
	stretchColumn   = output.InTable("in another stretch").Right().Aside().Else("–")
)

// unit returns what one of the nodes of the log is called: node, CPU or GPU.
func (r *Replay) unit() string { return output.UnitWord(r.Log.SizesIn()) }

// numberColumn is the column of the nodes of the machine.
func (r *Replay) numberColumn() output.Column { return output.InTable(r.unit() + "s").Right() }

// firstColumn is the column of how fast jobs are against EASY on the first number of nodes.
func (r *Replay) firstColumn() output.Column {
	return output.InTable("as fast as EASY on fewest " + r.unit() + "s").Right().Else("–")
}

// nodesColumn is the column of the nodes with which a policy has the 95th percentile of EASY.
func (r *Replay) nodesColumn() output.Column { return output.InTable(r.unit() + "s, same p95").Right() }

// shown returns the columns of the table of runs. What tells runs apart is not left out of a narrow table. Where the search for
// nodes was asked for, it comes first.
func (r *Replay) shown(runs []*replay.Run) []output.Column {
	resizes := slices.ContainsFunc(runs, (*replay.Run).Resizes)
	of := func(name, head string, decimals int) output.Column {
		return output.Measure(name).Headed(head).Decimals(decimals).Else("–")
	}
	share := func(name, head string) output.Column { return output.Measure(name).Headed(head).Percents().Else("–") }
	var columns []output.Column
	add := func(shown, aside bool, c output.Column) {
		c.Extra = aside
		if shown {
			columns = append(columns, c)
		}
	}
	add(true, false, output.InTable("policy"))
	add(len(r.Study.Nodes) > 1, false, r.numberColumn())
	add(true, len(r.Loads) < 2, of(measure.OfferedLoad, "load", 3))
	add(resizes, len(r.Shares) < 2, malleableColumn)
	add(resizes, len(r.Costs) < 2, costColumn)
	add(true, false, of(measure.MeanResponseTime, "response", 0))
	add(r.Nodes || r.Objective.Measure().Name == p95, false, of(p95, "p95", 0))
	add(true, r.Nodes, of(measure.MeanWaitingTime, "waiting", 0))
	add(true, r.Nodes, of(measure.MeanBoundedSlowdown, "bounded slowdown", 2))
	add(true, true, share(measure.Utilization, "utilization"))
	add(true, true, share(measure.BackfilledShare, "backfilled"))
	add(r.KillAtEstimate, false, share(measure.KilledShare, "killed"))
	add(r.Deadline > 0, false, share(measure.ProbabilityLate, "late"))
	add(true, false, ratioColumn)
	add(len(r.Study.Nodes) > 1, false, r.firstColumn())
	add(slices.ContainsFunc(runs, func(run *replay.Run) bool { return run.Resizes() && foretold(run) }), true, stretchColumn)
	add(r.Nodes, false, r.nodesColumn())
	return columns
}

// table returns the list of runs.
func (r *Replay) table(runs []*replay.Run) *output.List {
	l := output.NewList("results", r.title(runs), output.NoCSV, runs, func(run **replay.Run) output.Row { return r.row(*run) })
	return l.Show(r.shown(runs)...).In("s")
}

// row returns what JSON and the table say of a run.
func (r *Replay) row(run *replay.Run) output.Row {
	made, broken := run.Log.Promises()
	intervals, same := intervalsObject(run), run.SameP95
	row := append(output.Policy(run.Policy),
		output.Data("nodes", run.Nodes),
		output.Data("jobs", run.Jobs),
		output.Data("malleable_share", run.Share),
		output.Data("resize_cost", costValue(run)),
		output.Data("resize_at", output.When(run.Resizes(), r.ResizeAt)),
		output.Data("min_factor", output.When(run.Bounded(), r.Least)),
		output.Data("max_factor", output.When(run.Bounded(), r.Most)),
		output.Data("skipped", output.Counts(r.Log.Skipped)),
		output.Data("estimates", r.Estimates),
		output.Data("kill_at_estimate", r.KillAtEstimate))
	row = append(row, measured(run.Measures, append(monthMeasures(), logMeasures()...)...)...)
	for _, f := range replayedPairs(run.Waits) {
		row = append(row, output.InJSON(f.Name, f.Value))
	}
	return append(row,
		output.Data("ratio_to_easy", sameLoadObject(ratioForecast(run))),
		output.Data("ratio_to_first_nodes", output.When(run.OnFirst != nil, onFirst(run))),
		output.Data("with_impossible_lines", r.apartObject(run)),
		output.Data("node_hours", nodeHoursObject(run.Measures)),
		output.Data("nodes_same_p95", output.Positive(same.Nodes)),
		output.Data("nodes_same_p95_interval", output.When(same.Nodes > 0 && same.Low > 0 && same.High > 0,
			output.Pairs("low", same.Low, "high", same.High))),
		output.Data("most_jobs", run.MostJobs),
		output.Data("promises", output.Positive(made)),
		output.Data("promises_broken", output.When(made > 0, broken)),
		output.Data("confidence", output.When(intervals != nil, measure.Confidence)),
		output.Data("intervals", intervals),
		output.Data("seconds", run.Seconds),
		output.Data("pools", pools(run)),
		output.Data("by_size", sizes(run)),
		output.Data("by_month", months(run)),
		output.Data("groups", groups(run)),
		r.numberColumn().Is(run.Nodes),
		r.firstColumn().Is(output.When(run.OnFirst != nil, ratioWords(run.RatioToFirst()))),
		malleableColumn.Is(output.When(run.Resizes(), words.Tenths(run.Share))),
		costColumn.Is(output.When(run.Resizes(), words.TimeWords(run.Cost.Name))),
		ratioColumn.Is(ratioWords(run.Ratio())),
		stretchColumn.Is(output.When(run.Resizes() && foretold(run), stretchWords(ratioForecast(run)))),
		r.nodesColumn().Is(nodesWords(same)))
}

// measured returns the cells of measures, by their names, in JSON and CSV. Those that do not exist are left out.
func measured(values metric.Values, names ...string) output.Row {
	var row output.Row
	for _, name := range names {
		v, ok := values[name]
		row = append(row, output.Measure(name).If(ok, v))
	}
	return row
}

// costValue returns the cost of a resize: seconds, or the name of a file.
func costValue(run *replay.Run) any {
	if run.Cost.Flat() {
		return run.Cost.Seconds
	}
	return run.Cost.Name
}

// ratioWords writes a ratio with half of its interval, or with both ends where the mean is not in the middle.
func ratioWords(e metric.Interval) string {
	text := words.Fixed(e.Mean, 2)
	switch {
	case !e.IsKnown() || e.HalfWidth <= 0:
		return text
	case isLopsided(e):
		return fmt.Sprintf("%s (%s–%s)", text, words.Fixed(e.Low, 2), words.Fixed(e.High, 2))
	}
	return text + " ± " + words.Fixed(e.HalfWidth, 2)
}

// isLopsided reports whether the mean is not in the middle of an interval: an end is off by a tenth of the half width or more.
func isLopsided(e metric.Interval) bool {
	return max(math.Abs(e.Mean-e.HalfWidth-e.Low), math.Abs(e.Mean+e.HalfWidth-e.High)) >= e.HalfWidth/10
}

// stretchWords says which ratios to EASY are expected of another stretch of the log.
func stretchWords(f replay.Forecast) string {
	return words.Fixed(f.ForecastLow, 2) + " to " + words.Fixed(f.ForecastHigh, 2)
}

// nodesWords says on how many nodes, and how certain that is.
func nodesWords(s replay.SameP95) string {
	switch {
	case s.Nodes == 0:
		return "more"
	case s.Low == 0 || s.High == 0:
		return strconv.Itoa(s.Nodes)
	}
	return fmt.Sprintf("%d (%d to %d)", s.Nodes, s.Low, s.High)
}
