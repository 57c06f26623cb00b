package validatecmd

import (
	"fmt"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/words"
	"math"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/simulatecmd"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate"
)

// row is the comparison of a measure of a policy.
type row struct {
	policy policy.Policy
	*validate.Row
	divided *validate.Row // that of the simulation on divided nodes, if there is one beside that of the model
}

// pass reports whether no simulation differs significantly.
func (r *row) pass() bool { return r.Pass && (r.divided == nil || r.divided.Pass) }

// result returns the comparisons, a row for each policy and measure.
func (v *validation) result() *output.Result {
	var rows []row
	pass := true
	r := &output.Result{Object: input.Heading(v.file), Assumed: input.Assumed(v.file)}
	for k, column := range v.columns {
		for i := range column.comparisons {
			c := &column.comparisons[i]
			pass = pass && c.Failure() == nil
			r.Notes = append(r.Notes, conclusion(c, &column.runs[i], k == 0)...)
			for j := range c.Rows {
				if k == 0 {
					rows = append(rows, row{c.Policy, &c.Rows[j], nil})
				}
			}
			for j := range rows {
				if k > 0 && rows[j].policy == c.Policy {
					rows[j].divided = c.OfClass(rows[j].Class, rows[j].Measure)
				}
			}
		}
	}
	for i := range v.unstable {
		u := &v.unstable[i]
		nan := math.NaN()
		rows = append(rows, row{u.Policy, &validate.Row{Measure: measure.TrafficIntensity, Analytic: u.Measures.TrafficIntensity,
			Simulated: nan, Low: nan, High: nan, P: nan, Pass: true}, nil})
	}
	inClasses := slices.ContainsFunc(rows, func(r row) bool { return r.Class != "" })
	r.List(output.NewList("results", input.Headline(v.file), output.Wide, rows, func(one *row) output.Row {
		cells := one.cells(inClasses)
		for _, c := range v.further() {
			cells = append(cells, c.cells(one)...)
		}
		return cells
	}))
	r.Add("pass", output.When(len(v.columns) > 0, pass))
	for _, c := range v.further() {
		for _, row := range rows {
			if e, ok := c.estimate(&row); ok && !c.tested && row.Measure == measure.MeanResponseTime && row.Class == "" {
				r.Note("%v: %s the mean response time differs by %+.1f %% ± %.1f %%.", row.policy, c.words,
					100*(e.Mean/row.Analytic-1), 100*e.HalfWidth/row.Analytic)
			}
		}
	}
	for _, why := range v.untested {
		r.Note("Whole nodes are not tested: %s.", fault.Plain(why))
	}
	r.List(simulatecmd.List("simulations", output.NoCSV, v.of(false).Runs))
	r.Add("interrupted", output.When(v.interrupted, true))
	return r
}

// cells returns solution and simulation, the class among them if rows have classes.
func (r *row) cells(inClasses bool) output.Row {
	cells := output.Policy(r.policy)
	if inClasses {
		cells = append(cells, output.Col("class", "class").Is(r.Class))
	}
	ran := !math.IsNaN(r.Simulated)
	solved, simulated := output.Col("analytic", "solved").Digits(5), output.Col("simulated", "simulated").Digits(5)
	return append(cells, output.Col("measure", "measure").Is(r.Measure), solved.JSON().If(!math.IsNaN(r.Analytic), r.Analytic), simulated.JSON().If(ran, r.Simulated),
		output.InCSV("value", output.When(ran, r.Simulated)), output.Data("low", output.When(ran, r.Low)), output.Data("high", output.When(ran, r.High)),
		output.Col("half_width", "±").Digits(2).Aside().If(ran, (r.High-r.Low)/2), solved.CSV().Headed("").If(!math.IsNaN(r.Analytic), r.Analytic),
		output.InTable("difference").Right().Is(change(r.Difference())), output.Col("z", "z").Decimals(2).Aside().If(r.Judged, r.Z),
		output.Col("p", "").JSON().If(r.Judged, r.P), output.Col("detectable", "").JSON().If(r.Judged, r.Detectable),
		output.InJSON("judged", r.Judged), output.Data("pass", output.When(ran, r.pass())), output.InTable(" ").Is(r.verdict()))
}

