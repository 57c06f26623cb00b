package advisecmd

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/advise"
	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/systems"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/optimal"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/metric"
)

// newResult returns the advice as a result.
func newResult(q *question, o *options, a *advise.Advice, bound *advise.Bound) *output.Result {
	r := &output.Result{Object: q.heading, Assumed: q.assumed, Notes: notes(q, o, a)}
	r.Add("objective", string(o.objective))
	r.List(q.results(o.objective, a))
	r.List(q.losses(o, a))
	if o.systems != "" {
		r.List(q.limits(o, a))
	}
	r.Add("advised", append(input.PolicyObject(a.Rule), output.Field{Name: "parameters", Value: parameters(a.Rule)}))
	r.Add("probability_correct_selection", output.When(a.Selection.Sure, o.probability))
	r.Add("seconds", time.Since(q.began).Seconds())
	r.List(steps(a.Rule, q.Machine))
	r.List(&output.List{Name: "flat", Len: len(a.Flat), Form: output.NoCSV, Columns: []output.Column{
		{Key: "parameter", Value: output.Of(a.Flat, func(f *advise.Flatness) any { return f.Name })},
		{Key: "values", Value: output.Of(a.Flat, func(f *advise.Flatness) any { return f.Values })},
		{Key: "worse", Value: output.Of(a.Flat, func(f *advise.Flatness) any { return f.Worse })}}})
	r.List(flatTable(q.unit, o.objective, a))
	r.Add("selection", selectionObject(o, a))
	r.List(candidates(o, a))
	if bound != nil {
		r.Add("bound", boundObject(q, bound))
	}
	return r
}

// boundObject says how far policies are from the best policy.
func boundObject(q *question, bound *advise.Bound) output.Object {
	method, best := "policy iteration", "the best policy takes"
	if bound.Aggregated {
		method, best = "policy iteration, aggregated", "the best policy for exponential times takes"
	}
	o := output.Object{{Name: "lower", Value: bound.Lower}, {Name: "mean_response_time", Value: bound.MeanResponseTime},
		{Name: "method", Value: method}, {Name: "states", Value: bound.States}}
	if len(bound.Gaps) > 0 && bound.Gaps[0].Err == nil { // of the rule
		o.Add("gap", bound.Gaps[0].Gap)
	}
	gaps := slices.DeleteFunc(slices.Clone(bound.Gaps), func(g optimal.Gap) bool { return g.Err != nil }) // cannot keep up, or has no chain
	named := func(i int) policy.Policy { return gaps[i].Policy }
	o.Add("gaps", &output.List{Len: len(gaps), Form: output.NoCSV, Title: fmt.Sprintf("Where all jobs stop, no policy is below %s %s; %s %s %s",
		output.Round(bound.Lower, 5), q.unit.Name, best, output.Round(bound.MeanResponseTime, 5), q.unit.Name),
		Columns: append(policyColumns(named), output.Column{Key: measure.MeanResponseTime, Name: "mean response [" + q.unit.Name + "]",
			Text: output.Digits(5), Value: output.Of(gaps, func(g *optimal.Gap) any { return g.MeanResponseTime })},
			output.Column{Key: "gap", Name: "above that", Text: percent(3), Value: output.Of(gaps, func(g *optimal.Gap) any { return g.Gap })})})
	return o
}

// policyColumns returns the columns that name policies, in tables as flags write them.
func policyColumns(of func(i int) policy.Policy) []output.Column {
	return append(input.PolicyColumns(of), output.Column{Name: "policy", Value: func(i int) any { return of(i).String() }})
}

// results compares the rule, which is the first row, with dynamic, static and EASY.
func (q *question) results(objective advise.Objective, a *advise.Advice) *output.List {
	m := objective.Measure()
	rows := append([]advise.Gain{{Over: a.Rule, Value: a.Value}}, a.Gains...)
	value := output.Column{Key: m.Name, Name: fmt.Sprintf("%s [%s]", objectiveWords[objective], cmp.Or(m.Unit.In(q.unit.Name), "1")),
		Value: output.Of(rows, func(g *advise.Gain) any { return g.Value })}
	share := output.Column{Name: "the rule takes", Text: lessOrMore, Value: func(i int) any { return output.When(i > 0, rows[i].Share) }}
	width := output.HalfWidth(share, 2)
	width.Text = percent(2)
	var gains output.Object
	for _, g := range a.Gains {
		gains.Add(g.Over.Name(), g.Share)
	}
	ofRule := func(v any) func(int) any { return func(i int) any { return output.When(i == 0, v) } }
	return &output.List{Name: "results", Title: q.title, Len: len(rows), Form: output.NoCSV,
		Columns: append(policyColumns(func(i int) policy.Policy { return rows[i].Over }),
			output.Column{Key: "parameters", Value: ofRule(parameters(a.Rule))}, value, output.HalfWidth(value, 2),
			output.Column{Key: "gain_over", Value: ofRule(gains)}, share, width)}
}

