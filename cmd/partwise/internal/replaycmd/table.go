package replaycmd

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/estimate"
	"github.com/partwise/partwise/validate/metric"
)

// confidence of the intervals of a replay.
const replayConfidence = 0.90

// replayMeasures are the measures of a replay, in order; months have them, too.
var replayMeasures = []string{measure.OfferedLoad, measure.MeanResponseTime, measure.MeanWaitingTime, measure.MeanRunTime,
	measure.MeanSlowdown, measure.MeanBoundedSlowdown, measure.Utilization, measure.Efficiency, measure.UsefulUtilization,
	measure.BackfilledShare, measure.KilledShare}

// logMeasures are measures of a whole log, in order.
var logMeasures = []string{measure.ResponseTimePercentile(0.5), measure.ResponseTimePercentile(0.9),
	measure.ResponseTimePercentile(0.95), measure.ResponseTimePercentile(0.99), measure.MedianSlowdown,
	measure.P90Slowdown, measure.P95Slowdown, measure.P99Slowdown, measure.CVSlowdownBySize, measure.ProbabilityLate}

// newReplayResult lays out a replay.
func newReplayResult(r *logReplay, runs []*replayResult) *cli.Result {
	out := &cli.Result{JSON: output.Object{{Name: "version", Value: output.Version},
		{Name: output.TimeUnit, Value: "s"},
		{Name: "objective", Value: r.objective.measure().Name}}}
	if r.deadline > 0 {
		out.JSON.Add("deadline", r.deadline)
	}
	var rows []output.Object
	for _, run := range runs {
		rows = append(rows, replayedObject(r, run))
	}
	out.JSON.Add("results", rows)
	out.CSV = replayedCSV(r, runs)
	out.Tables = []output.Table{replayedTable(r, runs)}
	if slices.ContainsFunc(runs, (*replayResult).resizes) || r.objective.measure().Name == measure.NodeHoursHeld {
		out.Tables = append(out.Tables, nodeHoursTable(r, runs))
	}
	if r.bySize {
		out.Tables = append(out.Tables, sizeTable(r, runs))
	}
	if r.byMonth {
		out.Tables = append(out.Tables, monthTable(r, runs))
	}
	if len(runs) > 0 && len(r.loads) == 0 {
		out.Notes = append(out.Notes, replayedNotes(r, runs)...)
	}
	return out
}

func replayedObject(r *logReplay, run *replayResult) output.Object {
	o := model.PolicyObject(run.policy)
	o.Add("nodes", r.log.Nodes)
	o.Add("jobs", run.jobs)
	r.addAssumptions(&o, run)
	var skipped output.Object
	for _, reason := range slices.Sorted(maps.Keys(r.log.Skipped)) {
		skipped.Add(reason, r.log.Skipped[reason])
	}
	o.Add("skipped", skipped)
	o.Add("estimates", r.estimates.Name)
	o.Add("kill_at_estimate", r.kill)
	addMeasures(&o, run.measures, slices.Concat(replayMeasures, logMeasures))
	o.Add("ratio_to_easy", ratioObject(r.ratio(run)))
	o.Add("node_hours", nodeHoursObject(run.measures))
	if same := run.sameP95; same.nodes > 0 {
		o.Add("nodes_same_p95", same.nodes)
		if same.low > 0 && same.high > 0 {
			o.Add("nodes_same_p95_interval", output.Object{{Name: "low", Value: same.low}, {Name: "high", Value: same.high}})
		}
	}
	o.Add("most_jobs", run.mostJobs)
	if made, broken := run.log.Promises(); made > 0 {
		o.Add("promises", made)
		o.Add("promises_broken", broken)
	}
	var intervals output.Object
	response, wait, slowdown := run.log.Intervals(replayConfidence)
	for _, q := range []struct {
		name string
		estimate.Interval
	}{{measure.MeanResponseTime, response}, {measure.MeanWaitingTime, wait}, {measure.MeanBoundedSlowdown, slowdown}} {
		if e := q.Interval; r.replications == 1 && output.Finite(e.HalfWidth) {
			intervals.Add(q.name, output.Object{{Name: "mean", Value: e.Mean}, {Name: "low", Value: e.Low},
				{Name: "high", Value: e.High}, {Name: "half_width", Value: e.HalfWidth}, {Name: "batches", Value: e.DF + 1}})
		}
	}
	if intervals != nil {
		o.Add("confidence", replayConfidence)
		o.Add("intervals", intervals)
	}
	o.Add("seconds", run.seconds)
	o.Add("by_size", sizeObjects(run))
	var months []output.Object
	for i := range run.months {
		m := &run.months[i]
		row := output.Object{{Name: "month", Value: m.From.Format("2006-01")}, {Name: "jobs", Value: m.Jobs}}
		addMeasures(&row, m.Values, replayMeasures)
		months = append(months, row)
	}
	if months != nil {
		o.Add("by_month", months)
	}
	return o
}

