package solution

import (
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
)

// Measures returns the columns of JSON and CSV that solved policies fill, a policy a row: its name, whether it is stable, and
// all measures of [models.Table]. JSON has those of classes of jobs, too, with further columns that have a value for each row of
// [Classes].
func Measures(rows []decide.Solved, ofClasses ...output.Column) []output.Column {
	columns := append(input.PolicyColumns(func(i int) policy.Policy { return rows[i].Policy }),
		output.Column{Key: "stable", OnlyJSON: true, Value: func(i int) any { return rows[i].Measures.Stable }})
	for _, q := range models.Table() {
		columns = append(columns, output.Column{Key: q.Name, Value: measured(rows, q.Name)})
	}
	return append(columns, output.Column{Key: measure.MaxArrivalRate, Value: func(i int) any {
		return output.When(!rows[i].Measures.Stable, rows[i].Measures.MaxArrivalRate)
	}}, classObjects(rows, ofClasses))
}

// measured returns the values of a measure, which not every policy has.
func measured(rows []decide.Solved, name string) func(i int) any {
	return func(i int) any {
		v, ok := rows[i].Measures.Of(name)
		return output.When(ok, v)
	}
}

// Shown returns the columns of tables in which each solved policy has a row; unit is that of times.
func Shown(rows []decide.Solved, unit string) []output.Column {
	column := func(name, key string, text func(any) string) output.Column {
		return output.Column{Name: name, Value: measured(rows, key), Text: text, Number: true}
	}
	response := column(InUnit("response", unit), measure.MeanResponseTime, output.Digits(5))
	response.None = "unstable"
	return []output.Column{
		{Name: "policy", Value: func(i int) any { return rows[i].Policy.String() }},
		response,
		column(InUnit("waiting", unit), measure.MeanWaitingTime, output.Digits(5)),
		column("jobs", measure.MeanJobs, output.Digits(4)),
		column("utilization", measure.Utilization, output.Shares),
		column("repartitioning", measure.ProbabilityRepartition, output.Shares),
		column("traffic", measure.TrafficIntensity, output.Digits(4)),
	}
}

// ErrorBound returns the column of CSV that bounds the relative errors of stable policies.
func ErrorBound(rows []decide.Solved) []output.Column {
	return []output.Column{{Key: "error_bound", OnlyCSV: true, Value: func(i int) any {
		return output.When(rows[i].Measures.Stable, rows[i].Measures.Diagnostics.ErrorBound)
	}}}
}

// Diagnostics returns the column of JSON that says how results were found, and how exact they are.
func Diagnostics(rows []decide.Solved, unit string) []output.Column {
	return []output.Column{{Key: "diagnostics", OnlyJSON: true, Value: func(i int) any {
		texts := append([]string{}, input.Warnings(unit, &rows[i])...)
		if !rows[i].Measures.Stable {
			return output.Object{{Name: "warnings", Value: texts}}
		}
		d := &rows[i].Measures.Diagnostics
		return output.Object{{Name: "method", Value: d.Method}, {Name: "iterations", Value: d.Iterations},
			{Name: "residual", Value: d.Residual}, {Name: "error_bound", Value: d.ErrorBound},
			{Name: "error_per_level", Value: d.ErrorPerLevel}, {Name: "digits", Value: d.Digits()},
			{Name: "phases", Value: d.Phases}, {Name: "states", Value: d.States}, {Name: "seconds", Value: d.Seconds},
			{Name: "warnings", Value: texts}}
	}}}
}

// InUnit returns the head of a column of times, with the unit of the times if they have one.
func InUnit(head, unit string) string {
	if unit == "" {
		return head
	}
	return head + " [" + unit + "]"
}
