package advisecmd

import (
	"fmt"
	"math"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/estimate"
	"github.com/partwise/partwise/validate/experiment/advise"
)

// newResult lays out an advice.
func newResult(q *question, o *options, a *advise.Advice, bound *advise.Bound) *cli.Result {
	r := &cli.Result{JSON: q.heading, Assumed: q.assumed}
	r.JSON.Add("objective", string(o.objective))
	r.JSON.Add("results", resultObjects(a, o.objective.Measure().Name))
	r.JSON.Add("advised", ruleObject(a.Rule))
	if a.Selection.Sure {
		r.JSON.Add("probability_correct_selection", o.probability)
	}
	r.JSON.Add("seconds", q.watch.Seconds())
	r.JSON.Add("steps", stepObjects(a.Rule, q.Machine))
	r.JSON.Add("flat", flatObjects(a))
	r.JSON.Add("selection", selectionObject(o, a))
	r.CSV = [][]string{{"policy", "partitions", "measure", "value", "low", "high", "blocks", "left"}}
	for _, e := range a.Selection.Candidates {
		r.CSV = append(r.CSV, append(model.PolicyCells(e.Policy), o.objective.Measure().Name, output.Shortest(e.Value), "", "",
			fmt.Sprint(e.Blocks), fmt.Sprint(e.Left)))
	}
	r.Tables = []output.Table{valueTable(q, o, a), stepTable(a.Rule, q.Machine), flatTable(q, a)}
	r.Notes = notes(q, o, a)
	if bound != nil {
		addBound(r, q, bound)
	}
	return r
}

// addBound adds how far policies are from the best there is.
func addBound(r *cli.Result, q *question, bound *advise.Bound) {
	t := output.Table{Title: fmt.Sprintf("Where all jobs stop, no policy is below %s %s", output.Round(bound.Lower, 5), q.unit.Name),
		Columns: []output.Column{{Name: "policy"}, {Name: fmt.Sprintf("mean response [%s]", q.unit.Name), Number: true},
			{Name: "above that", Number: true}}}
	best := "the best"
	if bound.Aggregated {
		best = "best for exponential times"
	}
	t.Rows = append(t.Rows, []string{best, output.Round(bound.MeanResponseTime, 5), ""})
	object := output.Object{{Name: "lower", Value: bound.Lower}, {Name: "mean_response_time", Value: bound.MeanResponseTime},
		{Name: "method", Value: boundMethod(bound)}, {Name: "states", Value: bound.States}}
	if len(bound.Gaps) > 0 && bound.Gaps[0].Err == nil { // of the rule
		object.Add("gap", bound.Gaps[0].Gap)
	}
	var gaps []output.Object
	for _, g := range bound.Gaps {
		if g.Err != nil {
			continue // it cannot keep up, or has no chain
		}
		t.Rows = append(t.Rows, []string{g.Policy.String(), output.Round(g.MeanResponseTime, 5), percent(g.Gap, 3)})
		v := model.PolicyObject(g.Policy)
		v.Add("mean_response_time", g.MeanResponseTime)
		v.Add("gap", g.Gap)
		gaps = append(gaps, v)
	}
	object.Add("gaps", gaps)
	r.JSON.Add("bound", object)
	r.Tables = append(r.Tables, t)
}

// boundMethod says how the best policy was found.
func boundMethod(bound *advise.Bound) string {
	if bound.Aggregated {
		return "policy iteration, aggregated"
	}
	return "policy iteration"
}

func interval(i estimate.Interval) output.Object {
	v := output.Object{{Name: "mean", Value: i.Mean}}
	if output.Finite(i.HalfWidth) {
		v = append(v, output.Object{{Name: "low", Value: i.Low}, {Name: "high", Value: i.High},
			{Name: "half_width", Value: i.HalfWidth}}...)
	}
	return v
}

// resultObjects are the rule, with its gain over the others, and the others.
func resultObjects(a *advise.Advice, measure string) []output.Object {
	rule := ruleObject(a.Rule)
	rule.Add(measure, interval(a.Value))
	all := []output.Object{nil}
	var gains output.Object
	for _, g := range a.Gains {
		gains.Add(g.Over.Name(), interval(g.Share))
		v := model.PolicyObject(g.Over)
		v.Add(measure, interval(g.Value))
		all = append(all, v)
	}
	rule.Add("gain_over", gains)
	all[0] = rule
	return all
}

// ruleObject is a rule and its parameters, as numbers.
func ruleObject(r policy.Resize) output.Object {
	var parameters output.Object
	for name, value := range r.Parameters() {
		parameters.Add(name, value)
	}
	if r.Departures {
		parameters.Add("on", "departures")
	}
	v := model.PolicyObject(r)
	v.Add("parameters", parameters)
	return v
}