// losses says what the rule loses by how it is carried out, and what is left of its gains.
func (q *question) losses(o *options, a *advise.Advice) *output.List {
	ways := systems.Ways(a.Rule, measure.Second().Convert(1, q.unit), split(a, q.Machine))
	return &output.List{Name: "carried_out", Len: len(ways), Form: output.NoCSV, Title: "What the rule loses, and what is left of its " +
		"gain, on systems: by the controller of --controller, or by the settings of --systems alone", Columns: slices.Concat(
		[]output.Column{{Key: "by", Name: "carried out by", Value: output.Of(ways, func(w *systems.Way) any { return w.By })}},
		lossColumns(o, a, ways, a.Losses[:len(ways)]))}
}

// limits says what the rule loses by each limit of systems.
func (q *question) limits(o *options, a *advise.Advice) *output.List {
	each := systems.Each(a.Rule, measure.Second().Convert(1, q.unit))
	return &output.List{Name: "limits", Len: len(each), Form: output.NoCSV, Title: "What the rule loses by each of these limits alone",
		Columns: slices.Concat(lossColumns(o, a, each, a.Losses[len(a.Losses)-len(each):]),
			[]output.Column{{Key: "means", Name: "it means", Value: output.Of(each, func(w *systems.Way) any { return w.By })}})}
}

// lossColumns are the limits of ways and what the rule loses by them.
func lossColumns(o *options, a *advise.Advice, ways []systems.Way, losses []advise.Loss) []output.Column {
	column := func(of func(l *advise.Loss) any) func(i int) any {
		return func(i int) any {
			if losses[i].Unstable {
				return nil
			}
			return of(&losses[i])
		}
	}
	half := func(of output.Column) output.Column {
		width := output.HalfWidth(of, 2)
		width.Text = percent(2)
		return width
	}
	worse := output.Column{Key: "worse", Name: "more", Number: true, None: "unstable", Text: percent(2),
		Value: column(func(l *advise.Loss) any { return l.Worse })}
	columns := []output.Column{
		{Key: "limits", Name: "limits", Text: func(v any) string { return strings.Join(v.([]string), ", ") },
			Value: output.Of(ways, func(w *systems.Way) any { return w.Limits })},
		{Key: o.objective.Measure().Name, Value: column(func(l *advise.Loss) any { return l.Value })}, worse, half(worse),
		{Key: "gain_over", Value: column(func(l *advise.Loss) any {
			var gains output.Object
			for i, g := range a.Gains {
				gains.Add(g.Over.Name(), l.Gains[i])
			}
			return gains
		})}}
	if rival := staticOf(a.Gains); rival >= 0 {
		gain := output.Column{Name: "than " + a.Gains[rival].Over.String(), Text: lessOrMore,
			Value: column(func(l *advise.Loss) any { return l.Gains[rival] })}
		columns = append(columns, gain, half(gain))
	}
	return append(columns, output.Column{Key: "policy", Value: output.Of(ways, func(w *systems.Way) any { return w.Resize.String() })},
		output.Column{Key: "stable", Value: output.Of(losses, func(l *advise.Loss) any { return !l.Unstable })})
}

// staticOf returns the index of the best static split among the policies that the rule is compared with, or of the first policy if
// no split can keep up; -1 without policies.
func staticOf(gains []advise.Gain) int {
	for i, g := range gains {
		if _, static := g.Over.(policy.Static); static {
			return i
		}
	}
	return min(len(gains), 1) - 1
}

// candidates are the policies among which the rule was selected, as rows of CSV.
func candidates(o *options, a *advise.Advice) *output.List {
	all := a.Selection.Candidates
	none := func(int) any { return nil } // the selection has no intervals
	return &output.List{Len: len(all), Columns: append(input.PolicyColumns(func(i int) policy.Policy { return all[i].Policy }),
		output.Column{Key: "measure", Value: func(int) any { return o.objective.Measure().Name }},
		output.Column{Key: "value", Value: func(i int) any { return all[i].Value }},
		output.Column{Key: "low", Value: none}, output.Column{Key: "high", Value: none},
		output.Column{Key: "blocks", Value: func(i int) any { return all[i].Blocks }},
		output.Column{Key: "left", Value: func(i int) any { return all[i].Left }})}
}