func addMeasures(o *output.Object, values metric.Values, names []string) {
	for _, name := range names {
		if v, ok := values[name]; ok && output.Finite(v) {
			o.Add(name, v)
		}
	}
}

// addAssumptions says which jobs can be resized, and at what cost.
func (r *logReplay) addAssumptions(o *output.Object, run *replayResult) {
	o.Add("malleable_share", run.share)
	if run.cost.Flat() {
		o.Add("resize_cost", run.cost.Seconds)
	} else {
		o.Add("resize_cost", run.cost.Text)
	}
	if !run.resizes() {
		return
	}
	if r.points.Text != "" {
		o.Add("resize_at", r.points.Text)
	}
	if r.mixes(run) {
		o.Add("min_factor", r.least)
		o.Add("max_factor", r.most)
	}
}

// ratio returns the mean response time of EASY over that of a policy. It has an interval if there are jobs enough, and
// one replication.
func (r *logReplay) ratio(run *replayResult) estimate.Interval {
	if run.easy == nil {
		return estimate.Interval{Mean: 1, Low: 1, High: 1}
	}
	e, err := run.log.RatioOf(run.easy.log, replayConfidence)
	if err != nil || r.replications > 1 {
		e.HalfWidth = math.Inf(1)
	}
	e.Mean = run.easy.measures[measure.MeanResponseTime] / run.measures[measure.MeanResponseTime]
	return e
}

func ratioObject(e estimate.Interval) output.Object {
	var o output.Object
	if output.Finite(e.Mean) {
		o.Add("mean", e.Mean)
	}
	if output.Finite(e.HalfWidth) {
		o.Add("low", e.Low)
		o.Add("high", e.High)
	}
	return o
}

// nodeHours are the measures of node-time, by the keys of JSON.
var nodeHours = []struct{ key, measure string }{{"held", measure.NodeHoursHeld}, {"useful", measure.NodeHoursUseful},
	{"reconfiguration", measure.NodeHoursReconfiguration}, {"imperfect_speedup", measure.NodeHoursImperfectSpeedup},
	{"idle", measure.NodeHoursIdle}, {"capacity", measure.NodeHoursCapacity}}

func nodeHoursObject(v metric.Values) output.Object {
	var o output.Object
	for _, q := range nodeHours {
		o.Add(q.key, v[q.measure])
	}
	return o
}

func sizeObjects(run *replayResult) []output.Object {
	var rows []output.Object
	for _, s := range run.log.Sizes() {
		o := output.Object{{Name: "from", Value: s.From}, {Name: "to", Value: s.To}, {Name: "jobs", Value: s.Jobs},
			{Name: "mean_response_time", Value: s.MeanResponse()}}
		if v := s.MeanSlowdown(); output.Finite(v) {
			o.Add("mean_slowdown", v)
		}
		rows = append(rows, o)
	}
	return rows
}