func stepObjects(r policy.Resize, m policy.Machine) []output.Object {
	var all []output.Object
	for _, s := range advise.Steps(r, m) {
		v := output.Object{{Name: "jobs", Value: s.Jobs}, {Name: "shares", Value: s.Shares},
			{Name: "least_nodes", Value: s.Least}, {Name: "most_nodes", Value: s.Most}, {Name: "waiting", Value: s.Waiting}}
		if s.More > 0 {
			v.Add("divide_from", s.More)
		}
		if s.Fewer > 0 {
			v.Add("divide_down_from", s.Fewer)
		}
		all = append(all, v)
	}
	return all
}

func flatObjects(a *advise.Advice) []output.Object {
	var all []output.Object
	for _, f := range a.Flat {
		v := output.Object{{Name: "parameter", Value: f.Name}, {Name: "values", Value: f.Values}}
		var worse []output.Object
		for _, w := range f.Worse {
			worse = append(worse, interval(w))
		}
		v.Add("worse", worse)
		all = append(all, v)
	}
	return all
}

func selectionObject(o *options, a *advise.Advice) output.Object {
	s := a.Selection
	v := output.Object{{Name: "best", Value: s.Best.String()}, {Name: "candidates", Value: len(s.Candidates)},
		{Name: "left", Value: s.Left}, {Name: "block", Value: s.Block}, {Name: "jobs", Value: a.Jobs},
		{Name: "probability", Value: o.probability}, {Name: "sure", Value: s.Sure}}
	if s.Margin > 0 {
		v.Add("margin", s.Margin)
	}
	var unstable []string
	for _, p := range s.Unstable {
		unstable = append(unstable, p.String())
	}
	if unstable != nil {
		v.Add("unstable", unstable)
	}
	return v
}

// valueTable compares the rule with dynamic, static and EASY.
func valueTable(q *question, o *options, a *advise.Advice) output.Table {
	m := o.objective.Measure()
	t := output.Table{Title: q.title, Columns: []output.Column{{Name: "policy"},
		{Name: fmt.Sprintf("%s [%s]", objectiveWords(o.objective), unitOf(m, q.unit.Name)), Number: true},
		{Name: "±", Number: true}, {Name: "the rule takes", Number: true}, {Name: "±", Number: true}}}
	t.Rows = append(t.Rows, []string{a.Rule.String(), output.Round(a.Value.Mean, 4), half(a.Value, 2), "", ""})
	for _, g := range a.Gains {
		t.Rows = append(t.Rows, []string{g.Over.String(), output.Round(g.Value.Mean, 4), half(g.Value, 2),
			lessOrMore(g.Share.Mean), percent(g.Share.HalfWidth, 2)})
	}
	return t
}

func objectiveWords(o advise.Objective) string {
	return map[advise.Objective]string{advise.Mean: "mean response", advise.P95: "95th percentile of response",
		advise.Slowdown: "mean bounded slowdown", advise.NodeHours: "node-hours a job"}[o]
}

func unitOf(m measure.Measure, timeUnit string) string {
	if u := m.Unit.In(timeUnit); u != "" {
		return u
	}
	return "1"
}

// half returns a half width; nothing if one value is all there is.
func half(i estimate.Interval, digits int) string {
	if !output.Finite(i.HalfWidth) {
		return ""
	}
	return output.Round(i.HalfWidth, digits)
}

func percent(share float64, digits int) string {
	if !output.Finite(share) {
		return ""
	}
	return output.Round(100*share, digits) + " %"
}

func lessOrMore(share float64) string {
	if share < 0 {
		return percent(-share, 3) + " more"
	}
	return percent(share, 3) + " less"
}

// stepTable says what to do, by the number of jobs.
func stepTable(r policy.Resize, m policy.Machine) output.Table {
	t := output.Table{Title: "What to do, by the number of jobs that the machine was divided for", Columns: []output.Column{
		{Name: "jobs", Number: true}, {Name: "nodes each", Number: true}, {Name: "wait", Number: true},
		{Name: "divide anew when jobs come to", Number: true}, {Name: "when they fall to", Number: true}}}
	for _, s := range advise.Steps(r, m) {
		nodes := fmt.Sprint(s.Least)
		if s.Most > s.Least {
			nodes += "-" + fmt.Sprint(s.Most)
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(s.Jobs), nodes, orNothing(s.Waiting), orNothing(s.More),
			orNothing(s.Fewer)})
	}
	return t
}

