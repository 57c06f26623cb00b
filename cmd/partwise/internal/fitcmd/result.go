package fitcmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/phasetype"
)

// fits are candidates of either kind, best first.
type fits struct {
	unit   string // of the values, for people
	words  string // for the values, with their number
	all    []*fit.Fitted
	rows   []output.Row
	beside []comparison // the best candidate and the data
	notes  []string

	dist    phasetype.Dist // the best distribution, or the zero value
	process phasetype.MAP  // the best process, or the zero value
}

// add adds a candidate, the next in the order of the criterion: the cells that all candidates have, then cells of its kind.
func (f *fits) add(c *fit.Fitted, mean, scv float64, own ...output.Cell) {
	penalized := func(key, head string) output.Column { return output.Col(key, head).Decimals(1) }
	failure := ""
	if !c.Converged {
		failure = "not converged"
	}
	row := output.Row{output.Col("family", "family").Is(string(c.Family)), output.Col("phases", "phases").Is(c.Phases),
		output.Col("mean", "mean").Time().Is(mean), output.Col("scv", "SCV").Is(scv), output.InJSON("likelihood", c.Likelihood),
		penalized("log_likelihood", "log-likelihood").Is(c.LogLikelihood), output.Data("mean_log_likelihood", c.MeanLogLikelihood),
		output.InJSON("degrees_of_freedom", c.DegreesOfFreedom), penalized("aic", "AIC").Aside().Is(c.AIC),
		penalized("bic", "BIC").Is(c.BIC),
		output.Col("ks", "KS").Decimals(4).Is(c.KS), output.Data("iterations", c.Iterations), output.Data("converged", c.Converged)}
	f.all = append(f.all, c)
	f.rows = append(f.rows, append(append(row, own...), output.InJSON("seconds", c.Seconds),
		output.InJSON("warnings", words.Texts(c.Warnings, error.Error)), output.InTable(" ").Is(failure)))
}

// comparison is a number of the data beside the same number of the best candidate.
type comparison struct {
	What      string
	Data, Fit float64
	Off       string
}

// newComparison returns a number of the data beside the number of the fit, with the difference in per cent of the data.
func newComparison(what string, data, fit float64) comparison {
	off := fmt.Sprintf("%+.1f %%", 100*(fit/data-1))
	if off == "-0.0 %" || off == "+0.0 %" { // the sign comes from rounding
		off = "0.0 %"
	}
	return comparison{what, data, fit, off}
}

// countOf says how many values there are, and how many observations they count if their weights are counts.
func countOf(c *fit.Fitted) string {
	count := words.Count(c.Samples, "value")
	if isWeighted(c) {
		count += ", whose weights count " + words.Count(int64(c.Observations), "observation")
	}
	return count
}

// isWeighted reports whether the weights of the values count observations, more or fewer than there are values.
func isWeighted(c *fit.Fitted) bool { return c.Observations != float64(c.Samples) }

// distributions returns the rows of fitted distributions, and the best of them beside moments and tails of the data.
func distributions(o *options, candidates []fit.Candidate) *fits {
	f := &fits{unit: o.unitOfValues(), words: countOf(&candidates[0].Fitted), notes: fit.Summary(candidates, o.criterion),
		dist: candidates[0].Dist}
	queue := func(key, head string) output.Column { return output.Col(key, head).Digits(3).Aside().CSV() }
	for i := range candidates {
		c := &candidates[i]
		f.add(&c.Fitted, c.Dist.Mean(), c.Dist.SCV(), output.Data("anderson_darling", output.NonZero(c.Goodness.AD)),
			queue("m_ph_1", "M/PH/1").Is(c.Queue.MPH1), queue("ph_m_1", "PH/M/1").Is(c.Queue.PHM1),
			output.InJSON("queue", output.Pairs("load", fit.QueueLoad, "m_ph_1", c.Queue.MPH1, "ph_m_1", c.Queue.PHM1)),
			output.InJSON("moments", pairs("order", c.Goodness.Moments)), output.InJSON("tail", pairs("value", c.Goodness.Tail)))
	}
	for _, m := range candidates[0].Goodness.Moments {
		name := "mean [" + f.unit + "]"
		if m.At > 1 {
			name = fmt.Sprintf("moment %g", m.At)
		}
		f.beside = append(f.beside, newComparison(name, m.Data, m.Fit))
	}
	for _, p := range candidates[0].Goodness.Tail {
		if p.Data > 0 {
			f.beside = append(f.beside, newComparison(fmt.Sprintf("P(X > %s)", words.WithUnit(p.At, f.unit)), p.Data, p.Fit))
		}
	}
	return f
}

