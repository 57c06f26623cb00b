package solution

import (
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
)

// inService is the key of the mean number of jobs of a class in service.
const inService = "mean_jobs_in_service"

// classRow is a class of jobs under a solved policy.
type classRow struct {
	policy policy.Policy
	models.ClassMeasures
}

// Classes returns the rows of CSV and of a table in which each class of jobs has a row under each solved policy; ids are further
// columns of CSV that are the same in all rows. JSON has them in the rows of the policies, see [Measures].
func Classes(rows []decide.Solved, unit string, ids ...output.Column) *output.List {
	var all []classRow
	for i := range rows {
		for _, c := range rows[i].Measures.Classes {
			all = append(all, classRow{rows[i].Policy, c})
		}
	}
	column := func(key, name string, text func(any) string, of func(r *classRow) any) output.Column {
		return output.Column{Key: key, Name: name, Text: text, Value: output.Of(all, of)}
	}
	l := &output.List{Len: len(all), Form: output.Long,
		Title: "By class (slowdown: response time over the run time alone; in service: mean number of jobs)"}
	if len(all) == 0 {
		l.Form = output.NoCSV
	}
	class := column("class", "class", nil, func(r *classRow) any { return r.Name })
	class.ID = true
	l.Columns = slices.Concat([]output.Column{{Name: "policy", Value: func(i int) any { return all[i].policy.String() }}}, ids,
		input.PolicyColumns(func(i int) policy.Policy { return all[i].policy }), []output.Column{class,
			column("share", "share", output.Percents, func(r *classRow) any { return r.Share }),
			column(measure.MeanResponseTime, InUnit("response", unit), output.Digits(5), func(r *classRow) any { return r.MeanResponseTime }),
			column(measure.MeanSlowdown, "slowdown", output.Digits(4), func(r *classRow) any { return r.MeanSlowdown }),
			column(inService, "in service", output.Digits(4), func(r *classRow) any { return r.MeanJobsInService }),
		})
	return l
}

// classObjects returns the classes of jobs under a policy as JSON has them, nil if all jobs are alike.
func classObjects(m *models.Measures) (all []output.Object) {
	for _, c := range m.Classes {
		all = append(all, output.Object{{Name: "name", Value: c.Name}, {Name: "share", Value: c.Share},
			{Name: measure.MeanResponseTime, Value: c.MeanResponseTime}, {Name: measure.MeanSlowdown, Value: c.MeanSlowdown},
			{Name: inService, Value: c.MeanJobsInService}})
	}
	return all
}
