package replayview

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// nodeHours are the measures of node-time, by the keys of JSON.
var nodeHours = []struct{ key, measure string }{{"held", measure.NodeHoursHeld}, {"useful", measure.NodeHoursUseful},
	{"reconfiguration", measure.NodeHoursReconfiguration}, {"imperfect_speedup", measure.NodeHoursImperfectSpeedup},
	{"idle", measure.NodeHoursIdle}, {"capacity", measure.NodeHoursCapacity}}

// Columns of the table of runs beside those of measures.
var (
	malleableColumn = output.InTable("malleable").Right().Aside().Else("–")
	costColumn      = output.InTable("resize cost").Right().Aside().Else("–")
	ratioColumn     = output.InTable("times as fast").Right()
	numberColumn    = output.InTable("nodes").Right()
	firstColumn     = output.InTable("as fast as EASY on fewest nodes").Right().Else("–")
	stretchColumn   = output.InTable("in another stretch").Right().Aside().Else("–")
	nodesColumn     = output.InTable("nodes, same p95").Right()
)

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
	add(len(r.Study.Nodes) > 1, false, numberColumn)
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
	add(len(r.Study.Nodes) > 1, false, firstColumn)
	add(slices.ContainsFunc(runs, func(run *replay.Run) bool { return run.Resizes() && foretold(run) }), true, stretchColumn)
	add(r.Nodes, false, nodesColumn)
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
		numberColumn.Is(run.Nodes),
		firstColumn.Is(output.When(run.OnFirst != nil, ratioWords(run.RatioToFirst()))),
		malleableColumn.Is(output.When(run.Resizes(), output.Tenths(run.Share))),
		costColumn.Is(output.When(run.Resizes(), output.TimeWords(run.Cost.Name))),
		ratioColumn.Is(ratioWords(run.Ratio())),
		stretchColumn.Is(output.When(run.Resizes() && foretold(run), stretchWords(ratioForecast(run)))),
		nodesColumn.Is(nodesWords(same)))
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

// estimateObject has the mean of an estimate, and the ends of its interval where it has one.
func estimateObject(e metric.Interval) output.Object {
	known := output.Finite(e.HalfWidth)
	return output.Pairs("mean", e.Mean, "low", output.When(known, e.Low), "high", output.When(known, e.High))
}

// onFirst has the ratio to EASY on the first number of nodes, with that number.
func onFirst(run *replay.Run) output.Object {
	if run.OnFirst == nil {
		return nil
	}
	return append(output.Pairs("nodes", run.OnFirst.Nodes), estimateObject(run.RatioToFirst())...)
}

// sameLoadObject has the mean of a forecast, and the ends of its intervals where it has them: of this log, and of another stretch of the same
// length with the same load.
func sameLoadObject(f replay.Forecast) output.Object {
	known := output.Finite(f.SameLoadHigh)
	return append(estimateObject(f.Interval), output.Pairs("same_load_low", output.When(known, f.SameLoadLow),
		"same_load_high", output.When(known, f.SameLoadHigh))...)
}

// forecastObject has the mean of a forecast, and the ends of its intervals where it has them: of this log, and of another stretch
// of the same length.
func forecastObject(f replay.Forecast) output.Object {
	known := output.Finite(f.ForecastHigh)
	return append(estimateObject(f.Interval), output.Pairs("forecast_low", output.When(known, f.ForecastLow),
		"forecast_high", output.When(known, f.ForecastHigh))...)
}

func nodeHoursObject(v metric.Values) output.Object {
	var o output.Object
	for _, q := range nodeHours {
		o.Add(q.key, v[q.measure])
	}
	return o
}

// intervalsObject has the intervals of means, by their names; nil if there are none.
func intervalsObject(run *replay.Run) output.Object {
	var o output.Object
	response, wait, slowdown := run.Intervals()
	for i, e := range []metric.Interval{response, wait, slowdown} {
		if output.Finite(e.HalfWidth) {
			o.Add([]string{measure.MeanResponseTime, measure.MeanWaitingTime, measure.MeanBoundedSlowdown}[i],
				append(output.IntervalObject(e), output.Pairs("batches", e.DF+1)...))
		}
	}
	return o
}

// sizes returns what a run did to the jobs of each size.
func sizes(run *replay.Run) *output.List {
	return output.NewList("", "", output.NoCSV, run.Log.Sizes(), func(s *metric.SizeClass) output.Row {
		return output.Row{output.Data("from", s.From), output.Data("to", s.To), output.Data("jobs", s.Jobs),
			output.Data(measure.MeanResponseTime, s.MeanResponse()), output.Data(measure.MeanSlowdown, s.MeanSlowdown())}
	})
}

// months returns what a run did to the jobs of each month; nil if the log is not dated.
func months(run *replay.Run) any {
	if len(run.Months) == 0 {
		return nil
	}
	return output.NewList("", "", output.NoCSV, run.Months, func(m *metric.Month) output.Row {
		row := output.Row{output.Data("month", monthName(m)), output.Data("jobs", m.Jobs)}
		return append(row, measured(m.Values, monthMeasures()...)...)
	})
}

func monthName(m *metric.Month) string { return m.From.Format("2006-01") }

// rowsOfCSV returns the rows of CSV: one for each run, with its intervals, and below it one for each month.
func rowsOfCSV(runs []*replay.Run) *output.List {
	var rows []output.Row
	for _, run := range runs {
		rows = append(rows, rowOfCSV(run))
		rows = append(rows, groupRowsOfCSV(run)...)
		for i := range run.Months {
			m := &run.Months[i]
			row := output.Row{output.InCSV("policy", run.Policy.String()), output.InCSV("month", monthName(m)), output.InCSV("jobs", m.Jobs)}
			rows = append(rows, append(row, measured(m.Values, monthMeasures()...)...))
		}
	}
	return output.ListOfRows("", "", output.Wide, rows).Show()
}

