package simulation

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/estimate"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// confidence of the intervals of a replay.
const replayConfidence = 0.90

// replayMeasures are the measures of a replay, in order; months have them, too.
var replayMeasures = []string{measure.OfferedLoad, measure.MeanResponseTime, measure.MeanWaitingTime, measure.MeanRunTime,
	measure.MeanSlowdown, measure.MeanBoundedSlowdown, measure.Utilization, measure.Efficiency, measure.UsefulUtilization,
	measure.BackfilledShare, measure.KilledShare}

// newReplayResult lays out a replay.
func newReplayResult(table policy.Table, r *logReplay, runs []*replayResult) *cli.Result {
	out := &cli.Result{JSON: output.Object{{Name: "version", Value: output.Version}}}
	var rows []output.Object
	for _, run := range runs {
		rows = append(rows, replayedObject(r, run))
	}
	out.JSON.Add("results", rows)
	out.CSV = replayedCSV(runs, r.replications)
	out.Tables = []output.Table{replayedTable(r, runs)}
	if r.byMonth {
		out.Tables = append(out.Tables, monthTable(runs))
	}
	if len(runs) > 0 && len(r.loads) == 0 {
		out.Notes = append(out.Notes, replayedNotes(table, r, runs)...)
	}
	return out
}

func replayedObject(r *logReplay, run *replayResult) output.Object {
	o := model.PolicyObject(run.policy)
	o.Add("nodes", r.log.Nodes)
	o.Add("jobs", run.jobs)
	var skipped output.Object
	for _, reason := range slices.Sorted(maps.Keys(r.log.Skipped)) {
		skipped.Add(reason, r.log.Skipped[reason])
	}
	o.Add("skipped", skipped)
	o.Add("estimates", r.estimates.Name)
	o.Add("kill_at_estimate", r.kill)
	addMeasures(&o, run.measures)
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
	var months []output.Object
	for i := range run.months {
		m := &run.months[i]
		row := output.Object{{Name: "month", Value: m.From.Format("2006-01")}, {Name: "jobs", Value: m.Jobs}}
		addMeasures(&row, m.Values)
		months = append(months, row)
	}
	if months != nil {
		o.Add("by_month", months)
	}
	return o
}

func addMeasures(o *output.Object, values metric.Values) {
	for _, name := range replayMeasures {
		if v := values[name]; output.Finite(v) {
			o.Add(name, v)
		}
	}
}

// replayedCSV has a row for each policy, with the interval of its mean response time if it is known, and below it one
// for each month.
func replayedCSV(runs []*replayResult, replications int) [][]string {
	columns := append([]string{"policy", "month", "jobs"}, replayMeasures...)
	rows := [][]string{append(columns, "mean_response_time_low", "mean_response_time_high")}
	add := func(run *replayResult, month string, jobs int, values metric.Values) {
		row := []string{run.policy.String(), month, strconv.Itoa(jobs)}
		for _, name := range replayMeasures {
			row = append(row, output.ShortestOrEmpty(values[name]))
		}
		rows = append(rows, row)
	}
	for _, run := range runs {
		add(run, "", run.jobs, run.measures)
		low, high := math.NaN(), math.NaN()
		if e, _, _ := run.log.Intervals(replayConfidence); replications == 1 {
			low, high = e.Low, e.High
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], output.ShortestOrEmpty(low), output.ShortestOrEmpty(high))
		for i := range run.months {
			m := &run.months[i]
			add(run, m.From.Format("2006-01"), m.Jobs, m.Values)
			rows[len(rows)-1] = append(rows[len(rows)-1], "", "")
		}
	}
	return rows
}

