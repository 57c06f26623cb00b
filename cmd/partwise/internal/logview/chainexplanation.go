package logview

import (
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate"
)

// Explanation is what a log says of a model, and why.
type Explanation struct {
	validate.LogReport
	Unit string // of times
}

// levelAway is the relative difference of mean response times above which a sentence is due.
const levelAway = 0.25

// wins says which partitioning a forecast is for.
func wins(f *validate.LogForecast) string {
	if decide.Negligible(f.Ratio) {
		return "dynamic and static partitioning are practically the same"
	}
	return Winner(f.Ratio) + " partitioning wins"
}

// Winner returns which partitioning wins, by the response time under the best static split over the response time under dynamic
// partitioning.
func Winner(ratio float64) string {
	if ratio > 1 {
		return "dynamic"
	}
	return "static"
}

// Difference says which partitioning wins by the chain and by the log.
func (l *Explanation) Difference() string {
	return fmt.Sprintf("%s by the chain, %s by the log", wins(&l.Predicted), wins(&l.Replayed))
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

// Forecasts returns the mean response times side by side.
func (l *Explanation) Forecasts() *output.List {
	replayed, of := &l.Replayed, ""
	if l.Unbounded != nil {
		replayed, of = l.Unbounded, ", of the log with jobs on no more nodes than those of the model"
	}
	rows := make([]output.Row, len(l.Policies))
	for i, p := range l.Policies {
		rows[i] = append(output.Policy(p), output.Col("predicted", "model").Is(l.Predicted.Means[i]),
			output.Col("replayed_within_max_nodes", "log, bounded").If(l.Unbounded != nil, l.Replayed.Means[i]),
			output.Col("replayed", "log").Is(replayed.Means[i]))
	}
	shown := []output.Column{output.InTable("policy"), output.Col("predicted", "model"), output.Col("replayed", "log")}
	if l.Unbounded != nil {
		shown = slices.Insert(shown, 2, output.Col("replayed_within_max_nodes", "log, bounded"))
	}
	title := "Mean response times [" + l.Unit + "] by the model" + of + ", and of the log"
	return output.TableOfRows(title, rows).Show(shown...)
}

// Effects returns what the assumptions do.
func (l *Explanation) Effects() *output.List {
	title := "What the assumptions of the model do to mean response times"
	return output.NewTable(title, l.Because, func(e *validate.LogEffect) output.Row {
		var effects []output.Object
		var factors output.Row
		for k, p := range l.Policies {
			effects = append(effects, append(output.PolicyObject(p), output.Pairs("factor", e.Factors[k])...))
			factors = append(factors, output.InTable(p.String()).Factors().Is(e.Factors[k]))
		}
		row := output.Row{
			output.Data("assumption", e.Assumption.Name), output.Col("replayed", "replayed").Is(e.Assumption.Doc),
			output.Col("against", "against").Is(l.against(e.Assumption)), output.Data("effect", effects),
		}
		return append(row, factors...)
	})
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
		o = append(o, output.Pairs(name, Winner(f.Ratio), "ratio_"+name, f.Ratio, "best_partitions_"+name, l.partitions(f))...)
	}
	o.Add("agrees", l.Agrees())
	return o
}

// agreement says whether the chain and the log agree; "" where there is nothing to decide.
func (l *Explanation) agreement() string {
	if !l.HasDecision() {
		return ""
	}
	verdict := "agree: " + wins(&l.Replayed)
	if !l.Agrees() {
		verdict = "DIFFER: " + l.Difference()
	}
	return fmt.Sprintf("The chain and the log %s; %s (ratio %s by the chain, %s by the log).", verdict, l.split(),
		words.Round(l.Predicted.Ratio, 3), words.Round(l.Replayed.Ratio, 3))
}

// away says how far apart the times of the i-th policy are by the chain and by the log; "" if they are close.
func (l *Explanation) away(i int) string {
	p, c := l.Predicted.Means[i], l.Replayed.Means[i]
	if math.Abs(p/c-1) <= levelAway {
		return ""
	}
	return fmt.Sprintf("%v takes %s %s by the chain and %s by the log: do not rely on its absolute times.",
		l.Policies[i], words.Round(p, 4), l.Unit, words.Round(c, 4))
}

// Sentences say whether the chain and the log agree, and how far apart they are.
func (l *Explanation) Sentences() []string {
	all := []string{l.agreement()}
	for i := range l.Policies {
		all = append(all, l.away(i))
	}
	return words.NonEmpty(all...)
}