// rowOfCSV returns the row of a run, which is not that of a month.
func rowOfCSV(run *replay.Run) output.Row {
	response, _, _ := run.Intervals()
	ratio, ahead := run.Ratio(), ratioForecast(run)
	if !output.Finite(ratio.HalfWidth) {
		ratio.Low, ratio.High = math.NaN(), math.NaN()
	}
	row := output.Row{output.InCSV("policy", run.Policy.String()), output.InCSV("month", nil), output.InCSV("jobs", run.Jobs)}
	row = append(row, measured(run.Measures, monthMeasures()...)...)
	row = append(row,
		output.InCSV("mean_response_time_low", response.Low),
		output.InCSV("mean_response_time_high", response.High),
		output.InCSV("malleable_share", run.Share),
		output.InCSV("resize_cost", costValue(run)),
		output.InCSV("ratio_to_easy", ratio),
		output.InCSV("ratio_to_easy_same_load_low", output.When(foretold(run), ahead.SameLoadLow)),
		output.InCSV("ratio_to_easy_same_load_high", output.When(foretold(run), ahead.SameLoadHigh)))
	if run.OnFirst != nil {
		first := run.RatioToFirst()
		if !output.Finite(first.HalfWidth) {
			first.Low, first.High = math.NaN(), math.NaN()
		}
		row = append(row, output.InCSV("nodes", run.Nodes), output.InCSV("ratio_to_first_nodes", first))
	}
	row = append(row, measured(run.Measures, logMeasures()...)...)
	for _, q := range nodeHours {
		row = append(row, measured(run.Measures, q.measure)...)
	}
	return row
}

func ratioWords(e metric.Interval) string {
	words := output.Fixed(e.Mean, 2)
	if output.Finite(e.HalfWidth) && e.HalfWidth > 0 {
		words += " ± " + output.Fixed(e.HalfWidth, 2)
	}
	return words
}

// ratioForecast is the forecast of the ratio to EASY.
func ratioForecast(run *replay.Run) replay.Forecast {
	ratio, _ := run.Forecasts()
	return ratio
}

// foretold reports whether a run has a forecast.
func foretold(run *replay.Run) bool { return output.Finite(ratioForecast(run).ForecastHigh) }

// stretchWords says which ratios to EASY are expected of another stretch of the log.
func stretchWords(f replay.Forecast) string {
	return output.Fixed(f.ForecastLow, 2) + " to " + output.Fixed(f.ForecastHigh, 2)
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

// nodeHoursTable says where the node-time went.
func (r *Replay) nodeHoursTable(runs []*replay.Run) *output.List {
	return output.NewList("", "Node-hours", output.NoCSV, runs, func(run **replay.Run) output.Row {
		values, decimals := (*run).Measures, 0
		if values[measure.NodeHoursCapacity] < 100 {
			decimals = 3
		}
		row := output.Row{output.InTable("policy").Is(r.label(*run))}
		for _, q := range nodeHours {
			row = append(row, output.InTable(measure.Must(q.measure).Title).Right().Is(output.Fixed(values[q.measure], decimals)))
		}
		return row
	})
}

// besides returns the cells that have all policies side by side.
func (r *Replay) besides(runs []*replay.Run, what string, decimals int, of func(run *replay.Run) float64) (row output.Row) {
	for _, run := range runs {
		row = append(row, output.InTable(r.label(run)+" "+what).Decimals(decimals).Else("–").Is(of(run)))
	}
	return row
}

// sizeTable has, for each size of jobs, the response times and slowdowns of all policies side by side.
func (r *Replay) sizeTable(runs []*replay.Run) *output.List {
	sizes := runs[0].Log.Sizes()
	rows := make([]output.Row, len(sizes))
	for i, s := range sizes {
		rows[i] = slices.Concat(output.Row{output.InTable("nodes").Is(s.String()), output.InTable("jobs").Is(s.Jobs)},
			r.besides(runs, "response [s]", 0, func(run *replay.Run) float64 { return run.Log.Sizes()[i].MeanResponse() }),
			r.besides(runs, "slowdown", 1, func(run *replay.Run) float64 { return run.Log.Sizes()[i].MeanSlowdown() }))
	}
	return output.ListOfRows("", "By nodes asked for", output.NoCSV, rows)
}

// monthTable has, for each month, the response times and slowdowns of all policies side by side.
func (r *Replay) monthTable(runs []*replay.Run) *output.List {
	rows := make([]output.Row, len(runs[0].Months))
	for i := range rows {
		m := &runs[0].Months[i]
		of := func(name string) func(*replay.Run) float64 {
			return func(run *replay.Run) float64 { return run.Months[i].Values[name] }
		}
		rows[i] = slices.Concat(output.Row{output.InTable("month").Is(monthName(m)),
			output.InTable("load").Decimals(3).Else("–").Is(m.Values[measure.OfferedLoad]), output.InTable("jobs").Is(m.Jobs)},
			r.besides(runs, "response [s]", 0, of(measure.MeanResponseTime)),
			r.besides(runs, "bounded slowdown", 1, of(measure.MeanBoundedSlowdown)))
	}
	return output.ListOfRows("", "By month of submission", output.NoCSV, rows)
}
