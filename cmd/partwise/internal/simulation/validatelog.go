package simulation

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/quantity"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/experiment/assumptions"
	"github.com/partwise/partwise/validate/experiment/logmodel"
)

// logReport is what a log says of a model, and why.
type logReport struct {
	assumptions.Report
	unit string
}

// logDraws is the number of logs that are drawn for each assumption.
const logDraws = 4

// explainLog replays the log with the assumptions of the chain, for dynamic partitioning and the static policies that are
// stable.
func explainLog(inv *cli.Invocation, file *modelfile.Model, given validate.Options, policies []policy.Policy,
	decision *decide.Decision) (*logReport, error) {
	var compared []policy.Policy
	var predicted []float64
	for _, p := range policies {
		switch p.(type) {
		case policy.Dynamic, policy.Static:
			compared = append(compared, p)
			predicted = append(predicted, decision.Of(p).Measures.MeanResponseTime)
		}
	}
	if len(compared) == 0 {
		return nil, nil
	}
	c := &assumptions.Case{System: file.System, Jobs: given.Replay, Hour: quantity.Second.Convert(3600, file.TimeUnit)}
	const steps = 1000
	step, clear := inv.Progress(steps, "replaying logs")
	defer clear()
	r, err := assumptions.Explain(inv.Context, c, compared, predicted, assumptions.Options{Draws: logDraws, Seed: given.Seed,
		Workers: inv.Workers, Structures: logmodel.Candidates, Progress: func(done, of int) { step(steps * done / of) }})
	return &logReport{r, file.TimeUnit.Name}, err
}

// verdict is the error that the log decides otherwise than the model.
func (l *logReport) verdict() error {
	if l == nil || l.Agrees() {
		return nil
	}
	return cli.Failf(cli.ExitFailed, "the log decides otherwise: %s by the model, %s by the log", l.words(&l.Predicted),
		l.words(&l.Replayed))
}

// words says what a forecast decides.
func (l *logReport) words(f *assumptions.Forecast) string {
	best := l.Policies[f.Best]
	if decide.Negligible(f.Ratio) {
		return fmt.Sprintf("no practical difference between dynamic and %v", best)
	}
	if f.Ratio > 1 {
		return fmt.Sprintf("dynamic, then %v", best)
	}
	return fmt.Sprintf("%v", best)
}

// addTo adds the report to a result.
func (l *logReport) addTo(r *cli.Result) {
	if l == nil {
		return
	}
	r.JSON.Add("log", l.object())
	r.Tables = append(r.Tables, l.forecasts(), l.effects())
	r.Notes = append(r.Notes, l.sentences()...)
}

// named are the forecasts that there are, with their names.
func (l *logReport) named() (names []string, all []*assumptions.Forecast) {
	names, all = []string{"model"}, []*assumptions.Forecast{&l.Predicted}
	if l.Simulated != nil {
		names, all = append(names, "like the log"), append(all, l.Simulated)
	}
	return append(names, "log"), append(all, &l.Replayed)
}

// forecasts lays out the mean response times side by side.
func (l *logReport) forecasts() output.Table {
	t := output.Table{Title: "Mean response times [" + l.unit + "] by the model, of logs drawn like the log, and of the log",
		Columns: []output.Column{{Name: "policy"}}}
	names, all := l.named()
	for _, name := range names {
		t.Columns = append(t.Columns, output.Column{Name: name, Number: true})
	}
	for i, p := range l.Policies {
		row := []string{p.String()}
		for _, f := range all {
			row = append(row, output.Round(f.Means[i], 4))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// effects lays out what the assumptions do.
func (l *logReport) effects() output.Table {
	t := output.Table{Title: "What the assumptions of the model do to mean response times",
		Columns: []output.Column{{Name: "replayed"}, {Name: "against"}}}
	for _, p := range l.Policies {
		t.Columns = append(t.Columns, output.Column{Name: p.String(), Number: true})
	}
	for _, e := range l.Because {
		row := []string{e.Assumption.Doc, against(e.Assumption)}
		for _, f := range e.Factors {
			row = append(row, "×"+output.Round(f, 3))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// against names what an assumption is compared with.
func against(a assumptions.Assumption) string {
	switch a.Base {
	case "":
		return "the log"
	case assumptions.Chain:
		return "the model"
	}
	return "both in random order"
}

// object is the report in JSON.
func (l *logReport) object() output.Object {
	var o output.Object
	var results []output.Object
	names, all := l.named()
	keys := map[string]string{"model": "predicted", "like the log": "simulated", "log": "replayed"}
	for i, p := range l.Policies {
		row := model.PolicyObject(p)
		for k, name := range names {
			row.Add(keys[name], all[k].Means[i])
		}
		results = append(results, row)
	}
	o.Add("policies", results)
	if l.HasDecision() {
		o.Add("decision", l.decision())
	}
	var because []output.Object
	for _, e := range l.Because {
		var factors []output.Object
		for i, p := range l.Policies {
			row := model.PolicyObject(p)
			row.Add("factor", e.Factors[i])
			factors = append(factors, row)
		}
		because = append(because, output.Object{{Name: "assumption", Value: e.Assumption.Name},
			{Name: "replayed", Value: e.Assumption.Doc}, {Name: "against", Value: against(e.Assumption)},
			{Name: "effect", Value: factors}})
	}
	o.Add("because", because)
	return o
}

// decision compares the decisions.
func (l *logReport) decision() output.Object {
	var o output.Object
	for _, f := range []struct {
		name string
		*assumptions.Forecast
	}{{"predicted", &l.Predicted}, {"replayed", &l.Replayed}} {
		winner := "static"
		if f.Ratio > 1 {
			winner = "dynamic"
		}
		o.Add(f.name, winner)
		o.Add("ratio_"+f.name, f.Ratio)
		o.Add("best_partitions_"+f.name, l.Policies[f.Best].(policy.Static).Partitions)
	}
	o.Add("agrees", l.Agrees())
	return o
}

// sentences say whether model and log decide the same, how far apart they are, and what does most about it.
func (l *logReport) sentences() []string {
	var out []string
	p, c := &l.Predicted, &l.Replayed
	switch {
	case !l.HasDecision():
	case l.Agrees():
		out = append(out, fmt.Sprintf("Model and log decide the same: %s (ratio %s by the model, %s by the log).", l.words(c),
			output.Round(p.Ratio, 3), output.Round(c.Ratio, 3)))
	default:
		out = append(out, fmt.Sprintf("Model and log decide DIFFERENTLY: %s by the model (ratio %s), %s by the log (ratio %s).",
			l.words(p), output.Round(p.Ratio, 3), l.words(c), output.Round(c.Ratio, 3)))
	}
	for i, policy := range l.Policies {
		if away := p.Means[i] / c.Means[i]; math.Abs(away-1) > assumptions.LevelAway {
			out = append(out, fmt.Sprintf("%v: the model says %s %s, the log %s: do not rely on its absolute times.", policy,
				output.Round(p.Means[i], 4), l.unit, output.Round(c.Means[i], 4)))
		}
	}
	if l.Simulated == nil {
		return append(out, "The log is too short to fit a model of logs like it.")
	}
	return append(out, fmt.Sprintf("Logs like the log: %v, the structure that predicted the halves of the log best.",
		l.Structure))
}
