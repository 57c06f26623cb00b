package fitcmd

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/quantity"
)

// header begins the JSON of a fit.
func header(
	unit quantity.Unit, samples int, criterion fit.Criterion, zeros int, skipped map[string]int,
) output.Object {
	o := output.Object{{Name: "version", Value: output.Version}, {Name: "time_unit", Value: unit.Name},
		{Name: "samples", Value: samples}}
	if zeros > 0 {
		o.Add("zeros_dropped", zeros)
	}
	if len(skipped) > 0 {
		var left output.Object
		for _, problem := range slices.Sorted(maps.Keys(skipped)) {
			left.Add(problem, skipped[problem])
		}
		o.Add("skipped", left)
	}
	o.Add("criterion", string(criterion))
	return o
}

// newFitted lays out the candidates, best first.
func newFitted(
	file string, o *fitOptions, skipped map[string]int, candidates []fit.Candidate,
) *cli.Result {
	best, criterion := &candidates[0], o.criterion
	r := &cli.Result{JSON: header(o.unit, best.Samples, criterion, best.Zeros, skipped)}
	columns := []string{"family", "phases", "mean", "scv", "log_likelihood", "mean_log_likelihood", "aic", "bic", "ks",
		"iterations", "converged", "anderson_darling", "m_ph_1", "ph_m_1"}
	validated := criterion == fit.CV
	if validated {
		columns = append(columns, "cross_validated")
	}
	r.CSV = [][]string{columns}
	table := output.Table{
		Title: fmt.Sprintf("%s: %s", file, output.Count(best.Samples, "value")),
		Columns: []output.Column{{Name: "family"}, {Name: "phases", Number: true},
			{Name: "mean [" + o.unitOfValues() + "]", Number: true},
			{Name: "SCV", Number: true}, {Name: "log-likelihood", Number: true}, {Name: "AIC", Number: true},
			{Name: "BIC", Number: true}, {Name: "KS", Number: true}, {Name: "M/PH/1", Number: true, Extra: true},
			{Name: "PH/M/1", Number: true, Extra: true}, {Name: ""}},
	}
	if validated {
		table.Columns = slices.Insert(table.Columns, 7, output.Column{Name: "CV", Number: true})
	}
	var rows []output.Object
	for i := range candidates {
		c := &candidates[i]
		rows = append(rows, candidateObject(c, validated))
		r.CSV = append(r.CSV, candidateRecord(c, validated))
		table.Rows = append(table.Rows, candidateRow(c, validated))
	}
	r.JSON.Add("results", rows)
	summary := fit.Summary(candidates, criterion)
	r.JSON.Add("verdict", summary)
	r.Tables = []output.Table{table, besideData(best, o.unitOfValues())}
	r.Notes = append([]string{fmt.Sprintf("Best by %s: %s with %s.",
		strings.ToUpper(string(criterion)), best.Family, output.Count(best.Phases, "phase"))}, summary...)
	return r
}

func candidateRow(c *fit.Candidate, validated bool) []string {
	remark := ""
	if !c.Converged {
		remark = "not converged"
	}
	row := []string{string(c.Family), strconv.Itoa(c.Phases), output.Round(c.Dist.Mean(), 4),
		output.Round(c.Dist.SCV(), 4), output.Fixed(c.LogLikelihood, 1), output.Fixed(c.AIC, 1),
		output.Fixed(c.BIC, 1), output.Fixed(c.KS, 4), output.Round(c.Queue.MPH1, 3),
		output.Round(c.Queue.PHM1, 3), remark}
	if validated {
		row = slices.Insert(row, 7, output.Fixed(c.CrossValidated, 5))
	}
	return row
}

