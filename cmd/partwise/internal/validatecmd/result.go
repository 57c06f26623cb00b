package validatecmd

import (
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/simulatecmd"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate"
)

// heads are the heads of the variants beside the first in tables, by their names.
var heads = map[string]string{"divided": "divided nodes", "machine": "whole nodes", "demands": "demands", "log": "log"}

// result returns the comparisons, a row for each policy and measure.
func (v *validation) result() *output.Result {
	rows, pass, needed := v.Rows(), true, v.JobsNeeded()
	r := &output.Result{Object: input.Heading(v.file), Assumed: input.Assumed(v.file.Assumed)}
	for k, variant := range v.Variants {
		for i := range variant.Comparisons {
			c := &variant.Comparisons[i]
			pass = pass && c.Failure() == nil
			r.Notes = append(r.Notes, conclusion(c, &variant.Runs[i], k == 0, needed)...)
		}
	}
	inClasses := slices.ContainsFunc(rows, func(r validate.ValidatedRow) bool { return r.Class != "" })
	r.List(output.NewList("results", input.Headline(v.file), output.Wide, rows, func(one *validate.ValidatedRow) output.Row {
		cells := rowCells(one, inClasses)
		for _, c := range v.further() {
			cells = append(cells, variantCells(c, one)...)
		}
		return cells
	}))
	r.Add("pass", output.When(len(v.Variants) > 0, pass))
	for _, c := range v.further() {
		for _, row := range rows {
			if e, ok := c.Estimate(&row); ok && !c.Tested && row.Measure == measure.MeanResponseTime && row.Class == "" {
				r.Note("%v: %s the mean response time differs by %+.1f %% ± %.1f %%.", row.Policy, v.withWords(c),
					100*(e.Mean/row.Analytic-1), 100*e.HalfWidth/row.Analytic)
			}
		}
	}
	for _, why := range v.Untested {
		r.Note("Whole nodes are not tested: %s.", fault.Plain(why))
	}
	r.List(simulatecmd.List("simulations", output.NoCSV, v.Runs(false)))
	r.Add("left_out", output.LeftOutObjects(v.left))
	r.Add("interrupted", output.When(v.Interrupted, true))
	return r
}

// withWords returns the beginning of a sentence about a variant that is not tested, which says with which machine or jobs it is
// simulated.
func (v *validation) withWords(of *validate.Variant) string {
	switch {
	case of.Name == "log":
		return "with the jobs of the log"
	case of.Name == "demands":
		return "with the measured demands"
	case v.file.System.Stops == models.ResizedStop:
		return "with whole nodes, and only the resized jobs stopped,"
	}
	return "with whole nodes, and all jobs stopped,"
}

// rowCells returns the cells of a row: the solution, the simulation, and the class if rows have classes.
func rowCells(r *validate.ValidatedRow, inClasses bool) output.Row {
	cells := output.Policy(r.Policy)
	if inClasses {
		cells = append(cells, output.Col("class", "class").Is(r.Class))
	}
	ran := !math.IsNaN(r.Simulated)
	solved, simulated := output.Col("analytic", "solved").Digits(5), output.Col("simulated", "simulated").Digits(5)
	return append(cells, output.Col("measure", "measure").Is(r.Measure),
		solved.JSON().If(!math.IsNaN(r.Analytic), r.Analytic), simulated.JSON().If(ran, r.Simulated),
		output.InCSV("value", output.When(ran, r.Simulated)), output.Data("low", output.When(ran, r.Low)),
		output.Data("high", output.When(ran, r.High)),
		output.Col("half_width", "±").Digits(2).Aside().If(ran, (r.High-r.Low)/2),
		solved.CSV().Headed("").If(!math.IsNaN(r.Analytic), r.Analytic),
		output.InTable("difference").Right().Is(change(r.Difference())), output.Col("z", "z").Decimals(2).Aside().If(r.Judged, r.Z),
		output.Col("p", "").JSON().If(r.Judged, r.P), output.Col("detectable", "").JSON().If(r.Judged, r.Detectable),
		output.InJSON("judged", r.Judged), output.InJSON("jobs_needed", output.Positive(float64(r.JobsNeeded))),
		output.Data("pass", output.When(ran, r.Passes())), output.InTable(" ").Is(verdictOn(r)))
}

