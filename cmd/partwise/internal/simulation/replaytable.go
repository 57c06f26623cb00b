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
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/validate/batch"
)

// confidence of the intervals of a replay.
const replayConfidence = 0.90

// replayMeasures are the columns of a replay, in order; months have them, too.
var replayMeasures = []struct {
	name  string
	value func(m *batch.Measures) float64
}{
	{"mean_response_time", func(m *batch.Measures) float64 { return m.Response }},
	{"mean_wait", func(m *batch.Measures) float64 { return m.Wait }},
	{"mean_bounded_slowdown", func(m *batch.Measures) float64 { return m.Slowdown }},
	{"utilization", func(m *batch.Measures) float64 { return m.Utilization }},
	{"backfilled_share", func(m *batch.Measures) float64 { return m.BackfilledShare }},
	{"killed_share", func(m *batch.Measures) float64 { return m.KilledShare }},
}

// newReplayResult lays out a replay.
func newReplayResult(r *replayOptions, runs []*replayResult, byMonth bool) *cli.Result {
	out := &cli.Result{}
	var rows []output.Object
	for _, run := range runs {
		rows = append(rows, replayedObject(r, run))
	}
	out.JSON.Add("results", rows)
	out.CSV = replayedCSV(runs, r.replications)
	out.Tables = []output.Table{replayedTable(r, runs)}
	if byMonth {
		out.Tables = append(out.Tables, monthTable(runs))
	}
	if len(runs) > 0 && r.loads == nil {
		out.Notes = append(out.Notes, replayedNotes(r, runs)...)
	}
	return out
}