// verdict says what became of a row, for people.
func (r *row) verdict() string {
	switch {
	case r.Pass && !r.pass():
		return "differs on divided nodes"
	case math.IsNaN(r.Analytic):
		return "simulated only"
	case math.IsNaN(r.Simulated):
		return "unstable"
	case math.IsNaN(r.P):
		return "not tested"
	case !r.Judged:
		return "too few events"
	case !r.Pass:
		return "differs"
	}
	return "ok"
}

// change writes a relative difference; "" if there is none.
func change(v float64) string {
	if !output.Finite(v) {
		return ""
	}
	return fmt.Sprintf("%+.2f %%", 100*v)
}

// estimate returns the estimate of the measure of a row. ok is false if the policy was not simulated for the column.
func (c *column) estimate(r *row) (e validate.Estimate, ok bool) {
	i := slices.IndexFunc(c.runs, func(s validate.Simulation) bool { return s.Policy == r.policy })
	if i < 0 {
		return e, false
	}
	return c.runs[i].OfClass(r.Class, r.Measure)
}

// cells returns what the simulations of the column add to a row; they are absent if the policy was not simulated.
func (c *column) cells(r *row) output.Row {
	mean := output.Col(c.key, c.head).Digits(5).CSV()
	width, difference := output.InTable("±").Digits(2).Aside(), output.InTable("difference").Right().Aside()
	e, ok := c.estimate(r)
	if !ok {
		return output.Row{mean.Is(nil), width.Is(nil), difference.Is(nil)}
	}
	with := *r.Row
	with.Simulated = e.Mean
	o := append(output.IntervalObject(e.Interval), output.Pairs("difference", with.Difference())...)
	if t := r.divided; c.tested && t != nil {
		o = append(o, output.Pairs("z", output.When(t.Judged, t.Z), "p", output.When(t.Judged, t.P),
			"detectable", output.When(t.Judged, t.Detectable), "judged", t.Judged, "pass", t.Pass)...)
	}
	return output.Row{mean.Is(e.Interval), width.Is(e.HalfWidth), difference.Is(change(with.Difference())), output.InJSON(c.key, o)}
}

// conclusion returns the sentences about one policy. What would have been noticed is said once, for the first simulation.
func conclusion(c *validate.Comparison, s *validate.Simulation, first bool) []string {
	jobs := fmt.Sprintf("%s in %s", words.Count(s.Jobs, "job"), words.Count(s.Replications, "replication"))
	response := c.OfClass("", measure.MeanResponseTime)
	switch {
	case response != nil && math.IsNaN(response.Analytic):
		return []string{fmt.Sprintf("%v: simulated only, as it has no exact chain (%s).", c.Policy, jobs)}
	case s.Fidelity == validate.MachineFidelity && response != nil:
		return []string{fmt.Sprintf("%v: with whole nodes the mean response time differs by %+.1f %% (%s).", c.Policy,
			100*response.Difference(), jobs)}
	case s.Fidelity == validate.MachineFidelity:
		return nil
	}
	agree := "agree"
	switch {
	case c.Failure() != nil:
		agree = "DIFFER"
	case !c.Pass:
		agree = "cannot be compared: too few events"
	}
	all := []string{fmt.Sprintf("%v: model and simulation%s %s (%s).", c.Policy, on(c), agree, jobs)}
	if least, most := c.Detectable(); least != nil && response != nil && first {
		all = append(all, fmt.Sprintf("%v: errors from %s (%s) to %s (%s) would have been noticed with a probability of 80 %%, "+
			"in the mean response time of %s.", c.Policy, output.Percent(least.Detectable), measureOf(least),
			output.Percent(most.Detectable), measureOf(most), output.Percent(response.Detectable)))
	}
	return all
}

// on says on which nodes a tested simulation runs, if they are not those of the model.
func on(c *validate.Comparison) string {
	if c.Fidelity == validate.ModelFidelity {
		return ""
	}
	switch c.Policy.(type) {
	case policy.Splitting, policy.Queued:
		return " on whole nodes"
	}
	return " on divided nodes"
}

// measureOf names the measure of a row.
func measureOf(r *validate.Row) string {
	if r.Class == "" {
		return r.Measure
	}
	return fmt.Sprintf("%s of class %s", r.Measure, r.Class)
}
