package replaycmd

import (
	"fmt"
	"github.com/partwise/partwise/models/words"
	"math"
	"slices"
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// nodeHours are the measures of node-time, by the keys of JSON.
var nodeHours = []struct{ key, measure string }{{"held", measure.NodeHoursHeld}, {"useful", measure.NodeHoursUseful},
	{"reconfiguration", measure.NodeHoursReconfiguration}, {"imperfect_speedup", measure.NodeHoursImperfectSpeedup},
	{"idle", measure.NodeHoursIdle}, {"capacity", measure.NodeHoursCapacity}}

// result lays out a replay.
func (r *logReplay) result(inv *cli.Invocation, runs []*replay.Run) *output.Result {
	settings := make([]replay.Setting, len(runs))
	for i, run := range runs {
		settings[i] = run.Setting
	}
	out := &output.Result{Object: output.Pairs("version", output.Version, output.TimeUnit, "s", "objective", r.o.objective.Measure().Name,
		"deadline", output.Positive(r.Deadline)), Assumed: r.o.Assumed(inv, settings...)}
	out.List(&output.List{Name: "results", Title: r.title(runs), Len: len(runs), Form: output.NoCSV,
		Columns: slices.Concat(r.shown(runs), r.fields(runs))})
	out.List(rowsOfCSV(runs))
	if slices.ContainsFunc(runs, (*replay.Run).Resizes) || r.o.objective.Measure().Name == measure.NodeHoursHeld {
		out.List(r.nodeHoursTable(runs))
	}
	if slices.Contains(r.o.by, bySize) {
		out.List(r.sizeTable(runs))
	}
	if slices.Contains(r.o.by, byMonth) {
		out.List(r.monthTable(runs))
	}
	if len(runs) > 0 && len(r.Loads) == 0 {
		out.Notes = replayedNotes(r, runs)
	}
	return out
}

// measured returns the columns of measures, by their names, which not every row has.
func measured(values []metric.Values, names ...string) []output.Column {
	var columns []output.Column
	for _, name := range names {
		columns = append(columns, output.Column{Key: name, Value: func(i int) any { return valueOf(values[i], name) }})
	}
	return columns
}

// valueOf returns the value of a measure, nil if there is none.
func valueOf(values metric.Values, name string) any {
	v, ok := values[name]
	return output.When(ok, v)
}

// fields are the columns of JSON.
func (r *logReplay) fields(runs []*replay.Run) []output.Column {
	type setting struct {
		input.PolicyName
		Nodes     int           `key:"nodes"`
		Jobs      int           `key:"jobs"`
		Share     float64       `key:"malleable_share"`
		Cost      any           `key:"resize_cost"`
		ResizeAt  any           `key:"resize_at"`
		MinFactor any           `key:"min_factor"`
		MaxFactor any           `key:"max_factor"`
		Skipped   output.Object `key:"skipped"`
		Estimates string        `key:"estimates"`
		Kill      bool          `key:"kill_at_estimate"`
	}
	type outcome struct {
		Ratio      output.Object `key:"ratio_to_easy"`
		NodeHours  output.Object `key:"node_hours"`
		SameP95    int           `key:"nodes_same_p95" form:"omitzero"`
		Between    any           `key:"nodes_same_p95_interval"`
		MostJobs   int           `key:"most_jobs"`
		Promises   int           `key:"promises" form:"omitzero"`
		Broken     any           `key:"promises_broken"`
		Confidence any           `key:"confidence"`
		Intervals  output.Object `key:"intervals"`
		Seconds    float64       `key:"seconds"`
		BySize     *output.List  `key:"by_size"`
		ByMonth    *output.List  `key:"by_month" form:"omitzero"`
	}
	var settings []setting
	var values []metric.Values
	var outcomes []outcome
	for _, run := range runs {
		settings = append(settings, setting{input.NameOf(run.Policy), r.log.Nodes, run.Jobs, run.Share, costValue(run),
			output.When(run.Resizes(), r.o.points.Text), output.When(run.Bounded(), r.Least), output.When(run.Bounded(), r.Most),
			output.Counts(r.log.Skipped), r.o.estimates.Name, r.KillAtEstimate})
		values = append(values, run.Measures)
		same, intervals := run.SameP95, intervalsObject(run)
		made, broken := run.Log.Promises()
		outcomes = append(outcomes, outcome{forecastObject(ratioForecast(run)), nodeHoursObject(run.Measures), same.Nodes,
			output.When(same.Nodes > 0 && same.Low > 0 && same.High > 0, output.Pairs("low", same.Low, "high", same.High)), run.MostJobs,
			made, output.When(made > 0, broken), output.When(intervals != nil, replay.Confidence), intervals, run.Seconds, sizes(run), months(run)})
	}
	return slices.Concat(output.ColumnsOf(settings, ""), measured(values, append(monthMeasures(), logMeasures()...)...),
		output.ColumnsOf(outcomes, ""))
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
	type row struct {
		From     int     `key:"from"`
		To       int     `key:"to"`
		Jobs     int     `key:"jobs"`
		Response float64 `key:"mean_response_time"`
		Slowdown float64 `key:"mean_slowdown"`
	}
	var rows []row
	for _, s := range run.Log.Sizes() {
		rows = append(rows, row{s.From, s.To, s.Jobs, s.MeanResponse(), s.MeanSlowdown()})
	}
	return output.ListOf("", "", output.NoCSV, rows, "")
}

// period is the name of a month, and how many of its jobs ran.
type period struct {
	Month string `key:"month"`
	Jobs  int    `key:"jobs"`
}

// months returns what a run did to the jobs of each month; nil if the log is not dated.
func months(run *replay.Run) *output.List {
	if len(run.Months) == 0 {
		return nil
	}
	var rows []period
	var values []metric.Values
	for _, m := range run.Months {
		rows, values = append(rows, period{m.From.Format("2006-01"), m.Jobs}), append(values, m.Values)
	}
	l := output.ListOf("", "", output.NoCSV, rows, "")
	l.Columns = append(l.Columns, measured(values, monthMeasures()...)...)
	return l
}

// rowsOfCSV returns the rows of CSV: one for each run, with its intervals, and below it one for each month.
func rowsOfCSV(runs []*replay.Run) *output.List {
	type row struct {
		Policy string `key:"policy"`
		period
	}
	type outcome struct { // of a run, not of a month
		Low          any `key:"mean_response_time_low"`
		High         any `key:"mean_response_time_high"`
		Share        any `key:"malleable_share"`
		Cost         any `key:"resize_cost"`
		Ratio        any `key:"ratio_to_easy"`
		ForecastLow  any `key:"ratio_to_easy_forecast_low"`
		ForecastHigh any `key:"ratio_to_easy_forecast_high"`
	}
	var rows []row
	var outcomes []outcome
	var values, whole []metric.Values
	add := func(run *replay.Run, month string, jobs int, all metric.Values) {
		rows, values = append(rows, row{run.Policy.String(), period{month, jobs}}), append(values, all)
	}
	for _, run := range runs {
		add(run, "", run.Jobs, run.Measures)
		response, _, _ := run.Intervals()
		ratio, ahead := run.Ratio(), ratioForecast(run)
		if !output.Finite(ratio.HalfWidth) {
			ratio.Low, ratio.High = math.NaN(), math.NaN()
		}
		outcomes = append(outcomes, outcome{response.Low, response.High, run.Share, costValue(run), ratio,
			output.When(foretold(run), ahead.ForecastLow), output.When(foretold(run), ahead.ForecastHigh)})
		for _, m := range run.Months {
			add(run, m.From.Format("2006-01"), m.Jobs, m.Values)
		}
		outcomes = append(outcomes, make([]outcome, len(run.Months))...)
		whole = append(append(whole, run.Measures), make([]metric.Values, len(run.Months))...)
	}
	columns := slices.Concat(output.ColumnsOf(rows, ""), measured(values, monthMeasures()...), output.ColumnsOf(outcomes, ""),
		measured(whole, logMeasures()...))
	for _, q := range nodeHours {
		columns = append(columns, measured(whole, q.measure)...)
	}
	return &output.List{Len: len(rows), Columns: columns}
}

// title says what was replayed.
func (r *logReplay) title(runs []*replay.Run) string {
	title := fmt.Sprintf("%s: %s on %s, estimates %s", r.log.Name, words.Count(runs[0].Jobs, "job"),
		words.Count(r.log.Nodes, "node"), r.o.estimates.Name)
	if r.KillAtEstimate {
		title += ", which kill"
	}
	return title
}

// shown are the columns of the table of runs.
func (r *logReplay) shown(runs []*replay.Run) []output.Column {
	type row struct {
		Policy      string `head:"policy"`
		Load        any    `head:"load" form:"number extra none=– decimals=3"`
		Share       any    `head:"malleable" form:"number extra none=–"`
		Cost        any    `head:"resize cost" form:"number extra none=–"`
		Response    any    `head:"response [s]" form:"number none=– decimals=0"`
		P95         any    `head:"p95 [s]" form:"number none=– decimals=0"`
		Waiting     any    `head:"waiting [s]" form:"number none=– decimals=0"`
		Slowdown    any    `head:"bounded slowdown" form:"number none=– decimals=2"`
		Utilization any    `head:"utilization" form:"number extra none=– percents"`
		Backfilled  any    `head:"backfilled" form:"number extra none=– percents"`
		Killed      any    `head:"killed" form:"number none=– percents"`
		Late        any    `head:"late" form:"number none=– percents"`
		Ratio       string `head:"EASY / it" form:"number"`
		Stretch     any    `head:"another stretch" form:"number extra none=–"`
		SameP95     string `head:"nodes, same p95" form:"number"`
	}
	var rows []row
	for _, run := range runs {
		of, resizes := func(name string) any { return valueOf(run.Measures, name) }, run.Resizes()
		rows = append(rows, row{run.Policy.String(), of(measure.OfferedLoad), output.When(resizes, output.Tenths(run.Share)),
			output.When(resizes, run.Cost.Name), of(measure.MeanResponseTime), of(p95), of(measure.MeanWaitingTime),
			of(measure.MeanBoundedSlowdown), of(measure.Utilization), of(measure.BackfilledShare), of(measure.KilledShare),
			of(measure.ProbabilityLate), ratioWords(run.Ratio()), output.When(resizes, stretchWords(ratioForecast(run))), nodesWords(run.SameP95)})
	}
	resizes := slices.ContainsFunc(runs, (*replay.Run).Resizes)
	left := map[string]bool{"malleable": !resizes, "resize cost": !resizes, "killed": !r.KillAtEstimate, "late": r.Deadline == 0,
		"p95 [s]": !r.o.sameP95 && r.o.objective.Measure().Name != p95, "nodes, same p95": !r.o.sameP95,
		"another stretch": !slices.ContainsFunc(runs, func(run *replay.Run) bool { return run.Resizes() && foretold(run) })}
	columns := slices.DeleteFunc(output.ColumnsOf(rows, ""), func(c output.Column) bool { return left[c.Name] })
	for i := range columns { // what tells runs apart is not left out; where the search for nodes was asked for, it comes first
		switch c := &columns[i]; c.Name {
		case "load":
			c.Extra = len(r.Loads) < 2
		case "malleable":
			c.Extra = len(r.Shares) < 2
		case "resize cost":
			c.Extra = len(r.Costs) < 2
		case "waiting [s]", "bounded slowdown":
			c.Extra = r.o.sameP95
		}
	}
	return columns
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

// stretchWords says which ratios to EASY are expected of another stretch of the log; "–" if none are foretold.
func stretchWords(f replay.Forecast) string {
	if !output.Finite(f.ForecastHigh) {
		return "–"
	}
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
func (r *logReplay) nodeHoursTable(runs []*replay.Run) *output.List {
	type row struct {
		Policy string `head:"policy"`
	}
	l := output.ListOf("", "Node-hours", output.NoCSV, output.RowsOf(runs, func(run *replay.Run) row { return row{r.label(run)} }), "")
	for _, q := range nodeHours {
		l.Columns = append(l.Columns, output.Column{Name: measure.Must(q.measure).Title, Number: true, Value: func(i int) any {
			decimals := 0
			if runs[i].Measures[measure.NodeHoursCapacity] < 100 {
				decimals = 3
			}
			return output.Fixed(runs[i].Measures[q.measure], decimals)
		}})
	}
	return l
}

// label names a run among several of the same policy.
func (r *logReplay) label(run *replay.Run) string {
	name := run.Policy.String()
	if run.Resizes() && len(r.Shares) > 1 {
		name += " " + output.Tenths(run.Share)
	}
	if run.Resizes() && len(r.Costs) > 1 {
		name += " " + run.Cost.Name
	}
	return name
}

// besides adds columns that have all policies side by side.
func (r *logReplay) besides(l *output.List, runs []*replay.Run, what string, decimals int, of func(run *replay.Run, i int) float64) {
	for _, run := range runs {
		l.Columns = append(l.Columns, output.Column{Name: r.label(run) + " " + what, Number: true, None: "–",
			Text: output.Decimals(decimals), Value: func(i int) any { return of(run, i) }})
	}
}

// sizeTable has, for each size of jobs, the response times and slowdowns of all policies side by side.
func (r *logReplay) sizeTable(runs []*replay.Run) *output.List {
	type row struct {
		Nodes string `head:"nodes"`
		Jobs  int    `head:"jobs"`
	}
	l := output.ListOf("", "By nodes asked for", output.NoCSV, output.RowsOf(runs[0].Log.Sizes(), func(s metric.SizeClass) row {
		return row{s.String(), s.Jobs}
	}), "")
	r.besides(l, runs, "response [s]", 0, func(run *replay.Run, i int) float64 { return run.Log.Sizes()[i].MeanResponse() })
	r.besides(l, runs, "slowdown", 1, func(run *replay.Run, i int) float64 { return run.Log.Sizes()[i].MeanSlowdown() })
	return l
}

// monthTable has, for each month, the response times and slowdowns of all policies side by side.
func (r *logReplay) monthTable(runs []*replay.Run) *output.List {
	type row struct {
		Month string  `head:"month"`
		Load  float64 `head:"load" form:"decimals=3 none=–"`
		Jobs  int     `head:"jobs"`
	}
	l := output.ListOf("", "By month of submission", output.NoCSV, output.RowsOf(runs[0].Months, func(m metric.Month) row {
		return row{m.From.Format("2006-01"), m.Values[measure.OfferedLoad], m.Jobs}
	}), "")
	for i, name := range []string{measure.MeanResponseTime, measure.MeanBoundedSlowdown} {
		r.besides(l, runs, []string{"response [s]", "bounded slowdown"}[i], i, func(run *replay.Run, month int) float64 {
			return run.Months[month].Values[name]
		})
	}
	return l
}
