package replaycmd

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
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
	out := &output.Result{Object: output.Object{{Name: "version", Value: output.Version}, {Name: output.TimeUnit, Value: "s"},
		{Name: "objective", Value: r.o.objective.Measure().Name}}, Assumed: r.o.Assumed(inv, settings...)}
	out.Add("deadline", output.When(r.Deadline > 0, r.Deadline))
	out.List(&output.List{Name: "results", Title: r.title(runs), Len: len(runs), Form: output.NoCSV,
		Columns: slices.Concat(r.shown(runs), r.fields(runs))})
	out.List(r.rows(runs))
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

// measured returns the columns of measures, by their names.
func measured(values func(i int) metric.Values, names ...string) []output.Column {
	var columns []output.Column
	for _, name := range names {
		columns = append(columns, output.Column{Key: name, Value: valueOf(values, name)})
	}
	return columns
}

// valueOf returns the values of a measure, which not every run has.
func valueOf(values func(i int) metric.Values, name string) func(i int) any {
	return func(i int) any { v, ok := values(i)[name]; return output.When(ok, v) }
}

// fields are the columns of JSON.
func (r *logReplay) fields(runs []*replay.Run) []output.Column {
	values := func(i int) metric.Values { return runs[i].Measures }
	field := func(key string, of func(run *replay.Run) any) output.Column {
		return output.Column{Key: key, Value: func(i int) any { return of(runs[i]) }}
	}
	bound := func(key string, bound float64) output.Column {
		return field(key, func(run *replay.Run) any { return output.When(run.Bounded(), bound) })
	}
	columns := append(input.PolicyColumns(func(i int) policy.Policy { return runs[i].Policy }),
		field("nodes", func(*replay.Run) any { return r.log.Nodes }),
		field("jobs", func(run *replay.Run) any { return run.Jobs }),
		field("malleable_share", func(run *replay.Run) any { return run.Share }),
		field("resize_cost", costValue),
		field("resize_at", func(run *replay.Run) any { return output.When(run.Resizes(), r.o.points.Text) }),
		bound("min_factor", r.Least), bound("max_factor", r.Most),
		field("skipped", func(*replay.Run) any { return output.Counts(r.log.Skipped) }),
		field("estimates", func(*replay.Run) any { return r.o.estimates.Name }),
		field("kill_at_estimate", func(*replay.Run) any { return r.KillAtEstimate }))
	columns = append(columns, measured(values, append(replay.Measures(), replay.LogMeasures()...)...)...)
	return append(columns,
		field("ratio_to_easy", func(run *replay.Run) any { return forecastObject(ratioForecast(run)) }),
		field("node_hours", func(run *replay.Run) any { return nodeHoursObject(run.Measures) }),
		field("nodes_same_p95", func(run *replay.Run) any { return output.When(run.SameP95.Nodes > 0, run.SameP95.Nodes) }),
		field("nodes_same_p95_interval", func(run *replay.Run) any {
			same := run.SameP95
			return output.When(same.Nodes > 0 && same.Low > 0 && same.High > 0,
				output.Object{{Name: "low", Value: same.Low}, {Name: "high", Value: same.High}})
		}),
		field("most_jobs", func(run *replay.Run) any { return run.MostJobs }),
		field("promises", func(run *replay.Run) any { made, _ := run.Log.Promises(); return output.When(made > 0, made) }),
		field("promises_broken", func(run *replay.Run) any { made, broken := run.Log.Promises(); return output.When(made > 0, broken) }),
		field("confidence", func(run *replay.Run) any { return output.When(intervalsObject(run) != nil, replay.Confidence) }),
		field("intervals", func(run *replay.Run) any { return intervalsObject(run) }),
		field("seconds", func(run *replay.Run) any { return run.Seconds }),
		field("by_size", func(run *replay.Run) any { return sizes(run) }),
		field("by_month", func(run *replay.Run) any { return output.When(len(run.Months) > 0, months(run)) }))
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
	o := output.Object{}
	o.Add("mean", e.Mean)
	if output.Finite(e.HalfWidth) {
		o.Add("low", e.Low)
		o.Add("high", e.High)
	}
	return o
}

// forecastObject has the mean of a forecast, and the ends of its intervals where it has them: of this log, and of another stretch
// of the same length.
func forecastObject(f replay.Forecast) output.Object {
	o := estimateObject(f.Interval)
	if output.Finite(f.ForecastHigh) {
		o.Add("forecast_low", f.ForecastLow)
		o.Add("forecast_high", f.ForecastHigh)
	}
	return o
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
	for _, q := range []struct {
		name string
		metric.Interval
	}{{measure.MeanResponseTime, response}, {measure.MeanWaitingTime, wait}, {measure.MeanBoundedSlowdown, slowdown}} {
		if e := q.Interval; output.Finite(e.HalfWidth) {
			o.Add(q.name, append(output.IntervalObject(e), output.Field{Name: "batches", Value: e.DF + 1}))
		}
	}
	return o
}

