package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/spec"
)

// fitArrivals fits arrival processes to a sequence of times.
func (inv *invocation) fitArrivals(
	sample fit.Sample, options fit.Options, unit spec.TimeUnit, skipped map[string]int,
) error {
	if !inv.flags.IsSet("phases") {
		options.MinPhases, options.MaxPhases = 1, 4
	}
	candidates, err := fit.Arrivals(inv.ctx, sample, options)
	if err != nil {
		return inv.fitError(err)
	}
	best := &candidates[0]
	if inv.file != "" {
		write := func(w io.Writer) error {
			return spec.WriteMAP(w, unit, best.MAP, &spec.Scores{
				Family: best.Form, Phases: best.Phases, Samples: best.Samples, Likelihood: best.Likelihood,
				LogLikelihood: best.LogLikelihood, MeanLogLikelihood: best.MeanLogLikelihood, AIC: best.AIC, BIC: best.BIC,
				KS: best.KS, Iterations: best.Iterations, Converged: best.Converged, Seconds: best.Seconds,
			})
		}
		if err := output.WriteFile(inv.file, write); err != nil {
			return err
		}
		inv.note("wrote %s: %s with %d phases", inv.file, best.Form, best.Phases)
	}
	if err := inv.emit(newArrivals(inv.args[0], unit, options.Criterion, skipped, candidates)); err != nil {
		return err
	}
	for _, w := range best.Warnings {
		inv.warn("%v", w)
	}
	return nil
}

// shownLags are the lags in tables.
var shownLags = []int{1, 2, 5, 10}

func newArrivals(
	file string, unit spec.TimeUnit, criterion fit.Criterion, skipped map[string]int, candidates []fit.ArrivalCandidate,
) *result {
	best := &candidates[0]
	r := &result{json: fitHead(unit, best.Samples, criterion, 0, skipped)}
	head := []string{"family", "phases", "mean", "scv", "log_likelihood", "mean_log_likelihood", "aic", "bic", "ks",
		"iterations", "converged"}
	t := output.Table{
		Title: fmt.Sprintf("%s: %d times between arrivals, in order", file, best.Samples),
		Columns: []output.Column{{Name: "family"}, {Name: "phases", Number: true},
			{Name: "mean [" + unit.Name + "]", Number: true}, {Name: "SCV", Number: true},
			{Name: "log-likelihood", Number: true}, {Name: "BIC", Number: true}, {Name: "KS", Number: true}},
	}
	for _, l := range best.Lags {
		head = append(head, fmt.Sprintf("lag_%d", l.Lag))
	}
	shown := func(row []string, of func(fit.LagPair) float64, lags []fit.LagPair) []string {
		for _, k := range shownLags {
			if k <= len(lags) {
				row = append(row, fmt.Sprintf("%.4f", of(lags[k-1])))
			}
		}
		return row
	}
	for _, k := range shownLags {
		if k <= len(best.Lags) {
			t.Columns = append(t.Columns, output.Column{Name: fmt.Sprintf("lag %d", k), Number: true})
		}
	}
	r.csv = [][]string{head}
	var rows []output.Object
	for i := range candidates {
		c := &candidates[i]
		rows = append(rows, arrivalObject(c))
		record := []string{c.Form, strconv.Itoa(c.Phases), output.Shortest(c.MAP.InterarrivalMoment(1)),
			output.Shortest(c.MAP.SCV()), output.Shortest(c.LogLikelihood), output.Shortest(c.MeanLogLikelihood),
			output.Shortest(c.AIC), output.Shortest(c.BIC), output.Shortest(c.KS), strconv.Itoa(c.Iterations),
			fmt.Sprint(c.Converged)}
		for _, l := range c.Lags {
			record = append(record, output.Shortest(l.Fit))
		}
		r.csv = append(r.csv, record)
		row := []string{c.Form, strconv.Itoa(c.Phases), output.Round(c.MAP.InterarrivalMoment(1), 4),
			output.Round(c.MAP.SCV(), 4), fmt.Sprintf("%.1f", c.LogLikelihood), fmt.Sprintf("%.1f", c.BIC),
			fmt.Sprintf("%.4f", c.KS)}
		t.Rows = append(t.Rows, shown(row, func(l fit.LagPair) float64 { return l.Fit }, c.Lags))
	}
	t.Rows = append(t.Rows,
		shown([]string{"data", "", "", "", "", "", ""}, func(l fit.LagPair) float64 { return l.Data }, best.Lags))
	r.json.Add("results", rows)
	r.tables = []output.Table{t}
	by := strings.ToUpper(string(criterion))
	r.notes = []string{fmt.Sprintf("Best by %s: %s with %d phases.", by, best.Form, best.Phases)}
	return r
}

func arrivalObject(c *fit.ArrivalCandidate) output.Object {
	o := output.Object{
		{Name: "family", Value: c.Form},
		{Name: "phases", Value: c.Phases},
		{Name: "mean", Value: c.MAP.InterarrivalMoment(1)},
		{Name: "scv", Value: c.MAP.SCV()},
		{Name: "likelihood", Value: c.Likelihood},
		{Name: "log_likelihood", Value: c.LogLikelihood},
		{Name: "mean_log_likelihood", Value: c.MeanLogLikelihood},
		{Name: "degrees_of_freedom", Value: c.DegreesOfFreedom},
		{Name: "aic", Value: c.AIC},
		{Name: "bic", Value: c.BIC},
		{Name: "ks", Value: c.KS},
	}
	if len(c.Lags) > 0 {
		var lags []output.Object
		for _, l := range c.Lags {
			lags = append(lags, output.Object{{Name: "lag", Value: l.Lag}, {Name: "data", Value: l.Data},
				{Name: "fit", Value: l.Fit}})
		}
		o.Add("correlations", lags)
	}
	o.Add("iterations", c.Iterations)
	o.Add("converged", c.Converged)
	o.Add("seconds", c.Seconds)
	o.Add("warnings", texts(c.Warnings))
	return o
}
