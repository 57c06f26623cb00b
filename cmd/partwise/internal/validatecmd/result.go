package validatecmd

import (
	"fmt"
	"github.com/partwise/partwise/models/words"
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
	type line struct {
		input.WrittenPolicy
		Class      string  `key:"class" head:"class"`
		Measure    string  `key:"measure" head:"measure"`
		Analytic   float64 `key:"analytic" head:"solved" form:"json digits=5"`
		Simulated  float64 `key:"simulated" head:"simulated" form:"json digits=5"`
		Value      float64 `key:"value" form:"csv"`
		Low        float64 `key:"low"`
		High       float64 `key:"high"`
		Width      float64 `key:"half_width" head:"±" form:"extra digits=2"`
		Solved     float64 `key:"analytic" form:"csv"`
		Difference string  `head:"difference" form:"number"`
		Z          any     `key:"z" head:"z" form:"number extra decimals=2"`
		P          any     `key:"p" form:"json"`
		Detectable any     `key:"detectable" form:"json"`
		Judged     bool    `key:"judged" form:"json"`
		Pass       bool    `key:"pass"`
		Verdict    string  `head:" "`
	}
	var lines []line
	for _, r := range rows {
		verdict := "ok"
		switch {
		case r.Pass && !r.pass():
			verdict = "differs on divided nodes"
		case !r.Judged:
			verdict = "too few events"
		case !r.Pass:
			verdict = "differs"
		}
		lines = append(lines, line{input.Written(r.policy), r.Class, r.Measure, r.Analytic, r.Simulated, r.Simulated, r.Low, r.High,
			(r.High - r.Low) / 2, r.Analytic, change(r.Difference()), output.When(r.Judged, r.Z), output.When(r.Judged, r.P),
			output.When(r.Judged, r.Detectable), r.Judged, r.pass(), verdict})
	}
	inClasses := slices.ContainsFunc(rows, func(r row) bool { return r.Class != "" })
	return slices.DeleteFunc(output.ColumnsOf(lines, ""), func(c output.Column) bool { return c.Key == "class" && !inClasses })
}

// change writes a relative difference; "" if there is none.
func change(v float64) string {
	if !output.Finite(v) {
		return ""
	}
	return fmt.Sprintf("%+.2f %%", 100*v)
}

// estimate returns the estimate of the measure of a row. ok is false if the policy was not simulated for the column.
func (c *column) estimate(r row) (e validate.Estimate, ok bool) {
	i := slices.IndexFunc(c.runs, func(s validate.Simulation) bool { return s.Policy == r.policy })
	if i < 0 {
		return e, false
	}
	return c.runs[i].OfClass(r.Class, r.Measure)
}

// columns returns what the simulations add to rows.
func (c *column) columns(rows []row) []output.Column {
	type line struct {
		Estimate   any           `head:"estimate" form:"csv number digits=5"`
		Width      any           `head:"±" form:"extra number digits=2"`
		Difference string        `head:"difference" form:"number extra"`
		Object     output.Object `key:"object" form:"json"`
	}
	lines := make([]line, len(rows))
	for i, row := range rows {
		e, ok := c.estimate(row)
		if !ok {
			continue
		}
		with := *row.Row
		with.Simulated = e.Mean
		o := append(output.IntervalObject(e.Interval), output.Pairs("difference", with.Difference())...)
		if t := row.divided; c.tested && t != nil {
			o = append(o, output.Pairs("z", output.When(t.Judged, t.Z), "p", output.When(t.Judged, t.P),
				"detectable", output.When(t.Judged, t.Detectable), "judged", t.Judged, "pass", t.Pass)...)
		}
		lines[i] = line{e.Interval, e.HalfWidth, change(with.Difference()), o}
	}
	columns := output.ColumnsOf(lines, "")
	columns[0].Key, columns[0].Name, columns[3].Key = c.key, c.head, c.key
	return columns
}

// conclusion returns the sentences about one policy. What would have been noticed is said once, for the first simulation.
func conclusion(c *validate.Comparison, s *validate.Simulation, first bool) []string {
	jobs := fmt.Sprintf("%s in %s", words.Count(s.Jobs, "job"), words.Count(s.Replications, "replication"))
	response := c.OfClass("", measure.MeanResponseTime)
	switch {
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
