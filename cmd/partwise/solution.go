package main

import (
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/spec"
)

// resultVersion is that of the JSON that is written; it grows when a field changes its meaning.
const resultVersion = 1

// newSolution lays out what solve found.
func newSolution(inv *invocation, file *spec.Model, asked *request, d *models.Decision) (*result, error) {
	shown := asked.shown(d)
	percentiles, err := inv.percentilesOf(shown)
	if err != nil {
		return nil, err
	}
	r := &result{json: heading(file)}
	var rows []output.Object
	r.csv = [][]string{{"policy", "partitions", "measure", "value"}}
	for i := range shown {
		rows = append(rows, solvedObject(file, &shown[i], percentiles[i]))
		r.csv = append(r.csv, solvedRows(&shown[i], percentiles[i])...)
	}
	r.json.Add("results", rows)
	if asked.every && d.Best != nil {
		r.json.Add("best_static", bestObject(d.Best))
		if d.Ratio > 0 {
			r.json.Add("ratio", d.Ratio)
		}
	}
	if len(shown) == 1 {
		r.tables = []output.Table{measureTable(file, &shown[0], percentiles[0])}
	} else {
		r.tables = []output.Table{comparison(file, shown)}
	}
	switch {
	case asked.every:
		r.notes = append(r.notes, answer(file, d)...)
	case len(shown) == 1 && shown[0].Measures.Stable:
		r.notes = append(r.notes, alone(file, &shown[0]))
	default:
		r.notes = append(r.notes, among(file, d)...)
	}
	if least := leastCertain(shown); len(shown) > 1 && least != nil {
		r.notes = append(r.notes, certain(least)+".")
	}
	return r, nil
}

func bestObject(best *models.Solved) output.Object {
	return output.Object{
		{Name: "partitions", Value: best.Policy.Partitions},
		{Name: "mean_response_time", Value: best.Measures.MeanResponseTime},
	}
}

// heading is what every result says about the model first.
func heading(file *spec.Model) output.Object {
	s := file.System
	o := output.Object{{Name: "version", Value: resultVersion}}
	o.Add("title", file.Title)
	o.Add("time_unit", file.TimeUnit.Name)
	o.Add("machine", output.Object{
		{Name: "nodes", Value: s.Nodes},
		{Name: "min_nodes", Value: s.MinNodes},
		{Name: "partitions", Value: s.Partitions()},
	})
	o.Add("arrival_rate", s.Arrivals.Rate())
	o.Add("arrival_scv", s.Arrivals.SCV())
	o.Add("capacity", s.Capacity())
	o.Add("load", s.Load())
	return o
}

// policyObject names a policy as results do.
func policyObject(p models.Policy) output.Object {
	o := output.Object{{Name: "policy", Value: p.Kind}}
	if p.Partitions > 0 {
		o.Add("partitions", p.Partitions)
	}
	if p.Parameter != "" {
		o.Add("parameter", p.Parameter)
	}
	return o
}

// policyCells are the columns that name a policy in CSV.
func policyCells(p models.Policy) []string {
	switch {
	case p.Partitions > 0:
		return []string{p.Kind, strconv.Itoa(p.Partitions)}
	case p.Parameter != "":
		return []string{p.String(), ""}
	}
	return []string{p.Kind, ""}
}

func solvedObject(file *spec.Model, r *models.Solved, t *tails) output.Object {
	m := &r.Measures
	o := measuresObject(r)
	if !m.Stable {
		o.Add("diagnostics", output.Object{{Name: "warnings", Value: warnings(file.TimeUnit.Name, r)}})
		return o
	}
	if t != nil {
		for _, time := range t.times {
			o.Add(time.name+"_percentiles", percentileObject(time.values))
		}
		if t.bound > 0 {
			o.Add("percentiles_error", t.bound)
		}
	}
	o.Add("level_probabilities", m.LevelProbabilities())
	o.Add("diagnostics", diagnostics(file.TimeUnit.Name, r))
	return o
}

