package fitcmd

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/modelfile/distribution"
	"github.com/partwise/partwise/models/quantity"
)

// fitArrivals fits arrival processes to a sequence of times.
func fitArrivals(inv *cli.Invocation, o *fitOptions, sample fit.Sample, skipped map[string]int) error {
	candidates, err := fit.Arrivals(inv.Context, sample, o.of(inv))
	if err != nil {
		return fitError(inv, o, err)
	}
	best := &candidates[0]
	if inv.File != "" {
		write := func(w io.Writer) error {
			return distribution.WriteMAP(w, o.unit, best.MAP, &distribution.Scores{
				Family: best.Form, Phases: best.Phases, Samples: best.Samples, Likelihood: best.Likelihood,
				LogLikelihood: best.LogLikelihood, MeanLogLikelihood: best.MeanLogLikelihood, AIC: best.AIC, BIC: best.BIC,
				KS: best.KS, Iterations: best.Iterations, Converged: best.Converged, Seconds: best.Seconds,
			})
		}
		if err := output.WriteFile(inv.File, write); err != nil {
			return err
		}
		inv.Notef("wrote %s: %s with %s", inv.File, best.Form, output.Count(best.Phases, "phase"))
	}
	if err := inv.Emit(newArrivals(inv.Args[0], o.unit, o.criterion, skipped, candidates)); err != nil {
		return err
	}
	for _, w := range best.Warnings {
		inv.Warnf("%v", w)
	}
	return nil
}

// shownLags are the lags in tables.
var shownLags = []int{1, 2, 5, 10}

func newArrivals(
	file string, unit quantity.Unit, criterion fit.Criterion, skipped map[string]int, candidates []fit.ArrivalCandidate,
) *cli.Result {
	best := &candidates[0]
	r := &cli.Result{JSON: header(unit, best.Samples, criterion, 0, skipped)}
	columns := []string{"family", "phases", "mean", "scv", "log_likelihood", "mean_log_likelihood", "aic", "bic", "ks",
		"iterations", "converged"}
	t := output.Table{
		Title: fmt.Sprintf("%s: %d times between arrivals, in order", file, best.Samples),
		Columns: []output.Column{{Name: "family"}, {Name: "phases", Number: true},
			{Name: "mean [" + unit.Name + "]", Number: true}, {Name: "SCV", Number: true},
			{Name: "log-likelihood", Number: true}, {Name: "BIC", Number: true}, {Name: "KS", Number: true}},
	}
	for _, l := range best.Lags {
		columns = append(columns, fmt.Sprintf("lag_%d", l.Lag))
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
	r.CSV = [][]string{columns}
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
		r.CSV = append(r.CSV, record)
		row := []string{c.Form, strconv.Itoa(c.Phases), output.Round(c.MAP.InterarrivalMoment(1), 4),
			output.Round(c.MAP.SCV(), 4), output.Fixed(c.LogLikelihood, 1), output.Fixed(c.BIC, 1),
			output.Fixed(c.KS, 4)}
		t.Rows = append(t.Rows, shown(row, func(l fit.LagPair) float64 { return l.Fit }, c.Lags))
	}
	t.Rows = append(t.Rows,
		shown([]string{"data", "", "", "", "", "", ""}, func(l fit.LagPair) float64 { return l.Data }, best.Lags))
	r.JSON.Add("results", rows)
	r.Tables = []output.Table{t}
	by := strings.ToUpper(string(criterion))
	r.Notes = []string{fmt.Sprintf("Best by %s: %s with %s.", by, best.Form, output.Count(best.Phases, "phase"))}
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