// parameters are those of a rule, as numbers.
func parameters(r policy.Resize) output.Object {
	o := output.Object{}
	for name, value := range r.Parameters() {
		o.Add(name, value)
	}
	o.Add("on", output.When(r.Departures, "departures"))
	return o
}

func selectionObject(o *options, a *advise.Advice) output.Object {
	s := a.Selection
	v := output.Object{{Name: "best", Value: s.Best.String()}, {Name: "candidates", Value: len(s.Candidates)},
		{Name: "left", Value: s.Left}, {Name: "block", Value: s.Block}, {Name: "jobs", Value: a.Jobs},
		{Name: "probability", Value: o.probability}, {Name: "sure", Value: s.Sure}}
	v.Add("margin", output.When(s.Margin > 0, s.Margin))
	v.Add("unstable", output.When(len(s.Unstable) > 0, modelfile.Texts(s.Unstable, policy.Policy.String)))
	return v
}

var objectiveWords = map[advise.Objective]string{advise.Mean: "mean response", advise.P95: "95th percentile of response",
	advise.Slowdown: "mean bounded slowdown", advise.NodeHours: "node-hours a job"}

// percent returns a Text that writes shares, and means of intervals, in per cent with so many digits.
func percent(digits int) func(any) string {
	return func(v any) string {
		if e, ok := v.(metric.Interval); ok {
			v = e.Mean
		}
		share := v.(float64)
		if math.Abs(share) < roundings {
			share = 0
		}
		return output.Round(100*share, digits) + " %"
	}
}

// roundings are shares that differences of sums in another order may have.
const roundings = 1e-12

func lessOrMore(v any) string {
	if share := v.(metric.Interval).Mean; share < -roundings {
		return percent(3)(-share) + " more"
	}
	return percent(3)(v) + " less"
}

// mostSteps is how many rows of steps a table shows: the steps for more jobs differ little from row to row.
const mostSteps = 10

// steps says what to do, by the number of jobs.
func steps(r policy.Resize, m policy.Machine) *output.List {
	all := advise.Steps(r, m)
	column := func(key, name string, of func(*advise.Step) any) output.Column {
		return output.Column{Key: key, Name: name, Number: true, Value: output.Of(all, of)}
	}
	positive := func(n int) any { return output.When(n > 0, n) }
	return &output.List{Name: "steps", Title: "What to do, by the number of jobs for which the machine was last divided", Len: len(all),
		Form: output.NoCSV, Most: mostSteps, Columns: []output.Column{
			column("jobs", "jobs", func(s *advise.Step) any { return s.Jobs }),
			column("shares", "", func(s *advise.Step) any { return s.Shares }),
			column("", "nodes each", func(s *advise.Step) any {
				if s.Most > s.Least {
					return fmt.Sprintf("%d-%d", s.Least, s.Most)
				}
				return s.Least
			}),
			column("least_nodes", "", func(s *advise.Step) any { return s.Least }),
			column("most_nodes", "", func(s *advise.Step) any { return s.Most }),
			column("waiting", "", func(s *advise.Step) any { return s.Waiting }),
			column("", "wait", func(s *advise.Step) any { return positive(s.Waiting) }),
			column("divide_from", "divide again when jobs rise to", func(s *advise.Step) any { return positive(s.More) }),
			column("divide_down_from", "or fall to", func(s *advise.Step) any { return positive(s.Fewer) }),
		}}
}

// flatTable says how much worse the rule becomes if one parameter is changed.
func flatTable(unit measure.TimeUnit, objective advise.Objective, a *advise.Advice) *output.List {
	type row struct {
		name  string
		value float64
		worse any // nil: the rule itself
	}
	var rows []row
	for _, f := range a.Flat {
		for i, v := range f.Values {
			rows = append(rows, row{f.Name, v, output.When(v != a.Rule.Get(f.Name), f.Worse[i])})
		}
	}
	worse := output.Column{Name: "more", Number: true, Text: percent(2), None: "the rule", Value: output.Of(rows, func(r *row) any { return r.worse })}
	width := output.HalfWidth(worse, 2)
	width.Text = percent(2)
	return &output.List{Title: fmt.Sprintf("How much higher the %s is if one parameter changes", objectiveWords[objective]), Len: len(rows), Form: output.NoCSV, Columns: []output.Column{
		{Name: "parameter", Value: output.Of(rows, func(r *row) any {
			if r.name == "cooldown" {
				return r.name + " [" + unit.Name + "]"
			}
			return r.name
		})},
		{Name: "value", Number: true, Value: output.Of(rows, func(r *row) any { return valueOf(r.name, r.value) })}, worse, width}}
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
		all = append(all, fmt.Sprintf("The selection ended at --jobs: with probability %s the best rule is one of %d of the %d rules tried.",
			output.Shortest(o.probability), s.Left, len(s.Candidates)))
	}
	if q.Jobs == 0 {
		all = append(all, "EASY is not compared: jobs of a model do not request a number of nodes.")
	}
	if k := a.BestStatic(); k > 0 {
		all = append(all, fmt.Sprintf("Slurm, Kueue and Kubeflow resize no job unless a controller tells them to. Without one, jobs of %s each (static:%d) are best.",
			output.Count(q.Machine.Nodes/k, "node"), k))
	}
	var flat []string
	for i := range a.Flat {
		f := &a.Flat[i]
		if low, high := f.Within(0.01, a.Rule.Get(f.Name)); low < high {
			flat = append(flat, fmt.Sprintf("%s, from %s to %s", settingWords(f.Name, q.unit.Name), valueOf(f.Name, low), valueOf(f.Name, high)))
		}
	}
	if flat != nil {
		all = append(all, "Less than 1 % is lost if one of these is changed: "+strings.Join(flat, "; ")+".")
	}
	return all
}