// measuresObject is the policy with all its measures.
func measuresObject(r *models.Solved) output.Object {
	m := &r.Measures
	o := policyObject(r.Policy)
	o.Add("stable", m.Stable)
	for _, q := range models.Table {
		if v, ok := q.Of(m); ok {
			o.Add(q.Name, v)
		}
	}
	if !m.Stable {
		o.Add("max_arrival_rate", m.MaxArrivalRate)
	}
	return o
}

func diagnostics(timeUnit string, r *models.Solved) output.Object {
	d := &r.Measures.Diagnostics
	texts := warnings(timeUnit, r)
	if texts == nil {
		texts = []string{}
	}
	return output.Object{
		{Name: "method", Value: d.Method},
		{Name: "iterations", Value: d.Iterations},
		{Name: "residual", Value: d.Residual},
		{Name: "error_bound", Value: d.ErrorBound},
		{Name: "digits", Value: d.Digits()},
		{Name: "phases", Value: d.Phases},
		{Name: "states", Value: d.States},
		{Name: "seconds", Value: d.Seconds},
		{Name: "warnings", Value: texts},
	}
}

func solvedRows(r *models.Solved, t *tails) [][]string {
	m := &r.Measures
	var rows [][]string
	add := func(name string, v float64) {
		rows = append(rows, append(policyCells(r.Policy), name, output.Shortest(v)))
	}
	for _, q := range models.Table {
		if v, ok := q.Of(m); ok {
			add(q.Name, v)
		}
	}
	if m.Stable {
		add("error_bound", m.Diagnostics.ErrorBound)
	} else {
		add("max_arrival_rate", m.MaxArrivalRate)
	}
	if t != nil {
		for _, time := range t.times {
			for i, p := range percents {
				add(time.name+"_p"+output.Shortest(p), time.values[i])
			}
		}
	}
	return rows
}

// comparison is the table of several policies, one a row.
func comparison(file *spec.Model, shown []models.Solved) output.Table {
	t := output.Table{Title: headline(file), Columns: policyColumns(" [" + file.TimeUnit.Name + "]")}
	for i := range shown {
		t.Rows = append(t.Rows, policyRow(&shown[i]))
	}
	return t
}

// policyColumns are the columns of tables in which a policy has a row.
func policyColumns(unit string) []output.Column {
	return []output.Column{
		{Name: "policy"}, {Name: "response" + unit, Number: true}, {Name: "waiting" + unit, Number: true},
		{Name: "jobs", Number: true}, {Name: "utilization", Number: true}, {Name: "repartitioning", Number: true},
		{Name: "traffic", Number: true},
	}
}

func policyRow(r *models.Solved) []string {
	m := &r.Measures
	traffic := output.Round(m.TrafficIntensity, 4)
	if !m.Stable {
		return []string{r.Policy.String(), "unstable", "", "", "", "", traffic}
	}
	repartitioning := ""
	if m.Repartitions != nil {
		repartitioning = percent(m.Repartitions.Probability)
	}
	return []string{
		r.Policy.String(), output.Round(m.MeanResponseTime, 5), output.Round(m.MeanWaitingTime, 5),
		output.Round(m.MeanJobs, 4), percent(m.Utilization), repartitioning, traffic,
	}
}

// measureTable is the table of one policy, one measure a row.
func measureTable(file *spec.Model, r *models.Solved, p *tails) output.Table {
	t := output.Table{
		Title:   headline(file) + ", " + r.Policy.String(),
		Columns: []output.Column{{Name: "measure"}, {Name: "value", Number: true}, {Name: "unit"}},
	}
	for _, q := range models.Table {
		if v, ok := q.Of(&r.Measures); ok {
			t.Rows = append(t.Rows, []string{q.Name, output.Round(v, 6), unitName(q.Unit, file.TimeUnit.Name)})
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
	for _, time := range p.times {
		for i, q := range percents {
			add(time.name+" "+output.Shortest(q)+" %", time.values[i], unit)
		}
	}
	return t
}

func unitName(u models.Unit, timeUnit string) string {
	switch u {
	case models.Time:
		return timeUnit
	case models.Rate:
		return "1/" + timeUnit
	case models.Jobs:
		return "jobs"
	}
	return ""
}
