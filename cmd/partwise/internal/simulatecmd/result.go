package simulatecmd

import (
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate"
)

// newResult returns the estimates of simulations, and how far policies differ.
func newResult(inv *cli.Invocation, file *modelfile.Model, sims *validate.Simulations, o validate.Simulator) *output.Result {
	r := &output.Result{Object: input.Heading(file), Assumed: input.AssumedBeside(inv, file)}
	if n := max(len(o.Replay), len(o.Sample)); n > 0 { // in place of the jobs that the heading speaks of
		from := "log"
		if o.Sample != nil {
			from = "demands"
		}
		r.Add("jobs_given", output.Pairs("from", from, "values", n, "load", o.Offered()))
	}
	shown := slices.Concat(sims.Runs, sims.Unstable)
	r.List(List("results", output.Long, shown))
	r.List(estimates(file, shown, o))
	addDifferences(r, file, sims.Runs)
	r.Add("interrupted", output.When(sims.Interrupted, true))
	return r
}

// List returns a list of simulations, an object of JSON each; CSV has their measures, in Long form.
func List(name string, form output.Form, runs []validate.Simulation) *output.List {
	return output.NewList(name, "", form, runs, func(s *validate.Simulation) output.Row {
		row := append(output.Policy(s.Policy), output.InJSON("fidelity", string(s.Fidelity)),
			output.Measure(measure.TrafficIntensity).JSON().If(!math.IsNaN(s.Intensity), s.Intensity),
			output.InJSON("measures", intervals(*s, s.Measures)),
			output.InJSON("classes", output.RowsOf(s.Classes, classObject(*s))), output.InJSON("precision", s.Precision),
			output.InJSON("interrupted", output.NonZero(s.Partial)), output.InJSON("replications", s.Replications),
			output.InJSON("jobs", s.Jobs), output.InJSON("events", s.Events), output.InJSON("warmup", s.Warmup),
			output.InJSON("seconds", s.Seconds), output.InJSON("events_per_second", s.EventsPerSecond))
		for _, e := range s.Measures {
			row = append(row, output.InCSV(e.Name, s.Stated(e)))
		}
		return row
	}).Show()
}

// classObject returns the estimates of a class of jobs in a simulation.
func classObject(s validate.Simulation) func(c validate.ClassEstimates) output.Object {
	return func(c validate.ClassEstimates) output.Object {
		return append(output.Pairs("name", c.Name, "share", c.Share), intervals(s, c.Estimates())...)
	}
}

// intervals returns estimates of a simulation by their names.
func intervals(s validate.Simulation, all []validate.Estimate) (o output.Object) {
	for _, e := range all {
		o.Add(e.Name, s.Stated(e))
	}
	return o
}

// estimates returns the table, a measure of a policy a row.
func estimates(file *modelfile.Model, runs []validate.Simulation, o validate.Simulator) *output.List {
	title := fmt.Sprintf("%s, on %s, %s %% confidence", input.Headline(file), o.Fidelity.Machine(), words.Shortest(100*o.Confidence))
	if o.Replay != nil {
		title = fmt.Sprintf("%s, replaying %s on %s", file.Title, words.Count(len(o.Replay), "job"), o.Fidelity.Machine())
	}
	inClasses := slices.ContainsFunc(runs, func(s validate.Simulation) bool { return len(s.Classes) > 0 })
	number := func(head string) output.Column { return output.InTable(head).Digits(5) }
	var rows []output.Row
	add := func(s validate.Simulation, class string, some []validate.Estimate) {
		for _, e := range some {
			row := output.Row{output.InTable("policy").Is(s.Policy.String())}
			if inClasses {
				row = append(row, output.InTable("class").Is(class))
			}
			m, _ := measure.Named(e.Name)
			i := s.Stated(e)
			rows = append(rows, append(row, output.InTable("measure").Is(e.Name), number("mean").Is(i.Mean), number("low").Is(i.Low),
				number("high").Is(i.High), output.InTable("unit").Is(m.Unit.In(file.TimeUnit.Name))))
		}
	}
	for _, s := range runs {
		add(s, "", s.Measures)
		for _, c := range s.Classes {
			add(s, c.Name, c.Estimates())
		}
	}
	return output.TableOfRows(title, rows)
}

// addDifferences adds the differences of the mean response times from the first policy. Common random numbers make the
// differences more precise than the mean response times. Replications that are too short for intervals have no differences.
func addDifferences(r *output.Result, file *modelfile.Model, runs []validate.Simulation) {
	all := validate.Differences(runs, measure.MeanResponseTime)
	if all == nil || slices.ContainsFunc(runs, func(s validate.Simulation) bool { return s.Short }) {
		return
	}
	var rows []output.Object
	for _, c := range all {
		o := slices.Concat(output.PolicyObject(c.Policy), output.Pairs("minus", c.Minus.String(), "measure", c.Name),
			output.IntervalObject(c.Interval), output.Pairs("variance_reduction", c.VarianceReduction))
		rows = append(rows, o)
		r.Note("%v − %v: mean response time %s ± %s %s (variance reduced %s times by common random numbers).", c.Policy, c.Minus,
			words.Round(c.Mean, 4), words.Round(c.HalfWidth, 2), file.TimeUnit.Name, words.Round(c.VarianceReduction, 2))
	}
	r.Add("differences", rows)
}
