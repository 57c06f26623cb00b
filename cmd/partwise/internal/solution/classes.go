package solution

import (
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/decide"
)

// classRow is a class of jobs under a solved policy.
type classRow struct {
	input.WrittenPolicy
	Class     string  `key:"class" head:"class" form:"id"`
	Share     float64 `key:"share" head:"share" form:"percents"`
	Response  float64 `key:"mean_response_time" head:"response [unit]" form:"digits=5"`
	Slowdown  float64 `key:"mean_slowdown" head:"slowdown" form:"digits=4"`
	InService float64 `key:"mean_jobs_in_service" head:"in service" form:"digits=4"`
}

// classRows returns the classes of jobs under all solved policies.
func classRows(rows []decide.Solved) (all []classRow) {
	for _, r := range rows {
		for _, c := range r.Measures.Classes {
			all = append(all, classRow{input.Written(r.Policy), c.Name, c.Share, c.MeanResponseTime, c.MeanSlowdown, c.MeanJobsInService})
		}
	}
	return all
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
	l.Columns = append(ids, output.ColumnsOf(all, unit)...)
	return l
}

// classObjects returns the column of JSON that has the classes of jobs under each policy, where jobs are not alike. Further columns
// have a value for each row of [Classes].
func classObjects(rows []decide.Solved, further []output.Column) output.Column {
	of := make([][]output.Object, len(rows))
	if all := classRows(rows); len(all) > 0 {
		l := output.List{Len: len(all), Columns: append(output.ColumnsOf(all, "")[ofPolicy:], further...)}
		l.Columns[0].Key = "name"
		objects := l.Objects()
		for i := range rows {
			n := len(rows[i].Measures.Classes)
			of[i], objects = objects[:n:n], objects[n:]
		}
	}
	return output.Column{Key: "classes", OnlyJSON: true, Value: func(i int) any { return output.When(len(of[i]) > 0, of[i]) }}
}