// verdictOn says in words whether the simulation of a row agrees with the solution.
func verdictOn(r *validate.ValidatedRow) string {
	switch {
	case r.Pass && !r.Passes():
		return "differs on divided nodes"
	case math.IsNaN(r.Analytic):
		return "simulated only"
	case math.IsNaN(r.Simulated):
		return "unstable"
	case math.IsNaN(r.P):
		return "not tested"
	case r.JobsNeeded > 0:
		return fmt.Sprintf("too few events: some %s would do", words.Count(r.JobsNeeded, "job"))
	case !r.Judged:
		return "too few events"
	case !r.Pass:
		return "differs"
	}
	return "ok"
}

// change writes a relative difference; "" if the difference is not finite.
func change(v float64) string {
	if !words.Finite(v) {
		return ""
	}
	return fmt.Sprintf("%+.2f %%", 100*v)
}

// variantCells returns the cells that the simulations of a variant add to a row. They are empty if the policy was not simulated.
func variantCells(v *validate.Variant, r *validate.ValidatedRow) output.Row {
	mean := output.Col(v.Name, heads[v.Name]).Digits(5).CSV()
	width, difference := output.InTable("±").Digits(2).Aside(), output.InTable("difference").Right().Aside()
	e, ok := v.Estimate(r)
	if !ok {
		return output.Row{mean.Is(nil), width.Is(nil), difference.Is(nil)}
	}
	with := *r.Row
	with.Simulated = e.Mean
	o := append(output.IntervalObject(e.Interval), output.Pairs("difference", with.Difference())...)
	if t := r.Divided; v.Tested && t != nil {
		o = append(o, output.Pairs("z", output.When(t.Judged, t.Z), "p", output.When(t.Judged, t.P),
			"detectable", output.When(t.Judged, t.Detectable), "judged", t.Judged, "pass", t.Pass)...)
	}
	return output.Row{mean.Is(e.Interval), width.Is(e.HalfWidth), difference.Is(change(with.Difference())), output.InJSON(v.Name, o)}
}

// conclusion returns the sentences about one policy. What would have been noticed is said once, for the first simulation.
// needed is the number of jobs that all policies need.
func conclusion(c *validate.Comparison, s *validate.Simulation, first bool, needed int64) []string {
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
	if n, own := c.TooShort(); n > 0 && first {
		short := fmt.Sprintf("%v: the simulation is too short to judge %s", c.Policy, words.Count(n, "measure"))
		forAll := ""
		if needed > own {
			forAll = "for all policies "
		}
		if own > 0 {
			short += fmt.Sprintf("; some %s would do (%s--jobs %d without --precision)", words.Count(own, "job"), forAll, needed)
		}
		all = append(all, short+".")
	}
	if least, most := c.Detectable(); least != nil && response != nil && first {
		all = append(all, fmt.Sprintf("%v: errors from %s (%s) to %s (%s) would have been noticed with a probability of 80 %%, "+
			"in the mean response time of %s.", c.Policy, words.Percent(least.Detectable), measureOf(least),
			words.Percent(most.Detectable), measureOf(most), words.Percent(response.Detectable)))
	}
	return all
}

// on says on which nodes a tested simulation runs, if it does not run on the nodes of the model.
func on(c *validate.Comparison) string {
	if c.Fidelity == validate.ModelFidelity {
		return ""
	}
	switch c.Policy.(type) {
	case policy.Splitting, policy.Queued:
		return " on " + validate.MachineFidelity.Machine()
	}
	return " on " + c.Fidelity.Machine()
}

// measureOf names the measure of a row.
func measureOf(r *validate.Row) string {
	if r.Class == "" {
		return r.Measure
	}
	return fmt.Sprintf("%s of class %s", r.Measure, r.Class)
}
