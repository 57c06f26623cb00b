package advisecmd

import (
	"cmp"
	_ "embed"
	"fmt"
	"github.com/partwise/partwise/models/words"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/systems"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/metric"
)

// newResult returns the advice as a result.
func newResult(q *question, o *options, a *advise.Advice, best *bound) *output.Result {
	r := &output.Result{Object: q.heading, Assumed: q.assumed, Notes: notes(q, o, a)}
	r.Add("objective", string(o.objective))
	r.List(q.results(o.objective, a))
	ways, each := o.ways(q, a)
	carried := losses(o, a, "carried_out", "What the rule loses, and what is left of its gain, on systems: by the controller of --controller, "+
		"or by the settings of --systems alone", ways, a.Losses)
	carried.Columns = carried.Columns[:len(carried.Columns)-1]
	r.List(carried)
	if each != nil {
		limits := losses(o, a, "limits", "What the rule loses by each of these limits alone", each, a.Losses[len(ways):])
		limits.Columns = limits.Columns[1:]
		r.List(limits)
	}
	r.Add("advised", append(input.PolicyObject(a.Rule), output.Pairs("parameters", parameters(a.Rule))...))
	r.Add("probability_correct_selection", output.When(a.Selection.Sure, o.probability))
	r.Add("seconds", time.Since(o.began).Seconds())
	r.List(steps(a.Rule, q.Machine))
	r.List(output.ListOf("flat", "", output.NoCSV, output.RowsOf(a.Flat, func(f advise.Flatness) flatness { return flatness(f) }), ""))
	r.List(flatTable(q.unit, o.objective, a))
	r.Add("selection", selectionObject(o, a))
	r.List(candidates(o, a))
	if best != nil {
		r.Add("bound", boundObject(q, best))
	}
	return r
}

// boundObject says how far policies are from the best policy.
func boundObject(q *question, best *bound) output.Object {
	method, takes := "policy iteration", "the best policy takes"
	if best.Aggregated {
		method, takes = "policy iteration, aggregated", "the best policy for exponential times takes"
	}
	o := output.Pairs("lower", best.Lower, "mean_response_time", best.MeanResponseTime, "method", method, "states", best.States)
	if len(best.Gaps) > 0 && best.Gaps[0].Err == nil { // of the rule
		o.Add("gap", best.Gaps[0].Gap)
	}
	type row struct {
		input.WrittenPolicy
		Response float64 `key:"mean_response_time" head:"mean response [unit]" form:"digits=5"`
		Gap      float64 `key:"gap"`
		Above    string  `head:"above that" form:"number"`
	}
	var rows []row
	for _, g := range best.Gaps {
		if g.Err == nil { // otherwise it cannot keep up, or has no chain
			rows = append(rows, row{input.Written(g.Policy), g.MeanResponseTime, g.Gap, percent(3, g.Gap)})
		}
	}
	o.Add("gaps", output.ListOf("", fmt.Sprintf("Where all jobs stop, no policy is below %s %s; %s %s %s", output.Round(best.Lower, 5),
		q.unit.Name, takes, output.Round(best.MeanResponseTime, 5), q.unit.Name), output.NoCSV, rows, q.unit.Name))
	return o
}

// results compares the rule, which is the first row, with dynamic, static and EASY.
func (q *question) results(objective advise.Objective, a *advise.Advice) *output.List {
	type row struct {
		input.WrittenPolicy
		Parameters output.Object   `key:"parameters"`
		Value      metric.Interval `key:"value" head:"value"`
		ValueWidth float64         `head:"±" form:"digits=2"`
		Gains      output.Object   `key:"gain_over"`
		Saving     string          `head:"the rule takes" form:"number"`
		Width      string          `head:"±" form:"number"`
	}
	rule := row{input.Written(a.Rule), parameters(a.Rule), a.Value, a.Value.HalfWidth, nil, "", ""}
	var rows []row
	for _, g := range a.Gains {
		rule.Gains.Add(g.Over.Name(), g.Share)
		rows = append(rows, row{input.Written(g.Over), nil, g.Value, g.Value.HalfWidth, nil, lessOrMore(g.Share.Mean), width(g.Share)})
	}
	l := output.ListOf("results", q.title, output.NoCSV, append([]row{rule}, rows...), "")
	m, value := objective.Measure(), l.Column("value")
	value.Key, value.Name = m.Name, fmt.Sprintf("%s [%s]", objectiveWords[objective], cmp.Or(m.Unit.In(q.unit.Name), "1"))
	return l
}