func orNothing(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// flatTable says how much worse the rule becomes if one parameter is changed.
func flatTable(q *question, a *advise.Advice) output.Table {
	t := output.Table{Title: "How much more if one parameter is changed", Columns: []output.Column{{Name: "parameter"},
		{Name: "value", Number: true}, {Name: "more", Number: true}, {Name: "±", Number: true}}}
	for _, f := range a.Flat {
		for i, v := range f.Values {
			value, more, width := valueOf(f.Name, v), percent(f.Worse[i].Mean, 2), percent(f.Worse[i].HalfWidth, 2)
			if v == a.Rule.Get(f.Name) {
				more, width = "the rule", ""
			}
			t.Rows = append(t.Rows, []string{f.Name, value, more, width})
		}
	}
	return t
}

func valueOf(name string, v float64) string {
	if v == 0 && name != "cooldown" {
		return "none"
	}
	return output.Shortest(v)
}

// notes are the sentences under the tables.
func notes(q *question, o *options, a *advise.Advice) []string {
	s := a.Selection
	all := []string{fmt.Sprintf("The rule: %s.", words(a.Rule, q.unit.Name))}
	switch {
	case q.Jobs > 0:
		all = append(all, fmt.Sprintf("%d of the %d rules tried are statistically as good as the best, at the level %s.", s.Left,
			len(s.Candidates), output.Shortest(o.probability)))
	case s.Sure:
		all = append(all, fmt.Sprintf("With probability %s no other of the %d rules tried is more than %s better.",
			output.Shortest(o.probability), len(s.Candidates), output.Percent(o.indifference)))
	default:
		all = append(all, fmt.Sprintf("The selection ended at --jobs: %d of the %d rules tried may be the best, with probability %s.",
			s.Left, len(s.Candidates), output.Shortest(o.probability)))
	}
	if q.Jobs == 0 {
		all = append(all, "EASY is not compared: jobs of a model do not request a number of nodes.")
	}
	var flat []string
	for i := range a.Flat {
		f := &a.Flat[i]
		if low, high := f.Within(0.01, a.Rule.Get(f.Name)); low < high {
			flat = append(flat, fmt.Sprintf("%s from %s to %s", f.Name, valueOf(f.Name, low), valueOf(f.Name, high)))
		}
	}
	if flat != nil {
		all = append(all, "Within 1 % of the rule: "+strings.Join(flat, "; ")+".")
	}
	return all
}

// words says a rule in a sentence.
func words(r policy.Resize, unit string) string {
	text := "divide the nodes evenly"
	if r.Cap > 0 {
		text += " among at most " + output.Count(r.Cap, "job")
	}
	if r.Floor > 0 {
		text += fmt.Sprintf(", into at least %d shares", r.Floor)
	}
	if r.Floor > 0 && r.Floor == r.Cap {
		return text + ", and never resize a job"
	}
	text += map[bool]string{true: " when a job ends", false: " when jobs come or go"}[r.Departures]
	if r.Hysteresis > 0 {
		text += fmt.Sprintf(", if that changes shares by a factor of %s or more", output.Shortest(r.Hysteresis))
	}
	if r.Batch > 0 {
		text += fmt.Sprintf(", after %d changes", r.Batch)
	}
	if r.Wait > 0 {
		text += fmt.Sprintf(", and make jobs smaller only if %d wait", r.Wait)
	}
	if r.Cooldown > 0 {
		text += fmt.Sprintf(", but not within %s %s of the last resize", output.Shortest(r.Cooldown), unit)
	}
	return text
}

// figure draws how much worse the rule becomes if one parameter is changed, a panel for each.
func figure(q *question, a *advise.Advice) *chart.Figure {
	f := &chart.Figure{Title: a.Rule.String() + " with one parameter changed", Series: []string{"more than the rule"},
		Solid: "estimate", Dashed: "interval"}
	for _, flat := range a.Flat {
		p := chart.Panel{Title: flat.Name, XLabel: flat.Name, YLabel: "more than the rule [%]", HasRule: true}
		if flat.Name == "cooldown" {
			p.XLabel += " [" + q.unit.Name + "]"
		}
		mean, low, high := chart.Line{}, chart.Line{Dashed: true}, chart.Line{Dashed: true}
		for i, v := range flat.Values {
			w := flat.Worse[i]
			if v == 0 {
				v = neutral(flat.Name, q.Machine)
			}
			mean.X, mean.Y = append(mean.X, v), append(mean.Y, 100*w.Mean)
			low.X, low.Y = append(low.X, v), append(low.Y, 100*finiteOr(w.Low, w.Mean))
			high.X, high.Y = append(high.X, v), append(high.Y, 100*finiteOr(w.High, w.Mean))
		}
		p.Lines = []chart.Line{mean, low, high}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// neutral returns the value of a parameter that is the same as none.
func neutral(name string, m policy.Machine) float64 {
	switch name {
	case "cooldown", "on":
		return 0
	case "cap":
		return float64(m.Partitions())
	}
	return 1
}

func finiteOr(v, otherwise float64) float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return otherwise
	}
	return v
}