// settingWords says what a parameter of a rule is.
func settingWords(name, unit string) string {
	words := map[string]string{"cooldown": "the shortest time between two resizes [" + unit + "]",
		"hysteresis": "the factor by which shares must change", "wait": "the jobs that must wait before others get smaller",
		"cap": "the most jobs that run", "floor": "the fewest shares", "batch": "the changes before a resize"}
	return cmp.Or(words[name], name)
}

// waiting says how many jobs wait.
func waiting(n int) string {
	if n == 1 {
		return "one job waits"
	}
	return fmt.Sprintf("%d jobs wait", n)
}

// words says a rule in a sentence.
func words(r policy.Resize, unit string) string {
	fixed := r.Floor > 0 && r.Floor == r.Cap
	text := "divide the nodes evenly"
	for _, part := range []struct {
		has   bool
		words string
	}{
		{r.Cap > 0, " among at most " + output.Count(r.Cap, "job")},
		{r.Floor > 0, fmt.Sprintf(", into at least %s", output.Count(r.Floor, "share"))},
		{fixed, ", and never resize a job"},
		{!fixed, map[bool]string{true: " when a job ends", false: " when jobs come or go"}[r.Departures]},
		{!fixed && r.Hysteresis > 0, fmt.Sprintf(", if that changes shares by a factor of %s or more", output.Shortest(r.Hysteresis))},
		{!fixed && r.Batch > 0, fmt.Sprintf(", after %d changes", r.Batch)},
		{!fixed && r.Wait > 0, fmt.Sprintf("; make jobs smaller only if at least %s", waiting(r.Wait))},
		{!fixed && r.Cooldown > 0, fmt.Sprintf("; leave at least %s %s between two resizes", output.Shortest(r.Cooldown), unit)},
	} {
		if part.has {
			text += part.words
		}
	}
	return text
}

// figure draws how much worse the rule becomes if one parameter is changed, a panel for each, with intervals.
func figure(q *question, o *options, a *advise.Advice) *chart.Figure {
	f := &chart.Figure{Title: "How much worse the best rule, " + a.Rule.String() + ", gets", Series: []string{"the rule, changed"},
		Notes: []string{fmt.Sprintf("Shaded: %s %% intervals. The rule was selected on other jobs; rules that differ by less than %s are equally good there.",
			output.Shortest(100*o.probability), output.Percent(o.indifference))}}
	if q.Jobs > 0 {
		f.Notes = []string{fmt.Sprintf("Shaded: %s %% intervals. The best rule of this log need not be the best of the next.", output.Shortest(100*o.probability))}
	}
	for _, flat := range a.Flat {
		p := chart.Panel{Title: fmt.Sprintf("If only its %s is changed", flat.Name), XLabel: flat.Name, HasRule: true,
			YLabel: objectiveWords[o.objective] + ", higher by [%]"}
		if flat.Name == "cooldown" {
			p.XLabel += " [" + q.unit.Name + "]"
		}
		l := chart.Line{}
		for i, v := range flat.Values {
			w := flat.Worse[i]
			if !output.Finite(w.HalfWidth) {
				w.Low, w.High = w.Mean, w.Mean
			}
			if v == 0 {
				v = neutral(flat.Name, q.Machine)
			}
			l.X, l.Y = append(l.X, v), append(l.Y, 100*w.Mean)
			l.Low, l.High = append(l.Low, 100*w.Low), append(l.High, 100*w.High)
		}
		p.Lines = []chart.Line{l}
		at := a.Rule.Get(flat.Name)
		if at == 0 {
			at = neutral(flat.Name, q.Machine)
		}
		p.Here = chart.Named{At: at, Name: "the rule"}
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
