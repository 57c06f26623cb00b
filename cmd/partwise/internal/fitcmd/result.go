package fitcmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/modelfile"
)

// fits are candidates of either kind, best first.
type fits struct {
	unit        string // of the values, for people
	words       string // for the values, with their number
	all         []*fit.Fitted
	means, scvs []float64
	own         []output.Column // of the kind
	beside      []comparison    // the best candidate and the data
	notes       []string
}

// comparison is a number of the data beside the same number of the best candidate.
type comparison struct {
	what      string
	data, fit float64
}

// distributions returns fitted distributions.
func distributions(o *options, candidates []fit.Candidate) *fits {
	f := &fits{unit: o.unitOfValues(), words: output.Count(candidates[0].Samples, "value"), notes: fit.Summary(candidates, o.criterion)}
	for i := range candidates {
		c := &candidates[i]
		f.all, f.means, f.scvs = append(f.all, &c.Fitted), append(f.means, c.Dist.Mean()), append(f.scvs, c.Dist.SCV())
	}
	if o.criterion == fit.CV {
		f.own = []output.Column{{Key: "cross_validated", Name: "CV", Text: output.Decimals(5),
			Value: func(i int) any { return candidates[i].CrossValidated }}}
	}
	extra := func(key, name string, of func(q *fit.Queue) float64) output.Column {
		return output.Column{Key: key, Name: name, Extra: true, OnlyCSV: true, Text: output.Digits(3),
			Value: func(i int) any { return of(&candidates[i].Queue) }}
	}
	f.own = append(f.own,
		output.Column{Key: "anderson_darling", Value: func(i int) any {
			return output.When(candidates[i].Goodness.AD > 0, candidates[i].Goodness.AD)
		}},
		extra("m_ph_1", "M/PH/1", func(q *fit.Queue) float64 { return q.MPH1 }),
		extra("ph_m_1", "PH/M/1", func(q *fit.Queue) float64 { return q.PHM1 }),
		output.Column{Key: "queue", OnlyJSON: true, Value: func(i int) any {
			q := &candidates[i].Queue
			return output.Object{{Name: "load", Value: fit.QueueLoad}, {Name: "m_ph_1", Value: q.MPH1}, {Name: "ph_m_1", Value: q.PHM1}}
		}},
		output.Column{Key: "moments", OnlyJSON: true, Value: func(i int) any {
			return pairs("order", candidates[i].Goodness.Moments, func(m fit.MomentPair) (any, float64, float64) { return m.Order, m.Data, m.Fit })
		}},
		output.Column{Key: "tail", OnlyJSON: true, Value: func(i int) any {
			return pairs("value", candidates[i].Goodness.Tail, func(p fit.TailPoint) (any, float64, float64) { return p.Value, p.Data, p.Fit })
		}})
	for _, m := range candidates[0].Goodness.Moments {
		name := "mean [" + f.unit + "]"
		if m.Order > 1 {
			name = fmt.Sprintf("moment %d", m.Order)
		}
		f.beside = append(f.beside, comparison{name, m.Data, m.Fit})
	}
	for _, p := range candidates[0].Goodness.Tail {
		if p.Data > 0 {
			f.beside = append(f.beside, comparison{fmt.Sprintf("P(X > %s)", output.WithUnit(p.Value, f.unit)), p.Data, p.Fit})
		}
	}
	return f
}

// arrivals returns fitted arrival processes.
func arrivals(o *options, candidates []fit.ArrivalCandidate) *fits {
	f := &fits{unit: o.unit.Name, words: fmt.Sprintf("%d times between arrivals, in order", candidates[0].Samples)}
	for i := range candidates {
		c := &candidates[i]
		f.all, f.means, f.scvs = append(f.all, &c.Fitted), append(f.means, c.MAP.InterarrivalMoment(1)), append(f.scvs, c.MAP.SCV())
	}
	for k, l := range candidates[0].Lags {
		lag := output.Column{Key: fmt.Sprintf("lag_%d", l.Lag), OnlyCSV: true, Text: output.Decimals(4),
			Value: func(i int) any { return candidates[i].Lags[k].Fit }}
		if slices.Contains([]int{1, 2, 5, 10}, l.Lag) {
			lag.Name = fmt.Sprintf("lag %d", l.Lag)
			f.beside = append(f.beside, comparison{"correlation, " + lag.Name, l.Data, l.Fit})
		}
		f.own = append(f.own, lag)
	}
	f.own = append(f.own, output.Column{Key: "correlations", OnlyJSON: true, Value: func(i int) any {
		return pairs("lag", candidates[i].Lags, func(l fit.LagPair) (any, float64, float64) { return l.Lag, l.Data, l.Fit })
	}})
	return f
}

