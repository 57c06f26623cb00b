package validatecmd

import (
	"fmt"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/words"
	"math"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate"
)

// Explanation is what a log says of a model, and why. A nil Explanation says nothing.
type Explanation struct {
	validate.LogReport
	unit string
}

// levelAway is the relative difference of mean response times above which a sentence is due.
const levelAway = 0.25

// logDraws is the number of logs that are drawn for each assumption.
const logDraws = 4

// explainLog replays the log with the assumptions of the chain, for dynamic partitioning and the static policies that are
// stable.
func explainLog(inv *cli.Invocation, file *modelfile.Model, given validate.Options, policies []policy.Policy,
	decision *decide.Decision) (*Explanation, error) {
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
	const steps = 1000
	step, clear := inv.Progress(steps, "replaying logs")
	defer clear()
	c := &validate.LogComparison{System: file.System, Jobs: given.Replay, Costs: given.Costs,
		Hour: measure.Second().Convert(3600, file.TimeUnit), Draws: logDraws, Seed: given.Seed, Workers: inv.Workers,
		Progress: func(done, of int) { step(steps * done / of) }}
	r, err := c.Explain(inv.Context, compared, predicted)
	return &Explanation{r, file.TimeUnit.Name}, err
}

// Verdict is the error that the log decides otherwise than the model.
func (l *Explanation) Verdict() error {
	if l == nil || l.Agrees() {
		return nil
	}
	return fault.Failf(fault.ExitFailed, "the chain and the log differ: %s by the chain, %s by the log", wins(&l.Predicted),
		wins(&l.Replayed))
}

// wins says which partitioning a forecast is for.
func wins(f *validate.LogForecast) string {
	switch {
	case decide.Negligible(f.Ratio):
		return "dynamic and static partitioning are practically the same"
	case f.Ratio > 1:
		return "dynamic partitioning wins"
	}
	return "static partitioning wins"
}

// split says how many partitions the best static split has by the chain and by the log.
func (l *Explanation) split() string {
	p, c := l.partitions(&l.Predicted), l.partitions(&l.Replayed)
	if p == c {
		return fmt.Sprintf("the best static split has %s in both", words.Count(p, "partition"))
	}
	return fmt.Sprintf("the best static split has %s by the chain and %d by the log", words.Count(p, "partition"), c)
}

// partitions returns the partitions of the best static policy.
func (l *Explanation) partitions(f *validate.LogForecast) int {
	return l.Policies[f.Best].(policy.Static).Partitions
}

// addTo adds the report to a result.
func (l *Explanation) addTo(r *output.Result) {
	if l == nil {
		return
	}
	r.Add("log", output.Pairs("policies", l.Forecasts(), "decision", output.When(l.HasDecision(), l.Decision()), "because", l.Effects()))
	r.Notes = append(r.Notes, l.sentences()...)
}

// Forecasts returns the mean response times side by side.
func (l *Explanation) Forecasts() *output.List {
	columns := output.ColumnsOf(output.RowsOf(l.Policies, input.Written), "")
	add := func(key, name string, f *validate.LogForecast) {
		columns = append(columns, output.Column{Key: key, Name: name, Value: func(i int) any { return f.Means[i] }})
	}
	add("predicted", "model", &l.Predicted)
	of := ""
	if l.Unbounded != nil {
		add("replayed_within_max_nodes", "log, bounded", &l.Replayed)
		add("replayed", "log", l.Unbounded)
		of = ", of the log with jobs on no more nodes than those of the model"
	} else {
		add("replayed", "log", &l.Replayed)
	}
	return &output.List{Len: len(l.Policies), Form: output.NoCSV, Columns: columns,
		Title: "Mean response times [" + l.unit + "] by the model" + of + ", and of the log"}
}

// Effects returns what the assumptions do.
func (l *Explanation) Effects() *output.List {
	type row struct {
		Assumption string          `key:"assumption"`
		Replayed   string          `key:"replayed" head:"replayed"`
		Against    string          `key:"against" head:"against"`
		Effect     []output.Object `key:"effect"`
	}
	var rows []row
	for _, b := range l.Because {
		r := row{b.Assumption.Name, b.Assumption.Doc, l.against(b.Assumption), nil}
		for k, p := range l.Policies {
			r.Effect = append(r.Effect, append(input.PolicyObject(p), output.Pairs("factor", b.Factors[k])...))
		}
		rows = append(rows, r)
	}
	columns := output.ColumnsOf(rows, "")
	for k, p := range l.Policies {
		columns = append(columns, output.Column{Name: p.String(), Value: func(i int) any { return l.Because[i].Factors[k] },
			Text: func(v any) string { return "×" + output.Digits(3)(v) }})
	}
	return &output.List{Len: len(l.Because), Form: output.NoCSV, Columns: columns,
		Title: "What the assumptions of the model do to mean response times"}
}

// against names what an assumption is compared with.
func (l *Explanation) against(a validate.LogAssumption) string {
	switch {
	case a.Base == "" && l.Unbounded != nil:
		return "the log, bounded"
	case a.Base == "":
		return "the log"
	case a.Base == validate.ChainBase:
		return "the model"
	}
	return "both in random order"
}

// Decision compares the decisions; it is empty where there is nothing to decide.
func (l *Explanation) Decision() (o output.Object) {
	if !l.HasDecision() {
		return nil
	}
	for i, f := range []*validate.LogForecast{&l.Predicted, &l.Replayed} {
		name := []string{"predicted", "replayed"}[i]
		o = append(o, output.Pairs(name, map[bool]string{true: "dynamic", false: "static"}[f.Ratio > 1], "ratio_"+name, f.Ratio,
			"best_partitions_"+name, l.partitions(f))...)
	}
	o.Add("agrees", l.Agrees())
	return o
}

// agreement says whether the chain and the log agree; "" where there is nothing to decide.
func (l *Explanation) agreement() string {
	if !l.HasDecision() {
		return ""
	}
	p, c := &l.Predicted, &l.Replayed
	verdict := "agree: " + wins(c)
	if !l.Agrees() {
		verdict = fmt.Sprintf("DIFFER: %s by the chain, %s by the log", wins(p), wins(c))
	}
	return fmt.Sprintf("The chain and the log %s; %s (ratio %s by the chain, %s by the log).", verdict, l.split(),
		output.Round(p.Ratio, 3), output.Round(c.Ratio, 3))
}

// away says how far apart the times of a policy are by the chain and by the log; "" if they are close, or if the policy was not
// replayed.
func (l *Explanation) away(of policy.Policy) string {
	i := slices.Index(l.Policies, of)
	if i < 0 {
		return ""
	}
	p, c := l.Predicted.Means[i], l.Replayed.Means[i]
	if math.Abs(p/c-1) <= levelAway {
		return ""
	}
	return fmt.Sprintf("%v takes %s %s by the chain and %s by the log: do not rely on its absolute times.", of, output.Round(p, 4),
		l.unit, output.Round(c, 4))
}

// sentences say whether the chain and the log agree, and how far apart they are.
func (l *Explanation) sentences() []string {
	out := []string{l.agreement()}
	for _, p := range l.Policies {
		out = append(out, l.away(p))
	}
	return slices.DeleteFunc(out, func(text string) bool { return text == "" })
}