func replayedObject(r *replayOptions, run *replayResult) output.Object {
	o := output.Object{{Name: "policy", Value: run.policy}, {Name: "nodes", Value: r.log.Nodes},
		{Name: "jobs", Value: run.measures.Jobs}}
	var skipped output.Object
	for _, reason := range slices.Sorted(maps.Keys(r.log.Skipped)) {
		skipped.Add(reason, r.log.Skipped[reason])
	}
	o.Add("skipped", skipped)
	o.Add("estimates", r.estimated)
	o.Add("kill_at_estimate", r.kill)
	if output.Finite(run.offered) {
		o.Add("load", run.offered)
	}
	addMeasures(&o, &run.measures)
	if run.tally.MostJobs > 0 {
		o.Add("most_jobs", run.tally.MostJobs)
	}
	if made, broken := run.metrics.Promises(); made > 0 {
		o.Add("promises", made)
		o.Add("promises_broken", broken)
	}
	var intervals output.Object
	response, wait, slowdown := run.metrics.Intervals(replayConfidence)
	for i, e := range []batch.Interval{response, wait, slowdown} {
		if r.replications == 1 && output.Finite(e.HalfWidth) {
			intervals.Add(replayMeasures[i].name, output.Object{{Name: "mean", Value: e.Mean}, {Name: "low", Value: e.Low},
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
		if output.Finite(m.Load) {
			row.Add("load", m.Load)
		}
		addMeasures(&row, &m.Measures)
		months = append(months, row)
	}
	if months != nil {
		o.Add("by_month", months)
	}
	return o
}

func addMeasures(o *output.Object, m *batch.Measures) {
	for _, q := range replayMeasures {
		if v := q.value(m); output.Finite(v) {
			o.Add(q.name, v)
		}
	}
}

// replayedCSV has a row for each policy, with the interval of its mean response time if it is known, and below it one
// for each month.
func replayedCSV(runs []*replayResult, replications int) [][]string {
	head := []string{"policy", "month", "jobs", "load"}
	for _, q := range replayMeasures {
		head = append(head, q.name)
	}
	rows := [][]string{append(head, "mean_response_time_low", "mean_response_time_high")}
	add := func(run *replayResult, month string, load float64, m *batch.Measures) {
		row := []string{run.policy, month, strconv.Itoa(m.Jobs), output.ShortestOrEmpty(load)}
		for _, q := range replayMeasures {
			row = append(row, output.ShortestOrEmpty(q.value(m)))
		}
		rows = append(rows, row)
	}
	for _, run := range runs {
		add(run, "", run.offered, &run.measures)
		low, high := math.NaN(), math.NaN()
		if e, _, _ := run.metrics.Intervals(replayConfidence); replications == 1 {
			low, high = e.Low, e.High
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], output.ShortestOrEmpty(low), output.ShortestOrEmpty(high))
		for i := range run.months {
			m := &run.months[i]
			add(run, m.From.Format("2006-01"), m.Load, &m.Measures)
			rows[len(rows)-1] = append(rows[len(rows)-1], "", "")
		}
	}
	return rows
}

func replayedTable(r *replayOptions, runs []*replayResult) output.Table {
	t := output.Table{
		Title: fmt.Sprintf("%s: %d jobs on %d nodes, estimates %s", r.log.Path, runs[0].measures.Jobs, r.log.Nodes,
			r.estimated),
		Columns: []output.Column{{Name: "policy"}, {Name: "load", Number: true}, {Name: "response [s]", Number: true},
			{Name: "wait [s]", Number: true}, {Name: "slowdown", Number: true}, {Name: "utilization", Number: true},
			{Name: "backfilled", Number: true}},
	}
	if r.kill {
		t.Title += ", which kill"
		t.Columns = append(t.Columns, output.Column{Name: "killed", Number: true})
	}
	for _, run := range runs {
		m := &run.measures
		row := []string{run.policy, output.Fixed(run.offered, 3), output.Fixed(m.Response, 0), output.Fixed(m.Wait, 0),
			output.Fixed(m.Slowdown, 2),
			output.PercentOrDash(m.Utilization), output.PercentOrDash(m.BackfilledShare)}
		if r.kill {
			row = append(row, output.PercentOrDash(m.KilledShare))
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
	for _, what := range []string{"response [s]", "slowdown"} {
		for _, run := range runs {
			t.Columns = append(t.Columns, output.Column{Name: run.policy + " " + what, Number: true})
		}
	}
	for i := range runs[0].months {
		m := &runs[0].months[i]
		row := []string{m.From.Format("2006-01"), output.Fixed(m.Load, 3), strconv.Itoa(m.Jobs)}
		for _, run := range runs {
			row = append(row, output.Fixed(run.months[i].Response, 0))
		}
		for _, run := range runs {
			row = append(row, output.Fixed(run.months[i].Slowdown, 1))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// replayedNotes are the sentences under the table: what jobs are taken to be, which policy is best, and how far means
// are known.
func replayedNotes(r *replayOptions, runs []*replayResult) []string {
	var notes []string
	for _, c := range r.policies {
		switch {
		case c.molds():
			notes = append(notes, fmt.Sprintf("%s molds jobs: Downey's speedup, A the nodes asked for, sigma %s.", c.name,
				output.Shortest(r.sigma)))
		case c.resizes != nil:
			notes = append(notes, fmt.Sprintf("%s gives jobs other nodes than they ask for, at no cost: speedup %s.", c.name,
				r.speedupName))
		}
	}
	if len(runs) > 1 {
		best := runs[0]
		for _, run := range runs {
			if run.measures.Response < best.measures.Response {
				best = run
			}
		}
		notes = append(notes, fmt.Sprintf("Shortest mean response time: %s.", best.policy))
	}
	if response, _, _ := runs[0].metrics.Intervals(replayConfidence); r.replications == 1 &&
		output.Finite(response.HalfWidth) {
		widest := 0.0
		for _, run := range runs {
			e, _, _ := run.metrics.Intervals(replayConfidence)
			widest = max(widest, e.Relative())
		}
		notes = append(notes, fmt.Sprintf("By batch means of 3333 jobs, mean response times of a log that went on like this "+
			"would be known to %s or better (%.0f %%).", output.Percent(widest), 100*replayConfidence))
	}
	return notes
}

// loadFigure draws response times, slowdowns and backfilling against the load.
func loadFigure(r *replayOptions, runs []*replayResult) *chart.Figure {
	f := &chart.Figure{Title: "Policies against the load: " + r.log.Path, XLabel: "offered load"}
	panels := []struct {
		title, label string
		of           int // in replayMeasures
		mayLog       bool
	}{{"Response time", "seconds", 0, true}, {"Bounded slowdown", "", 2, true}, {"Backfilled jobs", "share", 4, false}}
	for _, c := range r.policies {
		f.Series = append(f.Series, c.name)
	}
	for _, p := range panels {
		panel := chart.Panel{Title: p.title, YLabel: p.label, MayLog: p.mayLog, FromZero: true}
		for k := range r.policies {
			line := chart.Line{Series: k}
			for i := k; i < len(runs); i += len(r.policies) {
				line.X = append(line.X, runs[i].load)
				y := replayMeasures[p.of].value(&runs[i].measures)
				if !output.Finite(y) {
					y = math.NaN()
				}
				line.Y = append(line.Y, y)
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
	row []string
	err error
}

func newJobRows(w io.Writer) *jobRows {
	r := &jobRows{out: csv.NewWriter(w)}
	r.err = r.out.Write([]string{"policy", "id", "submit", "start", "end", "nodes", "wait", "response_time",
		"bounded_slowdown", "estimate", "backfilled", "killed", "promised_start"})
	return r
}

func (r *jobRows) write(policy string, j *batch.Record) {
	if r.err != nil {
		return
	}
	r.row = append(r.row[:0], policy, strconv.Itoa(j.ID), output.Shortest(j.Submit), output.Shortest(j.Start),
		output.Shortest(j.End), strconv.Itoa(j.Held), output.Shortest(j.Wait()), output.Shortest(j.Response()),
		output.Shortest(j.Slowdown()), output.Shortest(j.Estimate), strconv.FormatBool(j.Backfilled),
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
