package simulatecmd

import (
	"fmt"
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
		r.Add("jobs_given", output.Object{{Name: "from", Value: from}, {Name: "values", Value: n},
			{Name: "load", Value: validate.Offered(file.System, o)}})
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
	l := &output.List{Name: name, Len: len(runs), Form: output.NoCSV,
		Columns: input.PolicyColumns(func(i int) policy.Policy { return runs[i].Policy })}
	add := func(key string, of func(s *validate.Simulation) any) {
		l.Columns = append(l.Columns, output.Column{Key: key, OnlyJSON: true, Value: func(i int) any { return of(&runs[i]) }})
	}
	add("fidelity", func(s *validate.Simulation) any { return string(s.Fidelity) })
	add("traffic_intensity", func(s *validate.Simulation) any { return s.Intensity })
	add("measures", func(s *validate.Simulation) any {
		var o output.Object
		for _, e := range s.Measures {
			o.Add(e.Name, e.Interval)
		}
		return o
	})
	add("classes", func(s *validate.Simulation) any {
		var all []output.Object
		for _, c := range s.Classes {
			o := output.Object{{Name: "name", Value: c.Name}, {Name: "share", Value: c.Share}}
			for _, e := range c.Estimates() {
				o.Add(e.Name, e.Interval)
			}
			all = append(all, o)
		}
		return output.When(all != nil, all)
	})
	add("precision", func(s *validate.Simulation) any { return s.Precision })
	add("interrupted", func(s *validate.Simulation) any { return output.When(s.Partial, true) })
	add("replications", func(s *validate.Simulation) any { return s.Replications })
	add("jobs", func(s *validate.Simulation) any { return s.Jobs })
	add("events", func(s *validate.Simulation) any { return s.Events })
	add("warmup", func(s *validate.Simulation) any { return s.Warmup })
	add("cycles", func(s *validate.Simulation) any { return output.When(s.Cycles > 0, s.Cycles) })
	add("seconds", func(s *validate.Simulation) any { return s.Seconds })
	add("events_per_second", func(s *validate.Simulation) any { return s.EventsPerSecond })
	return l
}

// estimates returns the table, a measure of a policy a row.
func estimates(file *modelfile.Model, runs []validate.Simulation, o validate.Options) *output.List {
	l := &output.List{Form: output.NoCSV,
		Title: fmt.Sprintf("%s, %s %% confidence", input.Headline(file), output.Shortest(100*o.Confidence))}
	if o.Replay != nil {
		l.Title = fmt.Sprintf("%s, replaying %s", file.Title, output.Count(len(o.Replay), "job"))
	}
	var policies []policy.Policy
	var classes []string
	var all []validate.Estimate
	add := func(p policy.Policy, class string, some []validate.Estimate) {
		policies = append(policies, slices.Repeat([]policy.Policy{p}, len(some))...)
		classes = append(classes, slices.Repeat([]string{class}, len(some))...)
		all = append(all, some...)
	}
	for i := range runs {
		add(runs[i].Policy, "", runs[i].Measures)
		for _, c := range runs[i].Classes {
			add(runs[i].Policy, c.Name, c.Estimates())
		}
	}
	l.Len = len(all)
	digits := output.Digits(5)
	l.Columns = []output.Column{{Name: "policy", Value: func(i int) any { return policies[i].String() }}}
	if slices.ContainsFunc(classes, func(class string) bool { return class != "" }) {
		l.Columns = append(l.Columns, output.Column{Name: "class", Value: func(i int) any { return classes[i] }})
	}
	l.Columns = append(l.Columns, []output.Column{
		{Name: "measure", Value: func(i int) any { return all[i].Name }},
		{Name: "mean", Text: digits, Value: func(i int) any { return all[i].Mean }},
		{Name: "low", Text: digits, Value: func(i int) any { return all[i].Low }},
		{Name: "high", Text: digits, Value: func(i int) any { return all[i].High }},
		{Name: "unit", Value: func(i int) any {
			m, _ := measure.Named(all[i].Name)
			return m.Unit.In(file.TimeUnit.Name)
		}},
	}...)
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
		o := append(input.PolicyObject(c.Policy), output.Object{{Name: "minus", Value: c.Minus.String()},
			{Name: "measure", Value: c.Name}}...)
		o = append(o, output.IntervalObject(c.Interval)...)
		o.Add("variance_reduction", c.VarianceReduction)
		rows = append(rows, o)
		r.Note("%v − %v: mean response time %s ± %s %s (variance reduced %s times by common random numbers).", c.Policy, c.Minus,
			output.Round(c.Mean, 4), output.Round(c.HalfWidth, 2), file.TimeUnit.Name, output.Round(c.VarianceReduction, 2))
	}
	r.Add("differences", rows)
}
