package solvecmd

import (
	"errors"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
)

// percentilesOf returns the percentiles of the results that are shown, if they were asked for or belong to the table of
// a single static policy. Those under dynamic partitioning take seconds. They are refused, with a warning, where following a job
// would take much longer, or only resized jobs stop. Other errors keep nobody from the percentiles of other policies.
func percentilesOf(inv *cli.Invocation, shown []decide.Solved, asked bool) (all []*decide.Percentiles, missing []error) {
	all = make([]*decide.Percentiles, len(shown))
	single := len(shown) == 1 && shown[0].Partitions() > 0
	if !asked && !(single && (inv.Format == "table" || inv.Format == "markdown")) {
		return all, nil
	}
	for i := range shown {
		var err error
		all[i], err = shown[i].Percentiles(inv.Context)
		switch {
		case err == nil:
		case errors.Is(err, markov.ErrTooLarge), errors.Is(err, models.ErrNoChain):
			inv.Warnf("%v; partwise simulate estimates them", err)
		case asked:
			missing = append(missing, err)
		default:
			inv.Warnf("%v", err)
		}
	}
	return all, missing
}

// ofClasses returns the percentiles of the classes of jobs, a row for each of [solution.Classes].
func ofClasses(shown []decide.Solved, all []*decide.Percentiles) (of []*decide.Percentiles) {
	for i := range shown {
		if classes := shown[i].Measures.Classes; all[i] == nil {
			of = append(of, make([]*decide.Percentiles, len(classes))...)
		} else {
			of = append(of, all[i].Classes...)
		}
	}
	return of
}

// times are those that have percentiles, as JSON and as titles name them.
var times = []struct{ name, words string }{{"waiting_time", "waiting time"}, {"response_time", "response time"}}

// percentileColumns returns the percentiles of all rows: objects by percentage in JSON, a measure each in CSV.
func percentileColumns(all []*decide.Percentiles) []output.Column {
	var columns []output.Column
	for _, time := range times {
		columns = append(columns, output.Column{Key: time.name + "_percentiles", OnlyJSON: true, Value: func(i int) any {
			return byPercent(all[i].Of(time.name))
		}})
		for k, p := range decide.Percents() {
			columns = append(columns, output.Column{Key: time.name + "_p" + output.Shortest(p), OnlyCSV: true, Value: func(i int) any {
				if v := all[i].Of(time.name); v != nil {
					return v[k]
				}
				return nil
			}})
		}
	}
	return append(columns, output.Column{Key: "percentiles_error", OnlyJSON: true, Value: func(i int) any {
		if p := all[i]; p != nil && p.Bound > 0 {
			return p.Bound
		}
		return nil
	}})
}

// byPercent returns values by their percentages; nil without values, which is no object.
func byPercent(values []float64) output.Object {
	var o output.Object
	for i, v := range values {
		o.Add(output.Shortest(decide.Percents()[i]), v)
	}
	return o
}

// percentileTables returns a table for each time of which some policy has percentiles. Those of all jobs under a single policy are
// among its measures.
func percentileTables(unit string, shown []decide.Solved, all []*decide.Percentiles) (tables []*output.List) {
	type row struct {
		Policy string `head:"policy"`
		Class  string `head:"class"`
		of     *decide.Percentiles
	}
	var known []row
	byClass := false
	for i, r := range shown {
		if len(shown) > 1 {
			known = append(known, row{r.Policy.String(), "all", all[i]})
		}
		for k := 0; all[i] != nil && k < len(all[i].Classes); k++ {
			byClass = true
			known = append(known, row{r.Policy.String(), r.Measures.Classes[k].Name, all[i].Classes[k]})
		}
	}
	for _, time := range slices.Backward(times) {
		rows := slices.DeleteFunc(slices.Clone(known), func(r row) bool { return r.of.Of(time.name) == nil })
		if len(rows) == 0 {
			continue
		}
		t := output.ListOf("", "Percentiles of the "+time.words+" ["+unit+"]", output.NoCSV, rows, "")
		if !byClass {
			t.Columns = t.Columns[:1]
		}
		for k, p := range decide.Percents() {
			t.Columns = append(t.Columns, output.Column{Name: output.Shortest(p) + " %",
				Value: func(i int) any { return rows[i].of.Of(time.name)[k] }})
		}
		tables = append(tables, t)
	}
	return tables
}
