package solution

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// Decision solves policies on a model.
func Decision(inv *cli.Invocation, file *modelfile.Model, policies []policy.Policy) (decide.Decision, error) {
	set := model.AnyMethod()
	set.Memory = inv.Memory
	d, err := decide.Solve(inv.Context, file.System, policies, set, inv.Workers)
	return d, model.MethodError(set.Method, err)
}

// SeveralSamples checks a number of samples: intervals of 95 % need some on either side.
func SeveralSamples(n int) error {
	if n < 50 || n > 100_000 {
		return fmt.Errorf("%d is not a number of samples from 50 to 100000", n)
	}
	return nil
}

// BestObject is the best static policy as JSON.
func BestObject(best *decide.Solved) output.Object {
	return output.Object{
		{Name: "partitions", Value: best.Partitions()},
		{Name: "mean_response_time", Value: best.Measures.MeanResponseTime},
	}
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