// sizes returns what a run did to the jobs of each size.
func sizes(run *replay.Run) []output.Object {
	var rows []output.Object
	for _, s := range run.Log.Sizes() {
		o := output.Object{{Name: "from", Value: s.From}, {Name: "to", Value: s.To}, {Name: "jobs", Value: s.Jobs},
			{Name: "mean_response_time", Value: s.MeanResponse()}}
		o.Add("mean_slowdown", s.MeanSlowdown())
		rows = append(rows, o)
	}
	return rows
}

// months returns what a run did to the jobs of each month.
func months(run *replay.Run) *output.List {
	return &output.List{Len: len(run.Months), Columns: append([]output.Column{
		{Key: "month", Value: func(i int) any { return run.Months[i].From.Format("2006-01") }},
		{Key: "jobs", Value: func(i int) any { return run.Months[i].Jobs }},
	}, measured(func(i int) metric.Values { return run.Months[i].Values }, replay.Measures()...)...)}
}

// rows are the rows of CSV: one for each run, with its intervals, and below it one for each month.
func (r *logReplay) rows(runs []*replay.Run) *output.List {
	type row struct {
		*replay.Run
		month  string // "": all of them
		jobs   int
		values metric.Values
	}
	var all []row
	for _, run := range runs {
		all = append(all, row{run, "", run.Jobs, run.Measures})
		for i := range run.Months {
			m := &run.Months[i]
			all = append(all, row{run, m.From.Format("2006-01"), m.Jobs, m.Values})
		}
	}
	ofRun := func(key string, of func(run *replay.Run) any) output.Column {
		return output.Column{Key: key, Value: func(i int) any { return output.When(all[i].month == "", of(all[i].Run)) }}
	}
	response := func(run *replay.Run) metric.Interval { e, _, _ := run.Intervals(); return e }
	whole := func(i int) metric.Values {
		if all[i].month != "" {
			return nil
		}
		return all[i].values
	}
	columns := append([]output.Column{{Key: "policy", Value: func(i int) any { return all[i].Policy.String() }},
		{Key: "month", Value: func(i int) any { return all[i].month }}, {Key: "jobs", Value: func(i int) any { return all[i].jobs }}},
		measured(func(i int) metric.Values { return all[i].values }, replay.Measures()...)...)
	columns = append(columns,
		ofRun("mean_response_time_low", func(run *replay.Run) any { return response(run).Low }),
		ofRun("mean_response_time_high", func(run *replay.Run) any { return response(run).High }),
		ofRun("malleable_share", func(run *replay.Run) any { return run.Share }),
		ofRun("resize_cost", costValue),
		ofRun("ratio_to_easy", func(run *replay.Run) any { return run.Ratio().Mean }),
		ofRun("ratio_to_easy_low", func(run *replay.Run) any { e := run.Ratio(); return output.When(output.Finite(e.HalfWidth), e.Low) }),
		ofRun("ratio_to_easy_high", func(run *replay.Run) any { e := run.Ratio(); return output.When(output.Finite(e.HalfWidth), e.High) }),
		ofRun("ratio_to_easy_forecast_low", func(run *replay.Run) any {
			e := ratioForecast(run)
			return output.When(output.Finite(e.ForecastHigh), e.ForecastLow)
		}),
		ofRun("ratio_to_easy_forecast_high", func(run *replay.Run) any {
			e := ratioForecast(run)
			return output.When(output.Finite(e.ForecastHigh), e.ForecastHigh)
		}))
	columns = append(columns, measured(whole, replay.LogMeasures()...)...)
	for _, q := range nodeHours {
		columns = append(columns, measured(whole, q.measure)...)
	}
	return &output.List{Len: len(all), Columns: columns}
}

// title says what was replayed.
func (r *logReplay) title(runs []*replay.Run) string {
	title := fmt.Sprintf("%s: %s on %s, estimates %s", r.log.Name, output.Count(runs[0].Jobs, "job"),
		output.Count(r.log.Nodes, "node"), r.o.estimates.Name)
	if r.KillAtEstimate {
		title += ", which kill"
	}
	return title
}