func candidateRecord(c *fit.Candidate, validated bool) []string {
	record := []string{string(c.Family), strconv.Itoa(c.Phases), output.Shortest(c.Dist.Mean()),
		output.Shortest(c.Dist.SCV()), output.Shortest(c.LogLikelihood), output.Shortest(c.MeanLogLikelihood),
		output.Shortest(c.AIC), output.Shortest(c.BIC), output.Shortest(c.KS), strconv.Itoa(c.Iterations),
		fmt.Sprint(c.Converged), "", output.Shortest(c.Queue.MPH1), output.Shortest(c.Queue.PHM1)}
	if c.Goodness.AD > 0 {
		record[11] = output.Shortest(c.Goodness.AD)
	}
	switch {
	case validated && math.IsInf(c.CrossValidated, 0):
		record = append(record, "")
	case validated:
		record = append(record, output.Shortest(c.CrossValidated))
	}
	return record
}

// candidateObject leaves out what does not exist for the data.
func candidateObject(c *fit.Candidate, validated bool) output.Object {
	o := output.Object{
		{Name: "family", Value: string(c.Family)},
		{Name: "phases", Value: c.Phases},
		{Name: "mean", Value: c.Dist.Mean()},
		{Name: "scv", Value: c.Dist.SCV()},
		{Name: "likelihood", Value: c.Likelihood},
		{Name: "log_likelihood", Value: c.LogLikelihood},
		{Name: "mean_log_likelihood", Value: c.MeanLogLikelihood},
		{Name: "degrees_of_freedom", Value: c.DegreesOfFreedom},
		{Name: "aic", Value: c.AIC},
		{Name: "bic", Value: c.BIC},
	}
	if validated && !math.IsInf(c.CrossValidated, 0) {
		o.Add("cross_validated", c.CrossValidated)
	}
	o.Add("ks", c.KS)
	if c.Goodness.AD > 0 {
		o.Add("anderson_darling", c.Goodness.AD)
	}
	if len(c.Goodness.Moments) > 0 {
		var pairs []output.Object
		for _, m := range c.Goodness.Moments {
			pairs = append(pairs, output.Object{{Name: "order", Value: m.Order}, {Name: "data", Value: m.Data},
				{Name: "fit", Value: m.Fit}})
		}
		o.Add("moments", pairs)
	}
	if len(c.Goodness.Tail) > 0 {
		var points []output.Object
		for _, p := range c.Goodness.Tail {
			points = append(points, output.Object{{Name: "value", Value: p.Value}, {Name: "data", Value: p.Data},
				{Name: "fit", Value: p.Fit}})
		}
		o.Add("tail", points)
	}
	o.Add("queue", output.Object{{Name: "load", Value: fit.QueueLoad}, {Name: "m_ph_1", Value: c.Queue.MPH1},
		{Name: "ph_m_1", Value: c.Queue.PHM1}})
	o.Add("iterations", c.Iterations)
	o.Add("converged", c.Converged)
	o.Add("seconds", c.Seconds)
	o.Add("warnings", texts(c.Warnings))
	return o
}

func texts(warnings []error) []string {
	out := []string{}
	for _, w := range warnings {
		out = append(out, w.Error())
	}
	return out
}

// besideData sets the best candidate beside the data.
func besideData(c *fit.Candidate, unit string) output.Table {
	t := output.Table{
		Title: fmt.Sprintf("%s with %s beside the data", c.Family, output.Count(c.Phases, "phase")),
		Columns: []output.Column{{Name: ""}, {Name: "data", Number: true}, {Name: "fit", Number: true},
			{Name: "off", Number: true}},
	}
	add := func(what string, data, fitted float64) {
		off := fmt.Sprintf("%+.1f %%", 100*(fitted/data-1))
		if off == "-0.0 %" || off == "+0.0 %" { // the sign would be that of rounding
			off = "0.0 %"
		}
		t.Rows = append(t.Rows, []string{what, output.Round(data, 4), output.Round(fitted, 4), off})
	}
	for _, m := range c.Goodness.Moments {
		name := "mean [" + unit + "]"
		if m.Order > 1 {
			name = fmt.Sprintf("moment %d", m.Order)
		}
		add(name, m.Data, m.Fit)
	}
	for _, p := range c.Goodness.Tail {
		if p.Data > 0 {
			add(fmt.Sprintf("P(X > %s %s)", output.Round(p.Value, 4), unit), p.Data, p.Fit)
		}
	}
	return t
}