// replayedCSV has a row for each policy, with the interval of its mean response time if it is known, and below it one
// for each month.
func replayedCSV(r *logReplay, runs []*replayResult) [][]string {
	columns := append([]string{"policy", "month", "jobs"}, replayMeasures...)
	columns = append(columns, "mean_response_time_low", "mean_response_time_high", "malleable_share", "resize_cost",
		"ratio_to_easy", "ratio_to_easy_low", "ratio_to_easy_high")
	columns = append(columns, logMeasures...)
	for _, q := range nodeHours {
		columns = append(columns, q.measure)
	}
	rows := [][]string{columns}
	add := func(run *replayResult, month string, jobs int, values metric.Values) {
		row := make([]string, 0, len(columns))
		row = append(row, run.policy.String(), month, strconv.Itoa(jobs))
		for _, name := range replayMeasures {
			row = append(row, output.ShortestOrEmpty(values[name]))
		}
		rows = append(rows, row[:len(columns)])
	}
	for _, run := range runs {
		add(run, "", run.jobs, run.measures)
		low, high := math.NaN(), math.NaN()
		if e, _, _ := run.log.Intervals(replayConfidence); r.replications == 1 {
			low, high = e.Low, e.High
		}
		ratio := r.ratio(run)
		if !output.Finite(ratio.HalfWidth) {
			ratio.Low, ratio.High = math.NaN(), math.NaN()
		}
		cost := run.cost.Text
		if run.cost.Flat() {
			cost = output.Shortest(run.cost.Seconds)
		}
		row := rows[len(rows)-1]
		row = append(row[:3+len(replayMeasures)], output.ShortestOrEmpty(low), output.ShortestOrEmpty(high),
			output.Shortest(run.share), cost, output.ShortestOrEmpty(ratio.Mean), output.ShortestOrEmpty(ratio.Low),
			output.ShortestOrEmpty(ratio.High))
		for _, name := range logMeasures {
			v, ok := run.measures[name]
			if !ok {
				v = math.NaN()
			}
			row = append(row, output.ShortestOrEmpty(v))
		}
		for _, q := range nodeHours {
			row = append(row, output.ShortestOrEmpty(run.measures[q.measure]))
		}
		for i := range run.months {
			m := &run.months[i]
			add(run, m.From.Format("2006-01"), m.Jobs, m.Values)
		}
	}
	return rows
}

// tableColumn is a column of the table of runs, if it is shown.
type tableColumn struct {
	output.Column
	shown bool
	cell  func(run *replayResult, m metric.Values) string
}

// columns are those of the table of runs.
func (r *logReplay) columns(runs []*replayResult) []tableColumn {
	number := func(name string) output.Column { return output.Column{Name: name, Number: true} }
	fixed := func(name string, decimals int) func(*replayResult, metric.Values) string {
		return func(_ *replayResult, m metric.Values) string { return output.Fixed(m[name], decimals) }
	}
	extra := func(name string) output.Column { return output.Column{Name: name, Number: true, Extra: true} }
	more := number
	if r.sameP95 { // that was asked for
		more = extra
	}
	percent := func(name string) func(*replayResult, metric.Values) string {
		return func(_ *replayResult, m metric.Values) string { return output.PercentOrDash(m[name]) }
	}
	resizes := slices.ContainsFunc(runs, (*replayResult).resizes)
	return []tableColumn{
		{output.Column{Name: "policy"}, true, func(run *replayResult, _ metric.Values) string { return run.policy.String() }},
		{extra("load"), true, fixed(measure.OfferedLoad, 3)},
		{extra("malleable"), resizes, ofResized(func(run *replayResult) string { return shareWords(run.share) })},
		{extra("resize cost"), resizes, ofResized(func(run *replayResult) string { return run.cost.Text })},
		{number("response [s]"), true, fixed(measure.MeanResponseTime, 0)},
		{number("p95 [s]"), r.sameP95 || r.objective.measure().Name == p95, fixed(p95, 0)},
		{more("waiting [s]"), true, fixed(measure.MeanWaitingTime, 0)},
		{more("bounded slowdown"), true, fixed(measure.MeanBoundedSlowdown, 2)},
		{extra("utilization"), true, percent(measure.Utilization)},
		{extra("backfilled"), true, percent(measure.BackfilledShare)},
		{number("killed"), r.kill, percent(measure.KilledShare)},
		{number("late"), r.deadline > 0, percent(measure.ProbabilityLate)},
		{number("EASY / it"), true, func(run *replayResult, _ metric.Values) string { return ratioWords(r.ratio(run)) }},
		{number("nodes, same p95"), r.sameP95, func(run *replayResult, _ metric.Values) string {
			return run.sameP95.words()
		}},
	}
}

// ofResized is a cell of runs that resize jobs.
func ofResized(cell func(*replayResult) string) func(*replayResult, metric.Values) string {
	return func(run *replayResult, _ metric.Values) string {
		if !run.resizes() {
			return "–"
		}
		return cell(run)
	}
}

