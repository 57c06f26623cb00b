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

// classRows returns the classes of jobs under all solved policies.
func classRows(rows []decide.Solved) (all []classRow) {
	for i := range rows {
		for _, c := range rows[i].Measures.Classes {
			all = append(all, classRow{rows[i].Policy, c})
		}
	}
	return all
}

// classColumns returns the name of each class and its measures.
func classColumns(all []classRow, unit string) []output.Column {
	column := func(key, name string, text func(any) string, of func(r *classRow) any) output.Column {
		return output.Column{Key: key, Name: name, Text: text, Value: output.Of(all, of)}
	}
	class := column("class", "class", nil, func(r *classRow) any { return r.Name })
	class.ID = true
	return []output.Column{class,
		column("share", "share", output.Percents, func(r *classRow) any { return r.Share }),
		column(measure.MeanResponseTime, InUnit("response", unit), output.Digits(5), func(r *classRow) any { return r.MeanResponseTime }),
		column(measure.MeanSlowdown, "slowdown", output.Digits(4), func(r *classRow) any { return r.MeanSlowdown }),
		column(inService, "in service", output.Digits(4), func(r *classRow) any { return r.MeanJobsInService }),
	}
}

// Classes returns the rows of CSV and of a table in which each class of jobs has a row under each solved policy; ids are further
// columns of CSV that are the same in all rows. JSON has them in the rows of the policies, see [Measures].
func Classes(rows []decide.Solved, unit string, ids ...output.Column) *output.List {
	all := classRows(rows)
	l := &output.List{Len: len(all), Form: output.Long,
		Title: "By class (slowdown: response time over the run time alone; in service: mean number of jobs)"}
	if len(all) == 0 {
		l.Form = output.NoCSV
	}
	l.Columns = slices.Concat([]output.Column{{Name: "policy", Value: func(i int) any { return all[i].policy.String() }}}, ids,
		input.PolicyColumns(func(i int) policy.Policy { return all[i].policy }), classColumns(all, unit))
	return l
}

// classObjects returns the column of JSON that has the classes of jobs under each policy, where jobs are not alike. Further columns
// have a value for each row of [Classes].
func classObjects(rows []decide.Solved, further []output.Column) output.Column {
	all := classRows(rows)
	l := output.List{Len: len(all), Columns: append(classColumns(all, ""), further...)}
	l.Columns[0].Key = "name"
	objects := l.Objects()
	of := make([][]output.Object, len(rows))
	for i := range rows {
		n := len(rows[i].Measures.Classes)
		of[i], objects = objects[:n:n], objects[n:]
	}
	return output.Column{Key: "classes", OnlyJSON: true, Value: func(i int) any { return output.When(len(of[i]) > 0, of[i]) }}
}