// pairs returns numbers of the data beside the numbers of the fit, for JSON; nil if there are none.
func pairs[T any](key string, all []T, of func(T) (at any, data, fit float64)) (rows []output.Object) {
	for _, one := range all {
		at, data, fit := of(one)
		rows = append(rows, output.Object{{Name: key, Value: at}, {Name: "data", Value: data}, {Name: "fit", Value: fit}})
	}
	return rows
}

// result returns the candidates, best first, and the best of them beside the data.
func (f *fits) result(inv *cli.Invocation, o *options, skipped map[string]int) *output.Result {
	best := f.all[0]
	r := &output.Result{Object: output.Object{{Name: "version", Value: output.Version},
		{Name: output.TimeUnit, Value: o.unit.Name}, {Name: "samples", Value: best.Samples}}}
	r.Add("zeros_dropped", output.When(best.Zeros > 0, best.Zeros))
	r.Add("skipped", output.When(len(skipped) > 0, output.Counts(skipped)))
	r.Add("criterion", string(o.criterion))
	column := func(key, name string, text func(any) string, of func(c *fit.Fitted) any) output.Column {
		return output.Column{Key: key, Name: name, Text: text, Value: func(i int) any { return of(f.all[i]) }}
	}
	json := func(key string, of func(c *fit.Fitted) any) output.Column {
		c := column(key, "", nil, of)
		c.OnlyJSON = true
		return c
	}
	columns := slices.Concat([]output.Column{
		column("family", "family", nil, func(c *fit.Fitted) any { return string(c.Family) }),
		column("phases", "phases", nil, func(c *fit.Fitted) any { return c.Phases }),
		{Key: "mean", Name: "mean [" + f.unit + "]", Value: func(i int) any { return f.means[i] }},
		{Key: "scv", Name: "SCV", Value: func(i int) any { return f.scvs[i] }},
		json("likelihood", func(c *fit.Fitted) any { return c.Likelihood }),
		column("log_likelihood", "log-likelihood", output.Decimals(1), func(c *fit.Fitted) any { return c.LogLikelihood }),
		column("mean_log_likelihood", "", nil, func(c *fit.Fitted) any { return c.MeanLogLikelihood }),
		json("degrees_of_freedom", func(c *fit.Fitted) any { return c.DegreesOfFreedom }),
		{Key: "aic", Name: "AIC", Extra: true, Text: output.Decimals(1), Value: func(i int) any { return f.all[i].AIC }},
		column("bic", "BIC", output.Decimals(1), func(c *fit.Fitted) any { return c.BIC }),
		column("ks", "KS", output.Decimals(4), func(c *fit.Fitted) any { return c.KS }),
		column("iterations", "", nil, func(c *fit.Fitted) any { return c.Iterations }),
		column("converged", "", nil, func(c *fit.Fitted) any { return c.Converged }),
	}, f.own, []output.Column{
		json("seconds", func(c *fit.Fitted) any { return c.Seconds }),
		json("warnings", func(c *fit.Fitted) any { return modelfile.Texts(c.Warnings, error.Error) }),
		column("", " ", nil, func(c *fit.Fitted) any { return map[bool]string{false: "not converged"}[c.Converged] }),
	})
	r.List(&output.List{Name: "results", Title: inv.Args[0] + ": " + f.words, Len: len(f.all), Columns: columns})
	r.Add("verdict", output.When(f.notes != nil, f.notes))
	r.List(f.besideData())
	r.Note("Best by %s: %s.", strings.ToUpper(string(o.criterion)), withPhases(best))
	r.Notes = append(r.Notes, f.notes...)
	return r
}

// withPhases names a fit.
func withPhases(c *fit.Fitted) string {
	return fmt.Sprintf("%s with %s", c.Family, output.Count(c.Phases, "phase"))
}

// besideData returns the table of the best candidate beside the data.
func (f *fits) besideData() *output.List {
	return &output.List{Title: withPhases(f.all[0]) + " beside the data", Len: len(f.beside), Form: output.NoCSV,
		Columns: []output.Column{
			{Name: " ", Value: func(i int) any { return f.beside[i].what }},
			{Name: "data", Value: func(i int) any { return f.beside[i].data }},
			{Name: "fit", Value: func(i int) any { return f.beside[i].fit }},
			{Name: "off", Number: true, Value: func(i int) any {
				off := fmt.Sprintf("%+.1f %%", 100*(f.beside[i].fit/f.beside[i].data-1))
				return cmp.Or(map[string]string{"-0.0 %": "0.0 %", "+0.0 %": "0.0 %"}[off], off) // the sign is that of rounding
			}},
		}}
}
