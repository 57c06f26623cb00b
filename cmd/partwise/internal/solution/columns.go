package solution

import (
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
)

// table lists the measures of chains. It is made once, because a study needs it for each point.
var table = models.Table()

// Measures returns the columns of JSON and CSV that solved policies fill, a policy a row: its name, whether it is stable, and
// all measures of [models.Table]. JSON has those of classes of jobs, too, with further columns that have a value for each row of
// [Classes].
func Measures(rows []decide.Solved, ofClasses ...output.Column) []output.Column {
	type row struct {
		input.PolicyName
		Stable bool `key:"stable" form:"json"`
	}
	columns := output.ColumnsOf(output.RowsOf(rows, func(r decide.Solved) row {
		return row{input.NameOf(r.Policy), r.Measures.Stable}
	}), "")
	for _, q := range table {
		columns = append(columns, output.Column{Key: q.Name, Value: func(i int) any { return value(&rows[i], q.Name) }})
	}
	return append(columns, output.Column{Key: measure.MaxArrivalRate, Value: func(i int) any {
		return output.When(!rows[i].Measures.Stable, rows[i].Measures.MaxArrivalRate)
	}}, classObjects(rows, ofClasses))
}

// value returns a measure of a solved policy, nil if it does not exist.
func value(r *decide.Solved, name string) any {
	v, ok := r.Measures.Of(name)
	return output.When(ok, v)
}

// Shown returns the columns of tables in which each solved policy has a row; unit is that of times.
func Shown(rows []decide.Solved, unit string) []output.Column {
	type row struct {
		Policy         string `head:"policy"`
		Response       any    `head:"response [unit]" form:"number digits=5 none=unstable"`
		Waiting        any    `head:"waiting [unit]" form:"number digits=5"`
		Jobs           any    `head:"jobs" form:"number digits=4"`
		Utilization    any    `head:"utilization" form:"number shares"`
		Repartitioning any    `head:"repartitioning" form:"number shares"`
		Traffic        any    `head:"traffic" form:"number digits=4"`
	}
	return output.ColumnsOf(output.RowsOf(rows, func(r decide.Solved) row {
		of := func(name string) any { return value(&r, name) }
		return row{r.Policy.String(), of(measure.MeanResponseTime), of(measure.MeanWaitingTime), of(measure.MeanJobs),
			of(measure.Utilization), of(measure.ProbabilityRepartition), of(measure.TrafficIntensity)}
	}), unit)
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
			return output.Pairs("warnings", texts)
		}
		d := &rows[i].Measures.Diagnostics
		return output.Pairs("method", d.Method, "iterations", d.Iterations, "residual", d.Residual, "error_bound", d.ErrorBound,
			"error_per_level", d.ErrorPerLevel, "digits", d.Digits(), "phases", d.Phases, "states", d.States, "seconds", d.Seconds,
			"warnings", texts)
	}}}
}