// losses says what the rule loses by each of some ways to carry it out, and what is left of its gains. The first column is who carries
// it out so, the last what the limits mean. Without a policy that the rule is compared with, the columns of the comparison are left
// out.
func losses(o *options, a *advise.Advice, name, title string, ways []systems.Way, of []advise.Loss) *output.List {
	rival := staticOf(a.Gains)
	var rows []lossRow
	for i, w := range ways {
		rows = append(rows, newLossRow(a, w, of[i], rival))
	}
	l := output.ListOf(name, title, output.NoCSV, rows, "")
	l.Column("value").Key = o.objective.Measure().Name
	saving := slices.IndexFunc(l.Columns, func(c output.Column) bool { return c.Name == "than static" })
	if rival >= 0 {
		l.Columns[saving].Name = "than " + a.Gains[rival].Over.String()
	} else {
		l.Columns = slices.Delete(l.Columns, saving, saving+2)
	}
	return l
}

// lossRow is a way to carry the rule out: its limits, and what the rule loses by them.
type lossRow struct {
	By          string        `key:"by" head:"carried out by"`
	Limits      []string      `key:"limits"`
	LimitWords  string        `head:"limits"`
	Value       any           `key:"value"`
	Worse       any           `key:"worse"`
	More        string        `head:"more" form:"number none=unstable"`
	MoreWidth   string        `head:"±" form:"number"`
	Gains       output.Object `key:"gain_over"`
	Saving      string        `head:"than static" form:"number"`
	SavingWidth string        `head:"±" form:"number"`
	Policy      string        `key:"policy"`
	Stable      bool          `key:"stable"`
	Means       string        `key:"means" head:"it means"`
}

// newLossRow returns the row of a way; rival is the index of the policy that the rule is compared with, -1 for none.
func newLossRow(a *advise.Advice, w systems.Way, l advise.Loss, rival int) lossRow {
	row := lossRow{By: w.By, Means: w.By, Limits: w.Limits, LimitWords: strings.Join(w.Limits, ", "), Policy: w.Resize.String(), Stable: !l.Unstable}
	if l.Unstable {
		return row
	}
	row.Value, row.Worse, row.More, row.MoreWidth = l.Value, l.Worse, percent(2, l.Worse.Mean), width(l.Worse)
	for i, g := range a.Gains {
		row.Gains.Add(g.Over.Name(), l.Gains[i])
	}
	if rival >= 0 {
		row.Saving, row.SavingWidth = lessOrMore(l.Gains[rival].Mean), width(l.Gains[rival])
	}
	return row
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
	type row struct {
		input.PolicyName
		Measure string  `key:"measure"`
		Value   float64 `key:"value"`
		Low     any     `key:"low"` // the selection has no intervals
		High    any     `key:"high"`
		Blocks  int     `key:"blocks"`
		Left    bool    `key:"left"`
	}
	var rows []row
	for _, c := range a.Selection.Candidates {
		rows = append(rows, row{input.NameOf(c.Policy), o.objective.Measure().Name, c.Value, nil, nil, c.Blocks, c.Left})
	}
	return output.ListOf("", "", output.Wide, rows, "")
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
	v := output.Pairs("best", s.Best.String(), "candidates", len(s.Candidates), "left", s.Left, "block", s.Block, "jobs", a.Jobs,
		"probability", o.probability, "sure", s.Sure)
	v.Add("margin", output.Positive(s.Margin))
	v.Add("unstable", output.When(len(s.Unstable) > 0, words.Texts(s.Unstable, policy.Policy.String)))
	return v
}

var objectiveWords = map[advise.Objective]string{advise.Mean: "mean response", advise.P95: "95th percentile of response",
	advise.Slowdown: "mean bounded slowdown", advise.NodeHours: "node-hours a job"}

// percent writes a share in per cent with so many digits.
func percent(digits int, share float64) string {
	if math.Abs(share) < roundings {
		share = 0
	}
	return output.Round(100*share, digits) + " %"
}

// width writes half of the width of the interval of a share; "" if the width is unknown.
func width(e metric.Interval) string {
	if !output.Finite(e.HalfWidth) {
		return ""
	}
	return percent(2, e.HalfWidth)
}

// roundings are shares that differences of sums in another order may have.
const roundings = 1e-12

func lessOrMore(share float64) string {
	if share < -roundings {
		return percent(3, -share) + " more"
	}
	return percent(3, share) + " less"
}

// mostSteps is how many rows of steps a table shows: the steps for more jobs differ little from row to row.
const mostSteps = 10

// flatness has the columns of an [advise.Flatness] in JSON.
type flatness struct {
	Name   string            `key:"parameter"`
	Values []float64         `key:"values"`
	Worse  []metric.Interval `key:"worse"`
}

// step has the columns of an [advise.Step].
type step struct {
	Jobs    int `key:"jobs" head:"jobs"`
	Shares  int `key:"shares"`
	Least   int `key:"least_nodes"`
	Most    int `key:"most_nodes"`
	Waiting int `key:"waiting"`
	More    int `key:"divide_from" head:"divide again when jobs rise to" form:"omitzero number"`
	Fewer   int `key:"divide_down_from" head:"or fall to" form:"omitzero number"`
}

