package simulatecmd

import (
	"fmt"
	"github.com/partwise/partwise/models/words"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate"
)

// newResult returns the estimates of simulations, and how far policies differ.
func newResult(inv *cli.Invocation, file *modelfile.Model, sims *Simulations, o validate.Options) *output.Result {
	r := &output.Result{Object: input.Heading(file), Assumed: input.AssumedBeside(inv, file)}
	if n := max(len(o.Replay), len(o.Sample)); n > 0 { // in place of the jobs that the heading speaks of
		from := "log"
		if o.Sample != nil {
			from = "demands"
		}
		r.Add("jobs_given", output.Pairs("from", from, "values", n, "load", validate.Offered(file.System, o)))
	}
	l := List("results", sims.Runs)
	l.Form = output.Long
	for _, name := range validate.MeasureNames(sims.Runs) {
		l.Columns = append(l.Columns, output.Column{Key: name, OnlyCSV: true, Value: func(i int) any {
			e, ok := sims.Runs[i].Measure(name)
			return output.When(ok, e.Interval)
		}})
	}
	r.List(l)
	r.List(estimates(file, sims.Runs, o))
	addDifferences(r, file, sims.Runs)
	r.Add("interrupted", output.When(sims.Interrupted, true))
	return r
}

// List returns a field of JSON that has an object for each simulation.
func List(name string, runs []validate.Simulation) *output.List {
	type row struct {
		input.PolicyName
		Fidelity     string          `key:"fidelity" form:"json"`
		Intensity    float64         `key:"traffic_intensity" form:"json"`
		Measures     output.Object   `key:"measures" form:"json"`
		Classes      []output.Object `key:"classes" form:"json"`
		Precision    float64         `key:"precision" form:"json"`
		Interrupted  bool            `key:"interrupted" form:"json omitzero"`
		Replications int             `key:"replications" form:"json"`
		Jobs         int64           `key:"jobs" form:"json"`
		Events       int64           `key:"events" form:"json"`
		Warmup       int64           `key:"warmup" form:"json"`
		Seconds      float64         `key:"seconds" form:"json"`
		PerSecond    float64         `key:"events_per_second" form:"json"`
	}
	rows := output.RowsOf(runs, func(s validate.Simulation) row {
		classes := output.RowsOf(s.Classes, func(c validate.ClassEstimates) output.Object {
			return append(output.Pairs("name", c.Name, "share", c.Share), intervals(c.Estimates())...)
		})
		return row{input.NameOf(s.Policy), string(s.Fidelity), s.Intensity, intervals(s.Measures), classes, s.Precision, s.Partial,
			s.Replications, s.Jobs, s.Events, s.Warmup, s.Seconds, s.EventsPerSecond}
	})
	return output.ListOf(name, "", output.NoCSV, rows, "")
}

// intervals returns estimates by their names.
func intervals(all []validate.Estimate) (o output.Object) {
	for _, e := range all {
		o.Add(e.Name, e.Interval)
	}
	return o
}

// estimates returns the table, a measure of a policy a row.
func estimates(file *modelfile.Model, runs []validate.Simulation, o validate.Options) *output.List {
	l := &output.List{Form: output.NoCSV,
		Title: fmt.Sprintf("%s, %s %% confidence", input.Headline(file), output.Shortest(100*o.Confidence))}
	if o.Replay != nil {
		l.Title = fmt.Sprintf("%s, replaying %s", file.Title, words.Count(len(o.Replay), "job"))
	}
	type row struct {
		Policy  string  `head:"policy"`
		Class   string  `head:"class"`
		Measure string  `head:"measure"`
		Mean    float64 `head:"mean" form:"digits=5"`
		Low     float64 `head:"low" form:"digits=5"`
		High    float64 `head:"high" form:"digits=5"`
		Unit    string  `head:"unit"`
	}
	var rows []row
	inClasses := false
	add := func(p policy.Policy, class string, some []validate.Estimate) {
		for _, e := range some {
			m, _ := measure.Named(e.Name)
			rows = append(rows, row{p.String(), class, e.Name, e.Mean, e.Low, e.High, m.Unit.In(file.TimeUnit.Name)})
		}
	}
	for _, s := range runs {
		add(s.Policy, "", s.Measures)
		for _, c := range s.Classes {
			inClasses = true
			add(s.Policy, c.Name, c.Estimates())
		}
	}
	l.Len, l.Columns = len(rows), output.ColumnsOf(rows, "")
	if !inClasses {
		l.Columns = slices.Delete(l.Columns, 1, 2)
	}
	return l
}

// addDifferences adds the differences of the mean response times from the first policy. Common random numbers make the
// differences more precise than the mean response times.
func addDifferences(r *output.Result, file *modelfile.Model, runs []validate.Simulation) {
	all := validate.Differences(runs, measure.MeanResponseTime)
	if all == nil {
		return
	}
	var rows []output.Object
	for _, c := range all {
		o := slices.Concat(input.PolicyObject(c.Policy), output.Pairs("minus", c.Minus.String(), "measure", c.Name),
			output.IntervalObject(c.Interval), output.Pairs("variance_reduction", c.VarianceReduction))
		rows = append(rows, o)
		r.Note("%v − %v: mean response time %s ± %s %s (variance reduced %s times by common random numbers).", c.Policy, c.Minus,
			output.Round(c.Mean, 4), output.Round(c.HalfWidth, 2), file.TimeUnit.Name, output.Round(c.VarianceReduction, 2))
	}
	r.Add("differences", rows)
}
