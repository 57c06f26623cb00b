package fitcmd

import (
	"cmp"
	"fmt"
	"github.com/partwise/partwise/models/words"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/fit"
)

// fits are candidates of either kind, best first.
type fits struct {
	unit   string // of the values, for people
	words  string // for the values, with their number
	all    []*fit.Fitted
	rows   []row
	own    []output.Column // of the kind
	beside []comparison    // the best candidate and the data
	notes  []string
}

// row is what results say first of a candidate of either kind.
type row struct {
	Family            string  `key:"family" head:"family"`
	Phases            int     `key:"phases" head:"phases"`
	Mean              float64 `key:"mean" head:"mean [unit]"`
	SCV               float64 `key:"scv" head:"SCV"`
	Likelihood        any     `key:"likelihood" form:"json"`
	LogLikelihood     float64 `key:"log_likelihood" head:"log-likelihood" form:"decimals=1"`
	MeanLogLikelihood float64 `key:"mean_log_likelihood"`
	DegreesOfFreedom  int     `key:"degrees_of_freedom" form:"json"`
	AIC               float64 `key:"aic" head:"AIC" form:"extra decimals=1"`
	BIC               float64 `key:"bic" head:"BIC" form:"decimals=1"`
	KS                float64 `key:"ks" head:"KS" form:"decimals=4"`
	Iterations        int     `key:"iterations"`
	Converged         bool    `key:"converged"`
}

// add takes the next candidate.
func (f *fits) add(c *fit.Fitted, mean, scv float64) {
	f.all = append(f.all, c)
	f.rows = append(f.rows, row{string(c.Family), c.Phases, mean, scv, c.Likelihood, c.LogLikelihood, c.MeanLogLikelihood,
		c.DegreesOfFreedom, c.AIC, c.BIC, c.KS, c.Iterations, c.Converged})
}

// comparison is a number of the data beside the same number of the best candidate.
type comparison struct {
	What string  `head:" "`
	Data float64 `head:"data"`
	Fit  float64 `head:"fit"`
	Off  string  `head:"off" form:"number"`
}

func newComparison(what string, data, fit float64) comparison {
	off := fmt.Sprintf("%+.1f %%", 100*(fit/data-1))
	off = cmp.Or(map[string]string{"-0.0 %": "0.0 %", "+0.0 %": "0.0 %"}[off], off) // the sign is that of rounding
	return comparison{what, data, fit, off}
}

// distributions returns fitted distributions.
func distributions(o *options, candidates []fit.Candidate) *fits {
	f := &fits{unit: o.unitOfValues(), words: words.Count(candidates[0].Samples, "value"), notes: fit.Summary(candidates, o.criterion)}
	type own struct {
		AndersonDarling float64         `key:"anderson_darling" form:"omitzero"`
		MPH1            float64         `key:"m_ph_1" head:"M/PH/1" form:"extra csv digits=3"`
		PHM1            float64         `key:"ph_m_1" head:"PH/M/1" form:"extra csv digits=3"`
		Queue           output.Object   `key:"queue" form:"json"`
		Moments         []output.Object `key:"moments" form:"json"`
		Tail            []output.Object `key:"tail" form:"json"`
	}
	var rows []own
	for i := range candidates {
		c := &candidates[i]
		f.add(&c.Fitted, c.Dist.Mean(), c.Dist.SCV())
		rows = append(rows, own{c.Goodness.AD, c.Queue.MPH1, c.Queue.PHM1,
			output.Pairs("load", fit.QueueLoad, "m_ph_1", c.Queue.MPH1, "ph_m_1", c.Queue.PHM1),
			pairs("order", c.Goodness.Moments), pairs("value", c.Goodness.Tail)})
	}
	f.own = output.ColumnsOf(rows, "")
	for _, m := range candidates[0].Goodness.Moments {
		name := "mean [" + f.unit + "]"
		if m.At > 1 {
			name = fmt.Sprintf("moment %g", m.At)
		}
		f.beside = append(f.beside, newComparison(name, m.Data, m.Fit))
	}
	for _, p := range candidates[0].Goodness.Tail {
		if p.Data > 0 {
			f.beside = append(f.beside, newComparison(fmt.Sprintf("P(X > %s)", output.WithUnit(p.At, f.unit)), p.Data, p.Fit))
		}
	}
	return f
}

// pairs returns numbers of the data and the fit as objects; at is what they belong to.
func pairs(at string, all []fit.Pair) []output.Object {
	return output.RowsOf(all, func(p fit.Pair) output.Object { return output.Pairs(at, p.At, "data", p.Data, "fit", p.Fit) })
}

// arrivals returns fitted arrival processes.
func arrivals(o *options, candidates []fit.ArrivalCandidate) *fits {
	f := &fits{unit: o.unit.Name, words: fmt.Sprintf("%d times between arrivals, in order", candidates[0].Samples)}
	for i := range candidates {
		c := &candidates[i]
		f.add(&c.Fitted, c.MAP.InterarrivalMoment(1), c.MAP.SCV())
	}
	for k, l := range candidates[0].Lags {
		lag := output.Column{Key: fmt.Sprintf("lag_%g", l.At), OnlyCSV: true, Text: output.Decimals(4),
			Value: func(i int) any { return candidates[i].Lags[k].Fit }}
		if slices.Contains([]float64{1, 2, 5, 10}, l.At) {
			lag.Name = fmt.Sprintf("lag %g", l.At)
			f.beside = append(f.beside, newComparison("correlation, "+lag.Name, l.Data, l.Fit))
		}
		f.own = append(f.own, lag)
	}
	f.own = append(f.own, output.Column{Key: "correlations", OnlyJSON: true, Value: func(i int) any { return pairs("lag", candidates[i].Lags) }})
	return f
}

// result returns the candidates, best first, and the best of them beside the data.
func (f *fits) result(inv *cli.Invocation, o *options, skipped map[string]int) *output.Result {
	best := f.all[0]
	r := &output.Result{Object: output.Pairs("version", output.Version, output.TimeUnit, o.unit.Name, "samples", best.Samples,
		"zeros_dropped", output.Positive(best.Zeros), "skipped", output.When(len(skipped) > 0, output.Counts(skipped)),
		"criterion", string(o.criterion))}
	type end struct {
		Seconds  float64  `key:"seconds" form:"json"`
		Warnings []string `key:"warnings" form:"json"`
		Failure  string   `head:" "`
	}
	ends := output.RowsOf(f.all, func(c *fit.Fitted) end {
		return end{c.Seconds, words.Texts(c.Warnings, error.Error), map[bool]string{false: "not converged"}[c.Converged]}
	})
	r.List(&output.List{Name: "results", Title: inv.Args[0] + ": " + f.words, Len: len(f.all),
		Columns: slices.Concat(output.ColumnsOf(f.rows, f.unit), f.own, output.ColumnsOf(ends, ""))})
	r.Add("verdict", output.When(f.notes != nil, f.notes))
	r.List(output.ListOf("", withPhases(best)+" beside the data", output.NoCSV, f.beside, ""))
	r.Note("Best by %s: %s.", strings.ToUpper(string(o.criterion)), withPhases(best))
	r.Notes = append(r.Notes, f.notes...)
	return r
}

// withPhases names a fit.
func withPhases(c *fit.Fitted) string {
	return fmt.Sprintf("%s with %s", c.Family, words.Count(c.Phases, "phase"))
}
