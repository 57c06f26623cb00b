package decide

import (
	"context"
	"slices"
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/sentence"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// newResult lays out what solve found, and says which percentiles were asked for and are missing.
func newResult(inv *cli.Invocation, o *solveOptions, file *modelfile.Model, asked *policy.Selection,
	d *decide.Decision) (r *cli.Result, missing []error, err error) {
	shown := model.Shown(asked, d)
	percentiles, missing := percentilesOf(inv, file, shown, o.percentiles)
	if i := slices.IndexFunc(missing, isCanceled); i >= 0 {
		return nil, nil, missing[i]
	}
	r = &cli.Result{JSON: model.Heading(file)}
	var rows []output.Object
	r.CSV = [][]string{{"policy", "partitions", "measure", "value"}}
	for i := range shown {
		row, err := solvedObject(inv.Context, file, &shown[i], percentiles[i])
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, row)
		r.CSV = append(append(r.CSV, Rows(&shown[i])...), percentileRows(&shown[i], percentiles[i])...)
	}
	if anySimulated(percentiles) {
		intervalColumns(r.CSV)
		r.Notes = append(r.Notes, simulatedNote)
	}
	r.JSON.Add("results", rows)
	if asked.Every && d.Best != nil {
		r.JSON.Add("best_static", BestObject(d.Best))
		if d.Ratio > 0 {
			r.JSON.Add("ratio", d.Ratio)
		}
	}
	if len(shown) == 1 {
		r.Tables = []output.Table{measureTable(file, &shown[0], percentiles[0])}
	} else {
		r.Tables = append([]output.Table{ComparisonTable(file, shown)},
			percentileTables(file.TimeUnit.Name, shown, percentiles)...)
	}
	switch {
	case len(d.Failed) > 0: // nothing can be said of the best
	case asked.Every:
		r.Notes = append(r.Notes, sentence.Answer(file, d)...)
	case len(shown) == 1 && shown[0].Measures.Stable:
		r.Notes = append(r.Notes, sentence.Alone(file, &shown[0]))
	default:
		r.Notes = append(r.Notes, sentence.Among(file, d)...)
	}
	return r, missing, nil
}

// intervalColumns adds the columns of intervals, which are empty in rows that have none.
func intervalColumns(rows [][]string) {
	rows[0] = append(rows[0], "low", "high", "half_width")
	for i := range rows {
		for len(rows[i]) < len(rows[0]) {
			rows[i] = append(rows[i], "")
		}
	}
}

// BestObject is the best static policy as JSON.
func BestObject(best *decide.Solved) output.Object {
	return output.Object{
		{Name: "partitions", Value: best.Partitions()},
		{Name: "mean_response_time", Value: best.Measures.MeanResponseTime},
	}
}

func solvedObject(ctx context.Context, file *modelfile.Model, r *decide.Solved, t *decide.Percentiles) (output.Object, error) {
	m := &r.Measures
	o := MeasuresObject(r)
	if !m.Stable {
		o.Add("diagnostics", output.Object{{Name: "warnings", Value: model.Warnings(file.TimeUnit.Name, r)}})
		return o, nil
	}
	addPercentiles(&o, t)
	levels, err := m.LevelProbabilities(ctx)
	if err != nil {
		return nil, err
	}
	o.Add("level_probabilities", levels)
	o.Add("diagnostics", DiagnosticsObject(file.TimeUnit.Name, r))
	return o, nil
}

// MeasuresObject is the policy with all its measures.
func MeasuresObject(r *decide.Solved) output.Object {
	m := &r.Measures
	o := model.PolicyObject(r.Policy)
	o.Add("stable", m.Stable)
	for _, q := range models.Table() {
		if v, ok := m.Of(q.Name); ok {
			o.Add(q.Name, v)
		}
	}
	if !m.Stable {
		o.Add("max_arrival_rate", m.MaxArrivalRate)
	}
	return o
}

