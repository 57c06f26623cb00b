package validatecmd

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
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
	l := &output.List{Name: "results", Title: input.Headline(v.file), Len: len(rows), Columns: columnsOf(rows)}
	r.List(l)
	r.Add("pass", pass)
	for _, c := range v.columns[1:] {
		l.Columns = append(l.Columns, c.columns(rows)...)
		for _, row := range rows {
			if e, ok := c.estimate(row); ok && !c.tested && row.Measure == measure.MeanResponseTime && row.Class == "" {
				r.Note("%v: %s the mean response time differs by %+.1f %% ± %.1f %%.", row.policy, c.words,
					100*(e.Mean/row.Analytic-1), 100*e.HalfWidth/row.Analytic)
			}
		}
	}
	for _, why := range v.untested {
		r.Note("Whole nodes are not tested: %s.", cli.Plain(why))
	}
	r.List(simulatecmd.List("simulations", v.of(false).Runs))
	r.Add("interrupted", output.When(v.interrupted, true))
	return r
}

// columnsOf returns the columns of solution and simulation.
func columnsOf(rows []row) []output.Column {
	analytic := func(i int) any { return rows[i].Analytic }
	simulated := func(i int) any { return rows[i].Simulated }
	digits := output.Digits(5)
	columns := append(input.PolicyColumns(func(i int) policy.Policy { return rows[i].policy }),
		output.Column{Name: "policy", Value: func(i int) any { return rows[i].policy.String() }})
	if slices.ContainsFunc(rows, func(r row) bool { return r.Class != "" }) {
		columns = append(columns, output.Column{Key: "class", Name: "class", Value: func(i int) any { return rows[i].Class }})
	}
	return append(columns, []output.Column{
		{Key: "measure", Name: "measure", Value: func(i int) any { return rows[i].Measure }},
		{Key: "analytic", Name: "solved", Text: digits, OnlyJSON: true, Value: analytic},
		{Key: "simulated", Name: "simulated", Text: digits, OnlyJSON: true, Value: simulated},
		{Key: "value", OnlyCSV: true, Value: simulated},
		{Key: "low", Value: func(i int) any { return rows[i].Low }},
		{Key: "high", Value: func(i int) any { return rows[i].High }},
		{Key: "half_width", Name: "±", Extra: true, Text: output.Digits(2),
			Value: func(i int) any { return (rows[i].High - rows[i].Low) / 2 }},
		{Key: "analytic", OnlyCSV: true, Value: analytic},
		{Name: "difference", Number: true, Text: change, Value: func(i int) any { return rows[i].Difference() }},
		{Key: "z", Name: "z", Number: true, Extra: true, Text: output.Decimals(2), Value: func(i int) any { return output.When(rows[i].Judged, rows[i].Z) }},
		{Key: "p", OnlyJSON: true, Value: func(i int) any { return output.When(rows[i].Judged, rows[i].P) }},
		{Key: "detectable", OnlyJSON: true, Value: func(i int) any { return output.When(rows[i].Judged, rows[i].Detectable) }},
		{Key: "judged", OnlyJSON: true, Value: func(i int) any { return rows[i].Judged }},
		{Key: "pass", Value: func(i int) any { return rows[i].pass() }},
		{Name: " ", Value: func(i int) any {
			switch {
			case rows[i].Pass && !rows[i].pass():
				return "differs on divided nodes"
			case !rows[i].Judged:
				return "too few events"
			case !rows[i].Pass:
				return "differs"
			}
			return "ok"
		}},
	}...)
}

// change writes a relative difference.
func change(v any) string { return fmt.Sprintf("%+.2f %%", 100*v.(float64)) }

// estimate returns the estimate of the measure of a row. ok is false if the policy was not simulated for the column.
func (c *column) estimate(r row) (e validate.Estimate, ok bool) {
	i := slices.IndexFunc(c.runs, func(s validate.Simulation) bool { return s.Policy == r.policy })
	if i < 0 {
		return e, false
	}
	if r.Class != "" {
		return c.runs[i].OfClass(r.Class, r.Measure)
	}
	return c.runs[i].Measure(r.Measure)
}

// columns returns what the simulations add to rows.
func (c *column) columns(rows []row) []output.Column {
	value := func(of func(e validate.Estimate, difference float64, r *row) any) func(i int) any {
		return func(i int) any {
			e, ok := c.estimate(rows[i])
			if !ok {
				return nil
			}
			with := *rows[i].Row
			with.Simulated = e.Mean
			return of(e, with.Difference(), &rows[i])
		}
	}
	interval := output.Column{Key: c.key, Name: c.head, OnlyCSV: true, Text: output.Digits(5), Number: true,
		Value: value(func(e validate.Estimate, _ float64, _ *row) any { return e.Interval })}
	width := output.HalfWidth(interval, 2)
	width.Extra = true
	return []output.Column{interval, width,
		{Name: "difference", Number: true, Extra: true, Text: change, Value: value(func(_ validate.Estimate, d float64, _ *row) any { return d })},
		{Key: c.key, OnlyJSON: true, Value: value(func(e validate.Estimate, d float64, r *row) any {
			o := output.IntervalObject(e.Interval)
			o.Add("difference", d)
			if t := r.divided; c.tested && t != nil {
				o.Add("z", output.When(t.Judged, t.Z))
				o.Add("p", output.When(t.Judged, t.P))
				o.Add("detectable", output.When(t.Judged, t.Detectable))
				o.Add("judged", t.Judged)
				o.Add("pass", t.Pass)
			}
			return o
		})},
	}
}

// conclusion returns the sentences about one policy. What would have been noticed is said once, for the first simulation.
func conclusion(c *validate.Comparison, s *validate.Simulation, first bool) []string {
	jobs := fmt.Sprintf("%s in %s", output.Count(s.Jobs, "job"), output.Count(s.Replications, "replication"))
	response := c.Row(measure.MeanResponseTime)
	switch {
	case s.Fidelity == validate.MachineFidelity && response != nil:
		return []string{fmt.Sprintf("%v: with whole nodes the mean response time differs by %+.1f %% (%s).", c.Policy,
			100*response.Difference(), jobs)}
	case s.Fidelity == validate.MachineFidelity:
		return nil
	}
	agree := "agree"
	if !c.Pass {
		agree = "DIFFER"
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
	if _, static := c.Policy.(policy.Static); static {
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