func replayedTable(r *logReplay, runs []*replayResult) output.Table {
	t := output.Table{
		Title: fmt.Sprintf("%s: %d jobs on %d nodes, estimates %s", r.log.Path, runs[0].jobs, r.log.Nodes,
			r.estimates.Name),
		Columns: []output.Column{{Name: "policy"}, {Name: "load", Number: true}, {Name: "response [s]", Number: true},
			{Name: "waiting [s]", Number: true}, {Name: "bounded slowdown", Number: true}, {Name: "utilization", Number: true},
			{Name: "backfilled", Number: true}},
	}
	if r.kill {
		t.Title += ", which kill"
		t.Columns = append(t.Columns, output.Column{Name: "killed", Number: true})
	}
	for _, run := range runs {
		m := run.measures
		row := []string{run.policy.String(), output.Fixed(m[measure.OfferedLoad], 3),
			output.Fixed(m[measure.MeanResponseTime], 0), output.Fixed(m[measure.MeanWaitingTime], 0),
			output.Fixed(m[measure.MeanBoundedSlowdown], 2), output.PercentOrDash(m[measure.Utilization]),
			output.PercentOrDash(m[measure.BackfilledShare])}
		if r.kill {
			row = append(row, output.PercentOrDash(m[measure.KilledShare]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// monthTable has, for each month, the response times and slowdowns of all policies side by side.
func monthTable(runs []*replayResult) output.Table {
	t := output.Table{
		Title:   "By month of submission",
		Columns: []output.Column{{Name: "month"}, {Name: "load", Number: true}, {Name: "jobs", Number: true}},
	}
	for _, what := range []string{"response [s]", "bounded slowdown"} {
		for _, run := range runs {
			t.Columns = append(t.Columns, output.Column{Name: run.policy.String() + " " + what, Number: true})
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

// replayedNotes are the sentences under the table: what jobs are taken to be, which policy is best, and how far means
// are known.
func replayedNotes(table policy.Table, r *logReplay, runs []*replayResult) []string {
	var notes []string
	for _, run := range runs {
		e, _ := table.Named(run.policy.Name())
		switch {
		case molds(run.policy):
			notes = append(notes, fmt.Sprintf("%s molds jobs: Downey's speedup, A the nodes asked for, sigma %s.", run.policy,
				output.Shortest(r.sigma)))
		case e.Jobs != workload.Rigid:
			notes = append(notes, fmt.Sprintf("%s gives jobs other nodes than they ask for, at no cost: speedup %s.", run.policy,
				r.speedup.name))
		}
	}
	if len(runs) > 1 {
		best := runs[0]
		for _, run := range runs {
			if run.measures[measure.MeanResponseTime] < best.measures[measure.MeanResponseTime] {
				best = run
			}
		}
		notes = append(notes, fmt.Sprintf("Shortest mean response time: %s.", best.policy))
	}
	if response, _, _ := runs[0].log.Intervals(replayConfidence); r.replications == 1 &&
		output.Finite(response.HalfWidth) {
		widest := 0.0
		for _, run := range runs {
			e, _, _ := run.log.Intervals(replayConfidence)
			widest = max(widest, e.Relative())
		}
		notes = append(notes, fmt.Sprintf("By batch means of 3333 jobs, mean response times of a log that went on like this "+
			"would be known to %s or better (%.0f %%).", output.Percent(widest), 100*replayConfidence))
	}
	return notes
}

// loadFigure draws response times, slowdowns and backfilling against the load.
func loadFigure(r *logReplay, runs []*replayResult) *chart.Figure {
	f := &chart.Figure{Title: "Policies against the load: " + r.log.Path, XLabel: "offered load"}
	panels := []struct {
		title, label string
		of           string
		mayLog       bool
	}{{"Response time", "seconds", measure.MeanResponseTime, true},
		{"Bounded slowdown", "", measure.MeanBoundedSlowdown, true},
		{"Backfilled jobs", "share", measure.BackfilledShare, false}}
	for _, run := range runs {
		if name := run.policy.String(); !slices.Contains(f.Series, name) {
			f.Series = append(f.Series, name)
		}
	}
	for _, p := range panels {
		panel := chart.Panel{Title: p.title, YLabel: p.label, MayLog: p.mayLog, FromZero: true}
		for k, name := range f.Series {
			line := chart.Line{Series: k}
			for _, run := range runs {
				if run.policy.String() != name {
					continue
				}
				y := run.measures[p.of]
				if !output.Finite(y) {
					y = math.NaN()
				}
				line.X, line.Y = append(line.X, run.load), append(line.Y, y)
			}
			panel.Lines = append(panel.Lines, line)
		}
		f.Panels = append(f.Panels, panel)
	}
	return f
}

// jobRows writes a row for each job that has ended.
type jobRows struct {
	out *csv.Writer
	on  metric.Machine
	row []string
	err error
}

func newJobRows(w io.Writer, on metric.Machine) *jobRows {
	r := &jobRows{out: csv.NewWriter(w), on: on}
	r.err = r.out.Write([]string{"policy", "id", "submit", "start", "end", "nodes", "waiting_time", "response_time",
		"bounded_slowdown", "estimate", "backfilled", "killed", "promised_start"})
	return r
}

func (r *jobRows) write(policy string, j *machine.Record) {
	if r.err != nil {
		return
	}
	r.row = append(r.row[:0], policy, strconv.Itoa(j.ID), output.Shortest(j.Submit), output.Shortest(j.Start),
		output.Shortest(j.End), strconv.Itoa(j.Widest), output.Shortest(j.Wait()), output.Shortest(j.Response()),
		output.Shortest(r.on.BoundedSlowdown(j)), output.Shortest(j.Estimate), strconv.FormatBool(j.Overtook),
		strconv.FormatBool(j.Killed), output.ShortestOrEmpty(j.Promised))
	r.err = r.out.Write(r.row)
}

func (r *jobRows) flush() error {
	r.out.Flush()
	if r.err != nil {
		return r.err
	}
	return r.out.Error()
}