// DiagnosticsObject is how a result was found and how exact it is, as JSON.
func DiagnosticsObject(timeUnit string, r *decide.Solved) output.Object {
	d := &r.Measures.Diagnostics
	texts := model.Warnings(timeUnit, r)
	if texts == nil {
		texts = []string{}
	}
	return output.Object{
		{Name: "method", Value: d.Method},
		{Name: "iterations", Value: d.Iterations},
		{Name: "residual", Value: d.Residual},
		{Name: "error_bound", Value: d.ErrorBound},
		{Name: "error_per_level", Value: d.ErrorPerLevel},
		{Name: "digits", Value: d.Digits()},
		{Name: "phases", Value: d.Phases},
		{Name: "states", Value: d.States},
		{Name: "seconds", Value: d.Seconds},
		{Name: "warnings", Value: texts},
	}
}

// Rows are the measures of a policy as rows of CSV.
func Rows(r *decide.Solved) [][]string {
	m := &r.Measures
	var rows [][]string
	add := func(name string, v float64) {
		rows = append(rows, append(model.PolicyCells(r.Policy), name, output.Shortest(v)))
	}
	for _, q := range models.Table() {
		if v, ok := m.Of(q.Name); ok {
			add(q.Name, v)
		}
	}
	if m.Stable {
		add("error_bound", m.Diagnostics.ErrorBound)
	} else {
		add("max_arrival_rate", m.MaxArrivalRate)
	}
	return rows
}

// ComparisonTable is the table of several policies, one a row.
func ComparisonTable(file *modelfile.Model, shown []decide.Solved) output.Table {
	t := output.Table{Title: model.Headline(file), Columns: PolicyColumns(" [" + file.TimeUnit.Name + "]")}
	for i := range shown {
		t.Rows = append(t.Rows, PolicyRow(&shown[i]))
	}
	return t
}

// PolicyColumns are the columns of tables in which a policy has a row.
func PolicyColumns(unit string) []output.Column {
	return []output.Column{
		{Name: "policy"}, {Name: "response" + unit, Number: true}, {Name: "waiting" + unit, Number: true},
		{Name: "jobs", Number: true}, {Name: "utilization", Number: true}, {Name: "repartitioning", Number: true},
		{Name: "traffic", Number: true},
	}
}

// PolicyRow is a policy as a row below PolicyColumns.
func PolicyRow(r *decide.Solved) []string {
	m := &r.Measures
	traffic := output.Round(m.TrafficIntensity, 4)
	if !m.Stable {
		return []string{r.Policy.String(), "unstable", "", "", "", "", traffic}
	}
	repartitioning := ""
	if m.Repartitions != nil {
		repartitioning = output.Percent(m.Repartitions.Probability)
	}
	return []string{
		r.Policy.String(), output.Round(m.MeanResponseTime, 5), output.Round(m.MeanWaitingTime, 5),
		output.Round(m.MeanJobs, 4), output.Percent(m.Utilization), repartitioning, traffic,
	}
}

// measureTable is the table of one policy, one measure a row.
func measureTable(file *modelfile.Model, r *decide.Solved, p *decide.Percentiles) output.Table {
	t := output.Table{
		Title:   model.Headline(file) + ", " + r.Policy.String(),
		Columns: []output.Column{{Name: "measure"}, {Name: "value", Number: true}, {Name: "unit"}},
	}
	for _, q := range models.Table() {
		if v, ok := r.Measures.Of(q.Name); ok {
			t.Rows = append(t.Rows, []string{q.Name, output.Round(v, 6), q.Unit.In(file.TimeUnit.Name)})
		}
	}
	add := func(name string, v float64, unit string) {
		t.Rows = append(t.Rows, []string{name, output.Round(v, 6), unit})
	}
	unit := file.TimeUnit.Name
	if d := &r.Measures.Diagnostics; r.Measures.Stable {
		t.Rows = append(t.Rows, []string{"digits", strconv.Itoa(d.Digits()), "certain"})
	} else {
		add("max_arrival_rate", r.Measures.MaxArrivalRate, "1/"+unit)
	}
	if p == nil {
		return t
	}
	for _, time := range p.Times {
		for i, q := range decide.Percents {
			t.Rows = append(t.Rows, []string{time.Name + " " + output.Shortest(q) + " %", percentileCells(time, 6)[i], unit})
		}
	}
	return t
}
