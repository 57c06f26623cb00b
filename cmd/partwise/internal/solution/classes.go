package solution

import (
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
)

var (
	share     = output.Col("share", "share").Percents()
	response  = output.Measure(measure.MeanResponseTime).Digits(5)
	slowdown  = output.Measure(measure.MeanSlowdown)
	inService = output.Col("mean_jobs_in_service", "in service")
	waiting   = output.Measure(measure.MeanWaitingTime).Digits(5)
	waits     = output.Measure(measure.ProbabilityWait)

	varianceOfWaiting  = output.Measure(measure.VarianceWaitingTime).Headed("")
	varianceOfResponse = output.Measure(measure.VarianceResponseTime).Headed("")
)

// classRow returns what results say of a class of jobs under a policy, but for its name. Only classes of rigid jobs differ in their
// waiting times.
func classRow(m *models.Measures, c *models.ClassMeasures) output.Row {
	row := output.Row{
		share.Is(c.Share), response.Is(c.MeanResponseTime), slowdown.Is(c.MeanSlowdown), inService.Is(c.MeanJobsInService),
	}
	if m.Rigid != nil {
		row = append(row, waiting.Is(c.MeanWaitingTime), waits.Is(c.ProbabilityWait))
	}
	if v := c.Variances; v != nil {
		row = append(row, varianceOfWaiting.Is(v.WaitingTime), varianceOfResponse.Is(v.ResponseTime))
	}
	return row
}

// Classes returns the rows of CSV and of a table in which each class of jobs has a row under each solved policy. unit is the unit
// of times. further returns more cells of class k under policy i; nil adds none. JSON has the classes within the rows of policies.
func Classes(rows []decide.Solved, unit string, further func(i, k int) output.Row) *output.List {
	var all []output.Row
	for i := range rows {
		for k := range rows[i].Measures.Classes {
			c := &rows[i].Measures.Classes[k]
			row := slices.Concat(output.Policy(rows[i].Policy), output.Row{output.Class.Is(c.Name)}, classRow(&rows[i].Measures, c))
			if further != nil {
				row = append(row, further(i, k)...)
			}
			all = append(all, row)
		}
	}
	const title = "By class (slowdown: response time over the run time on the nodes asked for; in service: mean number of jobs)"
	l := output.ListOfRows("", title, output.Long, all).In(unit)
	if len(all) == 0 {
		l.Form = output.NoCSV
	}
	return l
}

// classObjects returns the classes of jobs under a policy as JSON has them; nil where jobs are alike.
func classObjects(r *decide.Solved, further func(k int) output.Row) (all []output.Object) {
	for k := range r.Measures.Classes {
		c := &r.Measures.Classes[k]
		row := append(output.Row{output.InJSON("name", c.Name)}, classRow(&r.Measures, c)...)
		if further != nil {
			row = append(row, further(k)...)
		}
		all = append(all, row.Object())
	}
	return all
}