// shown are the columns of the table of runs.
func (r *logReplay) shown(runs []*replay.Run) []output.Column {
	values := func(i int) metric.Values { return runs[i].Measures }
	column := func(name string, of string, text func(any) string) output.Column {
		return output.Column{Name: name, Number: true, Value: valueOf(values, of), Text: text, None: "–"}
	}
	extra := func(c output.Column) output.Column { c.Extra = true; return c }
	more := func(c output.Column) output.Column { // where the search for nodes was asked for, it comes first
		c.Extra = r.o.sameP95
		return c
	}
	ofResized := func(name string, of func(*replay.Run) string) output.Column {
		return output.Column{Name: name, Number: true, Extra: true, None: "–",
			Value: func(i int) any { return output.When(runs[i].Resizes(), of(runs[i])) }}
	}
	columns := []output.Column{{Name: "policy", Value: func(i int) any { return runs[i].Policy.String() }},
		extra(column("load", measure.OfferedLoad, output.Decimals(3)))}
	if slices.ContainsFunc(runs, (*replay.Run).Resizes) {
		columns = append(columns, ofResized("malleable", func(run *replay.Run) string { return shareWords(run.Share) }),
			ofResized("resize cost", func(run *replay.Run) string { return run.Cost.Name }))
	}
	columns = append(columns, column("response [s]", measure.MeanResponseTime, output.Decimals(0)))
	if r.o.sameP95 || r.o.objective.Measure().Name == replay.P95 {
		columns = append(columns, column("p95 [s]", replay.P95, output.Decimals(0)))
	}
	columns = append(columns, more(column("waiting [s]", measure.MeanWaitingTime, output.Decimals(0))),
		more(column("bounded slowdown", measure.MeanBoundedSlowdown, output.Decimals(2))),
		extra(column("utilization", measure.Utilization, output.Percents)),
		extra(column("backfilled", measure.BackfilledShare, output.Percents)))
	if r.KillAtEstimate {
		columns = append(columns, column("killed", measure.KilledShare, output.Percents))
	}
	if r.Deadline > 0 {
		columns = append(columns, column("late", measure.ProbabilityLate, output.Percents))
	}
	columns = append(columns, output.Column{Name: "EASY / it", Number: true, Value: func(i int) any { return ratioWords(runs[i].Ratio()) }})
	if slices.ContainsFunc(runs, func(run *replay.Run) bool { return run.Resizes() && foretold(run) }) {
		columns = append(columns, ofResized("another stretch", func(run *replay.Run) string { return stretchWords(ratioForecast(run)) }))
	}
	if r.o.sameP95 {
		columns = append(columns, output.Column{Name: "nodes, same p95", Number: true,
			Value: func(i int) any { return nodesWords(runs[i].SameP95) }})
	}
	return columns
}

func shareWords(share float64) string { return output.Shortest(math.Round(1000*share)/10) + " %" }

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
	l := &output.List{Title: "Node-hours", Len: len(runs), Form: output.NoCSV,
		Columns: []output.Column{{Name: "policy", Value: func(i int) any { return r.label(runs[i]) }}}}
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
		name += " " + shareWords(run.Share)
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
	sizes := runs[0].Log.Sizes()
	l := &output.List{Title: "By nodes asked for", Len: len(sizes), Form: output.NoCSV, Columns: []output.Column{
		{Name: "nodes", Value: func(i int) any { return sizes[i].String() }},
		{Name: "jobs", Value: func(i int) any { return sizes[i].Jobs }}}}
	r.besides(l, runs, "response [s]", 0, func(run *replay.Run, i int) float64 { s := run.Log.Sizes()[i]; return s.MeanResponse() })
	r.besides(l, runs, "slowdown", 1, func(run *replay.Run, i int) float64 { s := run.Log.Sizes()[i]; return s.MeanSlowdown() })
	return l
}

// monthTable has, for each month, the response times and slowdowns of all policies side by side.
func (r *logReplay) monthTable(runs []*replay.Run) *output.List {
	months := runs[0].Months
	l := &output.List{Title: "By month of submission", Len: len(months), Form: output.NoCSV, Columns: []output.Column{
		{Name: "month", Value: func(i int) any { return months[i].From.Format("2006-01") }},
		{Name: "load", Number: true, Text: output.Decimals(3), None: "–",
			Value: func(i int) any { return months[i].Values[measure.OfferedLoad] }},
		{Name: "jobs", Value: func(i int) any { return months[i].Jobs }}}}
	of := func(name string) func(*replay.Run, int) float64 {
		return func(run *replay.Run, i int) float64 { return run.Months[i].Values[name] }
	}
	r.besides(l, runs, "response [s]", 0, of(measure.MeanResponseTime))
	r.besides(l, runs, "bounded slowdown", 1, of(measure.MeanBoundedSlowdown))
	return l
}
