package solvecmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/progress"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/metric"
)

// percentilesOf returns the percentiles of the results that are shown, if they were asked for or belong to the table of
// a single static policy. Those under dynamic partitioning take seconds; where following a job would take much longer, or
// only resized jobs stop, they are simulated. Those of one policy that are missing keep nobody from the others'.
func percentilesOf(inv *cli.Invocation, file *modelfile.Model, shown []decide.Solved, asked bool) (all []*decide.Percentiles,
	missing []error) {
	all = make([]*decide.Percentiles, len(shown))
	single := len(shown) == 1 && shown[0].Partitions() > 0
	if !asked && !(single && (inv.Format == "table" || inv.Format == "markdown")) {
		return all, nil
	}
	refused := func(err error) bool { return errors.Is(err, markov.ErrTooLarge) || errors.Is(err, models.ErrNoChain) }
	for i := range shown {
		var err error
		all[i], err = shown[i].Percentiles(inv.Context)
		if asked && refused(err) && validate.HasModel(shown[i].Policy) {
			all[i], err = simulatedPercentiles(inv, file, &shown[i])
		}
		switch {
		case err == nil:
		case asked && !refused(err):
			missing = append(missing, err)
		default:
			inv.Warnf("%v", err)
		}
	}
	return all, missing
}

// The simulation of percentiles ends when the mean is known to percentilePrecision, or after percentileJobs.
const (
	percentilePrecision = 0.005
	percentileJobs      = 20_000_000
)

// simulatedPercentiles returns the percentiles of a policy by simulation, with intervals of 95 %.
func simulatedPercentiles(inv *cli.Invocation, file *modelfile.Model, r *decide.Solved) (*decide.Percentiles, error) {
	show, clear := inv.Display(fmt.Sprintf("%v, percentiles", r.Policy))
	defer clear()
	begin := time.Now()
	s, err := validate.Simulate(inv.Context, file.System, r.Policy, validate.Options{Precision: percentilePrecision,
		MaxJobs: percentileJobs, Seed: 1, Workers: inv.Workers, Memory: inv.Memory.Limit(), Progress: func(p validate.Progress) {
			show(progress.Of(float64(p.Jobs)/float64(max(p.Expected, p.Jobs, 1)), time.Since(begin), ""))
		}})
	if err == nil && s.Partial {
		err = context.Canceled
	}
	if err != nil {
		return nil, fmt.Errorf("%v: percentiles: %w", r.Policy, err)
	}
	inv.Notef("%v: percentiles by simulating %d jobs, as the chain of a single job cannot be followed",
		r.Policy, s.Jobs)
	p := simulated(s.Measure)
	for k := 0; p != nil && k < len(s.Classes); k++ {
		p.Classes = append(p.Classes, simulated(func(name string) (validate.Estimate, bool) { return s.OfClass(s.Classes[k].Name, name) }))
	}
	return p, nil
}

// simulated returns the percentiles among the estimates of a simulation, nil if there are none.
func simulated(of func(name string) (validate.Estimate, bool)) *decide.Percentiles {
	times := decide.TimePercentiles{Name: "response_time"}
	for _, p := range decide.Percents() {
		e, ok := of(measure.ResponseTimePercentile(p / 100))
		if !ok {
			return nil
		}
		times.Values, times.HalfWidths = append(times.Values, e.Mean), append(times.HalfWidths, e.HalfWidth)
	}
	return &decide.Percentiles{Times: []decide.TimePercentiles{times}}
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

// simulatedNote explains the intervals of a table.
const simulatedNote = "Percentiles with ± were simulated, and are known to that with a confidence of 95 %%; the others are exact."

// percentile returns the k-th percentile of a time: an interval if it was simulated.
func percentile(t *decide.TimePercentiles, k int) any {
	v := t.Values[k]
	if t.HalfWidths == nil {
		return v
	}
	h := t.HalfWidths[k]
	return metric.Interval{Mean: v, Low: v - h, High: v + h, HalfWidth: h}
}

// times are those that have percentiles, as JSON and as titles name them.
var times = []struct{ name, words string }{{"waiting_time", "waiting time"}, {"response_time", "response time"}}

// percentileColumns returns the percentiles of all rows: objects by percentage in JSON, a measure each in CSV.
func percentileColumns(all []*decide.Percentiles) []output.Column {
	var columns []output.Column
	for _, time := range times {
		column := func(key string, value func(t *decide.TimePercentiles) any) {
			columns = append(columns, output.Column{Key: time.name + "_" + key, OnlyJSON: true, Value: ofTime(all, time.name, value)})
		}
		column("percentiles", func(t *decide.TimePercentiles) any { return byPercent(t.Values) })
		column("percentiles_half_width", func(t *decide.TimePercentiles) any {
			return output.When(t.HalfWidths != nil, byPercent(t.HalfWidths))
		})
		column("percentiles_method", func(t *decide.TimePercentiles) any { return output.When(t.HalfWidths != nil, "simulation") })
		for k, p := range decide.Percents() {
			columns = append(columns, output.Column{Key: time.name + "_p" + output.Shortest(p), OnlyCSV: true,
				Value: ofTime(all, time.name, func(t *decide.TimePercentiles) any { return percentile(t, k) })})
		}
	}
	return append(columns, output.Column{Key: "percentiles_error", OnlyJSON: true, Value: func(i int) any {
		if p := all[i]; p != nil && p.Bound > 0 {
			return p.Bound
		}
		return nil
	}})
}

// byPercent returns values by their percentages.
func byPercent(values []float64) output.Object {
	var o output.Object
	for i, v := range values {
		o.Add(output.Shortest(decide.Percents()[i]), v)
	}
	return o
}

// ofTime returns what is made of the percentiles of a time, nil for a policy that has none.
func ofTime(all []*decide.Percentiles, name string, value func(t *decide.TimePercentiles) any) func(i int) any {
	return func(i int) any {
		if t := all[i].Of(name); t != nil {
			return value(t)
		}
		return nil
	}
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
			t.Columns = append(t.Columns, output.Column{Name: output.Shortest(p) + " %", Text: output.WithHalfWidth(4, 2),
				Value: func(i int) any { return percentile(rows[i].of.Of(time.name), k) }})
		}
		tables = append(tables, t)
	}
	return tables
}