// pairs returns numbers of the data and the fit as objects; at is what they belong to.
func pairs(at string, all []fit.Pair) []output.Object {
	return output.RowsOf(all, func(p fit.Pair) output.Object { return output.Pairs(at, p.At, "data", p.Data, "fit", p.Fit) })
}

// arrivals returns the rows of fitted arrival processes, and the best of them beside the correlations of the data.
func arrivals(o *options, candidates []fit.ArrivalCandidate) *fits {
	f := &fits{unit: o.unit.Name, words: words.Count(candidates[0].Samples, "time") + " between arrivals, in order",
		process: candidates[0].MAP}
	shown := func(lag float64) bool { return slices.Contains([]float64{1, 2, 5, 10}, lag) }
	for i := range candidates {
		c := &candidates[i]
		var own output.Row
		for _, l := range c.Lags {
			column := output.Col(fmt.Sprintf("lag_%g", l.At), "").Decimals(4).CSV()
			if shown(l.At) {
				column = column.Headed(fmt.Sprintf("lag %g", l.At))
			}
			own = append(own, column.Is(l.Fit))
		}
		own = append(own, output.InJSON("correlations", pairs("lag", c.Lags)))
		f.add(&c.Fitted, c.MAP.InterarrivalMoment(1), c.MAP.SCV(), own...)
	}
	for _, l := range candidates[0].Lags {
		if shown(l.At) {
			f.beside = append(f.beside, newComparison(fmt.Sprintf("correlation, lag %g", l.At), l.Data, l.Fit))
		}
	}
	return f
}

// result returns the candidates, best first, and the best of them beside the data.
func (f *fits) result(inv *cli.Invocation, o *options, skipped map[string]int) *output.Result {
	best := f.all[0]
	r := &output.Result{Object: output.Pairs("version", output.Version, output.TimeUnit, o.unit.Name, "samples", best.Samples,
		"observations", output.When(isWeighted(best), best.Observations), "zeros_dropped", output.Positive(best.Zeros), "skipped",
		output.When(len(skipped) > 0, output.Counts(skipped)), "criterion", string(o.criterion))}
	r.List(output.ListOfRows("results", inv.Args[0]+": "+f.words, output.Wide, f.rows).In(f.unit))
	r.Add("verdict", output.When(f.notes != nil, f.notes))
	r.List(output.NewTable(withPhases(best)+" beside the data", f.beside, func(c *comparison) output.Row {
		return output.Row{output.InTable(" ").Is(c.What), output.InTable("data").Is(c.Data), output.InTable("fit").Is(c.Fit),
			output.InTable("off").Right().Is(c.Off)}
	}))
	r.Note("Best by %s: %s.", strings.ToUpper(string(o.criterion)), withPhases(best))
	r.Notes = append(r.Notes, f.notes...)
	if o.takesSpeedup() && o.columns.Speedup == nil {
		r.Assumed = []output.Assumption{{Name: "speedup", Value: "linear", Flag: "--speedup amdahl:0.01"}}
	}
	return r
}

// withPhases names a fit.
func withPhases(c *fit.Fitted) string {
	return fmt.Sprintf("%s with %s", c.Family, words.Count(c.Phases, "phase"))
}