func shareWords(share float64) string { return output.Shortest(math.Round(1000*share)/10) + " %" }

func ratioWords(e estimate.Interval) string {
	words := output.Fixed(e.Mean, 2)
	if output.Finite(e.HalfWidth) && e.HalfWidth > 0 {
		words += " ± " + output.Fixed(e.HalfWidth, 2)
	}
	return words
}

func replayedTable(r *logReplay, runs []*replayResult) output.Table {
	t := output.Table{Title: fmt.Sprintf("%s: %s on %s, estimates %s", r.log.Path,
		output.Count(runs[0].jobs, "job"), output.Count(r.log.Nodes, "node"),
		r.estimates.Name)}
	if r.kill {
		t.Title += ", which kill"
	}
	t.Rows = make([][]string, len(runs))
	for _, c := range r.columns(runs) {
		if !c.shown {
			continue
		}
		t.Columns = append(t.Columns, c.Column)
		for i, run := range runs {
			t.Rows[i] = append(t.Rows[i], c.cell(run, run.measures))
		}
	}
	return t
}

// nodeHoursTable says where the node-time went.
func nodeHoursTable(r *logReplay, runs []*replayResult) output.Table {
	t := output.Table{Title: "Node-hours", Columns: []output.Column{{Name: "policy"}}}
	for _, q := range nodeHours {
		t.Columns = append(t.Columns, output.Column{Name: measure.Must(q.measure).Title, Number: true})
	}
	for _, run := range runs {
		row, decimals := []string{r.label(run)}, 0
		if run.measures[measure.NodeHoursCapacity] < 100 {
			decimals = 3
		}
		for _, q := range nodeHours {
			row = append(row, output.Fixed(run.measures[q.measure], decimals))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// label names a run among several of the same policy.
func (r *logReplay) label(run *replayResult) string {
	name := run.policy.String()
	if run.resizes() && len(r.shares) > 1 {
		name += " " + shareWords(run.share)
	}
	if run.resizes() && len(r.costs) > 1 {
		name += " " + run.cost.Text
	}
	return name
}

// sizeTable has, for each size of jobs, the response times and slowdowns of all policies side by side.
func sizeTable(r *logReplay, runs []*replayResult) output.Table {
	t := output.Table{Title: "By nodes asked for", Columns: []output.Column{{Name: "nodes"}, {Name: "jobs", Number: true}}}
	for _, what := range []string{"response [s]", "slowdown"} {
		for _, run := range runs {
			t.Columns = append(t.Columns, output.Column{Name: r.label(run) + " " + what, Number: true})
		}
	}
	for i, s := range runs[0].log.Sizes() {
		nodes := strconv.Itoa(s.To)
		if s.From < s.To {
			nodes = fmt.Sprintf("%d–%d", s.From, s.To)
		}
		row := []string{nodes, strconv.Itoa(s.Jobs)}
		for _, run := range runs {
			row = append(row, output.Fixed(run.log.Sizes()[i].MeanResponse(), 0))
		}
		for _, run := range runs {
			row = append(row, output.Fixed(run.log.Sizes()[i].MeanSlowdown(), 1))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// monthTable has, for each month, the response times and slowdowns of all policies side by side.
func monthTable(r *logReplay, runs []*replayResult) output.Table {
	t := output.Table{
		Title:   "By month of submission",
		Columns: []output.Column{{Name: "month"}, {Name: "load", Number: true}, {Name: "jobs", Number: true}},
	}
	for _, what := range []string{"response [s]", "bounded slowdown"} {
		for _, run := range runs {
			t.Columns = append(t.Columns, output.Column{Name: r.label(run) + " " + what, Number: true})
		}
	}
	for i := range runs[0].months {
		m := &runs[0].months[i]
		row := []string{m.From.Format("2006-01"), output.Fixed(m.Values[measure.OfferedLoad], 3), strconv.Itoa(m.Jobs)}
		for _, run := range runs {
			row = append(row, output.Fixed(run.months[i].Values[measure.MeanResponseTime], 0))
		}
		for _, run := range runs {
			row = append(row, output.Fixed(run.months[i].Values[measure.MeanBoundedSlowdown], 1))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
