package solution

import (
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
)

// columns are the columns of the measures of chains. They are made once, because a study needs them for each point.
var columns = output.RowsOf(models.Table(), func(m measure.Measure) output.Column { return output.Measure(m.Name) })

var maxArrivalRate = output.Measure(measure.MaxArrivalRate)

// Row returns what results say of a solved policy: its name, whether it is stable, all measures of [models.Table], and in JSON
// the classes of jobs. further returns more cells of class k; nil adds none.
func Row(r *decide.Solved, further func(k int) output.Row) output.Row {
	m := &r.Measures
	row := append(output.Policy(r.Policy), output.InJSON("stable", m.Stable))
	for _, c := range columns {
		v, ok := m.Of(c.Key)
		row = append(row, c.If(ok, v))
	}
	return append(row, maxArrivalRate.If(!m.Stable, m.MaxArrivalRate),
		output.InJSON("classes", classObjects(r, further)),
		output.ErrorBound.CSV().If(m.Stable, m.Diagnostics.ErrorBound))
}

// Shown returns the columns of tables in which each solved policy has a [Row].
func Shown() []output.Column {
	return []output.Column{
		output.InTable("policy"),
		output.Measure(measure.MeanResponseTime).Digits(5).Else("unstable"),
		output.Measure(measure.MeanWaitingTime).Digits(5),
		output.Measure(measure.MeanJobs),
		output.Measure(measure.Utilization),
		output.Measure(measure.ProbabilityRepartition),
		output.Measure(measure.TrafficIntensity),
	}
}

// Diagnostics says how a result was found, and how exact it is. unit is the unit of times.
func Diagnostics(r *decide.Solved, unit string) output.Object {
	texts := append([]string{}, input.Warnings(unit, r)...)
	if !r.Measures.Stable {
		return output.Pairs("warnings", texts)
	}
	d := &r.Measures.Diagnostics
	return output.Pairs("method", d.Method, "iterations", d.Iterations, "residual", d.Residual, "error_bound", d.ErrorBound,
		"error_per_level", d.ErrorPerLevel, "digits", d.Digits(), "phases", d.Phases, "states", d.States, "seconds", d.Seconds,
		"warnings", texts)
}

// BestObject returns the best static policy as JSON has it: its partitions and its mean response time.
func BestObject(best *decide.Solved) output.Object {
	return output.Pairs("partitions", best.Partitions(), "mean_response_time", best.Measures.MeanResponseTime)
}