// steps says what to do, by the number of jobs.
func steps(r policy.Resize, m policy.Machine) *output.List {
	all := output.RowsOf(advise.Steps(r, m), func(s advise.Step) step { return step(s) })
	l := output.ListOf("steps", "What to do, by the number of jobs for which the machine was last divided", output.NoCSV, all, "")
	l.Columns = slices.Insert(l.Columns, 1, output.Column{Name: "nodes each", Number: true, Value: func(i int) any {
		if s := all[i]; s.Most > s.Least {
			return fmt.Sprintf("%d-%d", s.Least, s.Most)
		}
		return strconv.Itoa(all[i].Least)
	}}, output.Column{Name: "wait", Number: true, Value: func(i int) any { return output.Positive(all[i].Waiting) }})
	l.Most = mostSteps
	return l
}

// flatTable says how much worse the rule becomes if one parameter is changed.
func flatTable(unit measure.TimeUnit, objective advise.Objective, a *advise.Advice) *output.List {
	type row struct {
		Name  string `head:"parameter"`
		Value string `head:"value" form:"number"`
		More  string `head:"more" form:"number"`
		Width string `head:"±" form:"number"`
	}
	var rows []row
	for _, f := range a.Flat {
		name := f.Name
		if name == "cooldown" {
			name = output.InUnit(name, unit.Name)
		}
		for i, v := range f.Values {
			r := row{name, valueOf(f.Name, v), "the rule", ""}
			if v != a.Rule.Get(f.Name) {
				r.More, r.Width = percent(2, f.Worse[i].Mean), width(f.Worse[i])
			}
			rows = append(rows, r)
		}
	}
	return output.ListOf("", fmt.Sprintf("How much higher the %s is if one parameter changes", objectiveWords[objective]), output.NoCSV, rows, "")
}

func valueOf(name string, v float64) string {
	if v == 0 && name != "cooldown" {
		return "none"
	}
	return output.Shortest(v)
}

//go:embed notes.txt
var notesText string

var sentences = output.ParseProse(notesText)

// notes are the sentences under the tables.
func notes(q *question, o *options, a *advise.Advice) []string {
	var flat []string
	for i := range a.Flat {
		f := &a.Flat[i]
		if low, high := f.Within(0.01, a.Rule.Get(f.Name)); low < high {
			flat = append(flat, sentences.Sentences("flat", map[string]string{"Name": f.Name, "Unit": q.unit.Name,
				"From": valueOf(f.Name, low), "To": valueOf(f.Name, high)})...)
		}
	}
	return sentences.Sentences("notes", map[string]any{"Rule": a.Rule, "Unit": q.unit.Name, "Jobs": q.Jobs, "Left": a.Selection.Left,
		"Candidates": len(a.Selection.Candidates), "Sure": a.Selection.Sure, "Probability": o.probability, "Indifference": o.indifference,
		"Static": a.BestStatic(), "NodesOfJob": q.Machine.Nodes / max(1, a.BestStatic()), "Flat": flat})
}

// figure draws how much worse the rule becomes if one parameter is changed, a panel for each, with intervals.
func figure(q *question, o *options, a *advise.Advice) *chart.Figure {
	f := &chart.Figure{Title: "How much worse the best rule, " + a.Rule.String() + ", gets", Series: []string{"the rule, changed"},
		Notes: sentences.Sentences("figure", map[string]any{"Level": 100 * o.probability, "Jobs": q.Jobs, "Indifference": o.indifference})}
	for _, flat := range a.Flat {
		p := chart.Panel{Title: "If only its " + flat.Name + " is changed", XLabel: flat.Name, HasRule: true,
			YLabel: objectiveWords[o.objective] + ", higher by [%]"}
		if flat.Name == "cooldown" {
			p.XLabel = output.InUnit(p.XLabel, q.unit.Name)
		}
		for i, v := range flat.Values {
			w := flat.Worse[i]
			if !output.Finite(w.HalfWidth) {
				w.Low, w.High = w.Mean, w.Mean
			}
			l := p.Add(chart.Line{}, shownAt(flat.Name, v, q.Machine), 100*w.Mean)
			l.Low, l.High = append(l.Low, 100*w.Low), append(l.High, 100*w.High)
		}
		p.Here = chart.Named{At: shownAt(flat.Name, a.Rule.Get(flat.Name), q.Machine), Name: "the rule"}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// shownAt returns where a value of a parameter stands on its axis. The value 0 leaves the parameter out. It stands at the value of the
// parameter that has the same effect.
func shownAt(name string, v float64, m policy.Machine) float64 {
	switch {
	case v != 0 || name == "cooldown" || name == "on":
		return v
	case name == "cap":
		return float64(m.Partitions())
	}
	return 1
}
