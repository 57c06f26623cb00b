package logview

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/metric"
)

// Advice is a rule with what results say of it.
type Advice struct {
	*advise.Advice
	Problem      *advise.Problem
	Title        string
	Heading      output.Object // the first fields of JSON
	Assumed      []output.Assumption
	Unit         measure.TimeUnit
	Node         string // what one of the nodes of the machine is called: node, CPU or GPU
	Objective    advise.Objective
	Probability  float64 // of the selection, and the level of intervals
	Indifference float64
	// Ways are the ways in which systems apply the rule. Each is the limits of systems one by one. The losses of the advice
	// are in the order of both.
	Ways, Each []advise.Way
	Bound      *Bound  // nil if no bound was asked for or found
	Seconds    float64 // that the advice took
}

// Bound is how far a rule is from the best that any policy can do, in the machine of the chains: average partitions, and
// repartitions that stop all jobs.
type Bound struct {
	*decide.Optimum
	Gaps []decide.OptimumGap // of the rule, dynamic and every static split
}

// Result lays the advice out.
func (v *Advice) Result() *output.Result {
	r := &output.Result{Object: slices.Clip(v.Heading), Assumed: v.Assumed, Notes: v.Notes("The rule:"), Short: v.summary()}
	r.Add("objective", string(v.Objective))
	r.List(v.results())
	r.List(v.carriedOut())
	if v.Each != nil {
		r.List(v.limitsAlone())
	}
	r.Add("advised", append(output.PolicyObject(v.Rule), output.Pairs("parameters", parameters(v.Rule))...))
	r.Add("probability_correct_selection", output.When(v.Selection.Sure, v.Probability))
	r.Add("seconds", v.Seconds)
	r.List(v.steps())
	r.List(output.NewList("flat", "", output.NoCSV, v.Flat, func(f *advise.Flatness) output.Row {
		return output.Row{output.Data("parameter", f.Name), output.Data("values", f.Values), output.Data("worse", f.Worse)}
	}))
	r.List(v.flatTable())
	r.Add("selection", v.selection())
	r.List(v.candidates())
	if v.Bound != nil {
		r.Add("bound", v.bound())
	}
	return r
}

// summary returns the sentences of the summary: the rule, what it gains, how certain the rule is, and what may be changed.
func (v *Advice) summary() []string {
	notes := v.Notes("The rule:")
	gains := words.Texts(v.Gains, func(g advise.Gain) string {
		text := lessOrMore(g.Share) + " than " + g.Over.String()
		if half := width(g.Share); half != "" {
			text += " (± " + half + ")"
		}
		return text
	})
	if len(gains) == 0 {
		return notes
	}
	gain := fmt.Sprintf("Its %s is %s %s: %s, with %.0f %% intervals.", objectiveWords[v.Objective], words.Round(v.Value.Mean, 4),
		v.Objective.Measure().Unit.In(v.Unit.Name), words.And(gains), 100*v.Probability)
	return slices.Insert(notes, 1, gain)
}

// losing names the ways to carry the rule out in which jobs take more time than under the best static split, by the whole
// interval. It returns "" if jobs take no more time in any way, or if no static split can keep up.
func (v *Advice) losing() string {
	var names []string
	for _, i := range v.Losing() {
		if i >= len(v.Ways) { // a single limit
			break
		}
		by, with := strings.CutPrefix(v.Ways[i].By, "controller.py, ")
		if with {
			names = append(names, "controller.py on "+strings.ReplaceAll(by, ", ", " and "))
		} else {
			names = append(names, strings.Split(by, ", ")...)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return words.Or(names)
}

// bound says how far policies are from the best policy.
func (v *Advice) bound() output.Object {
	b := v.Bound
	method, takes := "policy iteration", "the best policy takes"
	if b.Aggregated {
		method, takes = "policy iteration, aggregated", "the best policy for exponential times takes"
	}
	o := output.Pairs("lower", b.Lower, "mean_response_time", b.MeanResponseTime, "method", method, "states", b.States)
	if len(b.Gaps) > 0 && b.Gaps[0].Err == nil { // of the rule
		o.Add("gap", b.Gaps[0].Gap)
	}
	solved := slices.DeleteFunc(slices.Clone(b.Gaps),
		func(g decide.OptimumGap) bool { return g.Err != nil }) // others cannot keep up, or have no chain
	title := fmt.Sprintf("Where all jobs stop, no policy is below %s %s; %s %s %s", words.Round(b.Lower, 5), v.Unit.Name, takes,
		words.Round(b.MeanResponseTime, 5), v.Unit.Name)
	o.Add("gaps", output.NewTable(title, solved, func(g *decide.OptimumGap) output.Row {
		return append(output.Policy(g.Policy),
			output.Col(measure.MeanResponseTime, "mean response").Time().Digits(5).Is(g.MeanResponseTime),
			output.Col("gap", "above that").Right().Written(percents(3)).Is(g.Gap))
	}).In(v.Unit.Name))
	return o
}

// value returns the column of the objective.
func (v *Advice) value() output.Column {
	m := v.Objective.Measure()
	return output.Col(m.Name, fmt.Sprintf("%s [%s]", objectiveWords[v.Objective], cmp.Or(m.Unit.In(v.Unit.Name), "1"))).Right()
}

// saving returns the column of tables by how much another policy takes more than the rule.
func saving(head string) output.Column {
	return output.Col("saving", head).CSV().Right().Written(lessOrMore)
}

// results compares the rule, which is the first row, with dynamic, static and rigid jobs.
func (v *Advice) results() *output.List {
	value, saved := v.value(), saving("the rule takes")
	var gains output.Object
	for _, g := range v.Gains {
		gains.Add(g.Over.Name(), g.Share)
	}
	rows := []output.Row{append(output.Policy(v.Rule), output.Data("parameters", parameters(v.Rule)), value.Is(v.Value),
		output.Data("gain_over", gains))}
	for _, g := range v.Gains {
		rows = append(rows, append(output.Policy(g.Over), value.Is(g.Value), saved.Is(g.Share)))
	}
	return output.ListOfRows("results", v.Title, output.NoCSV, rows).
		Show(output.InTable("policy"), value, value.HalfWidth(2), saved, widthOf(saved))
}

// widthOf returns the column of tables with half of the width of an interval of shares.
func widthOf(c output.Column) output.Column { return c.Headed("±").Written(width) }

// carriedOut says of each way in which systems carry the rule out what the rule loses, and what is left of its gain.
func (v *Advice) carriedOut() *output.List {
	by := output.Col("by", "carried out by")
	rows := make([]output.Row, len(v.Ways))
	for i, w := range v.Ways {
		rows[i] = append(output.Row{by.Is(w.By)}, v.lossCells(w, &v.Losses[i])...)
	}
	const title = "What the rule loses, and what is left of its gain, on systems: by the controller of --controller, or by the " +
		"settings of --systems alone"
	return output.ListOfRows("carried_out", title, output.NoCSV, rows).Show(append([]output.Column{by}, v.lossColumns()...)...)
}

// limitsAlone says of each limit of systems what the rule loses by it, and what the limit means.
func (v *Advice) limitsAlone() *output.List {
	means, losses := output.Col("means", "it means"), v.Losses[len(v.Ways):]
	rows := make([]output.Row, len(v.Each))
	for i, w := range v.Each {
		rows[i] = append(v.lossCells(w, &losses[i]), means.Is(w.By))
	}
	return output.ListOfRows("limits", "What the rule loses by each of these limits alone", output.NoCSV, rows).
		Show(append(v.lossColumns(), means)...)
}

// Columns of the limits of a way to carry the rule out, and of how much more time jobs take by it.
var (
	limitsColumn = output.InTable("limits")
	worseColumn  = output.Col("worse", "more").Right().Else("unstable").Written(percents(2))
)

// lossColumns returns the columns of tables that say what the rule loses, and how it then compares with its rival, if there is one.
func (v *Advice) lossColumns() []output.Column {
	shown := []output.Column{limitsColumn, worseColumn, widthOf(worseColumn).Else("")}
	if rival := v.Rival(); rival >= 0 {
		saved := saving("than " + v.Gains[rival].Over.String())
		shown = append(shown, saved, widthOf(saved))
	}
	return shown
}

// lossCells returns the cells of a way to carry the rule out: its limits, what the rule loses, and the rule as it is
// carried out. There is no loss if the rule is of no use in this way.
func (v *Advice) lossCells(w advise.Way, l *advise.Loss) output.Row {
	row := output.Row{limitsColumn.Is(joined(w.Limits)), output.Data("limits", w.Limits)}
	if !l.Unstable {
		var gains output.Object
		for i, g := range v.Gains {
			gains.Add(g.Over.Name(), l.Gains[i])
		}
		row = append(row, output.Data(v.Objective.Measure().Name, l.Value), worseColumn.Is(l.Worse),
			output.Data("gain_over", gains))
		if rival := v.Rival(); rival >= 0 {
			row = append(row, saving("").Is(l.Gains[rival]))
		}
	}
	return append(row, output.Data("policy", w.Resize.String()), output.Data("stable", !l.Unstable))
}

// candidates are the policies among which the rule was selected, as rows of CSV. The selection has no intervals.
func (v *Advice) candidates() *output.List {
	return output.NewList("", "", output.Wide, v.Selection.Candidates, func(c *advise.Estimate) output.Row {
		return append(output.Policy(c.Policy), output.Data("measure", v.Objective.Measure().Name), output.Data("value", c.Value),
			output.Data("low", nil), output.Data("high", nil), output.Data("blocks", c.Blocks), output.Data("left", c.Left))
	}).Show()
}

// parameters returns the parameters of a rule, as numbers.
func parameters(r policy.Resize) output.Object {
	o := output.Object{}
	for name, value := range r.Parameters() {
		o.Add(name, value)
	}
	o.Add("on", output.When(r.Departures, "departures"))
	return o
}

// selection says how the rule was selected.
func (v *Advice) selection() output.Object {
	s := v.Selection
	o := output.Pairs("best", s.Best.String(), "candidates", len(s.Candidates), "left", s.Left, "block", s.Block, "jobs", v.Jobs,
		"probability", v.Probability, "sure", s.Sure)
	o.Add("margin", output.Positive(s.Margin))
	o.Add("unstable", output.When(len(s.Unstable) > 0, words.Texts(s.Unstable, policy.Policy.String)))
	return o
}

var objectiveWords = map[advise.Objective]string{advise.Mean: "mean response", advise.P95: "95th percentile of response",
	advise.Slowdown: "mean bounded slowdown", advise.NodeHours: "node-hours a job"}

// percents returns a function that writes a share, or the mean of its interval, in per cent with so many digits.
func percents(digits int) func(any) string {
	return func(v any) string {
		share := meanOf(v)
		if math.Abs(share) < roundings {
			share = 0
		}
		return words.Round(100*share, digits) + " %"
	}
}

// meanOf returns a number, or the mean of an interval.
func meanOf(v any) float64 {
	if e, interval := v.(metric.Interval); interval {
		return e.Mean
	}
	return v.(float64)
}

// width writes half of the width of the interval of a share; "" if the width is unknown.
func width(v any) string {
	e := v.(metric.Interval)
	if !e.IsKnown() {
		return ""
	}
	return percents(2)(e.HalfWidth)
}

// roundings are shares that differences of sums in another order may have.
const roundings = 1e-12

// lessOrMore writes a share by which something takes less.
func lessOrMore(v any) string {
	if share := meanOf(v); share < -roundings {
		return percents(3)(-share) + " more"
	}
	return percents(3)(v) + " less"
}

// mostSteps is how many rows of steps a table shows: the steps for more jobs differ little from row to row.
const mostSteps = 10

// steps says what to do, by the number of jobs.
func (v *Advice) steps() *output.List {
	l := output.NewList("steps", "What to do, by the number of jobs for which the machine was last divided", output.NoCSV,
		advise.Steps(v.Rule, v.Problem.Machine), func(s *advise.Step) output.Row {
			nodes := strconv.Itoa(s.Least)
			if s.Most > s.Least {
				nodes = fmt.Sprintf("%d-%d", s.Least, s.Most)
			}
			return output.Row{output.Col("jobs", "jobs").Is(s.Jobs), output.InTable(v.Node + "s each").Right().Is(nodes),
				output.InTable("wait").Right().Is(output.Positive(s.Waiting)), output.Data("shares", s.Shares),
				output.Data("least_nodes", s.Least), output.Data("most_nodes", s.Most), output.Data("waiting", s.Waiting),
				output.Col("divide_from", "divide again when jobs rise to").Right().Is(output.Positive(s.More)),
				output.Col("divide_down_from", "or fall to").Right().Is(output.Positive(s.Fewer))}
		})
	l.Most = mostSteps
	return l
}

// flatTable says how much worse the rule becomes if one parameter is changed.
func (v *Advice) flatTable() *output.List {
	worse := output.Col("worse", "more").CSV().Right().Else("the rule").Written(percents(2))
	var rows []output.Row
	for _, f := range v.Flat {
		name := f.Name
		if name == "cooldown" {
			name = output.InUnit(name, v.Unit.Name)
		}
		for i, x := range f.Values {
			value := output.InTable("value").Right().Is(valueOf(f.Name, x))
			rows = append(rows, output.Row{output.InTable("parameter").Is(name), value,
				worse.If(x != v.Rule.Get(f.Name), f.Worse[i])})
		}
	}
	return output.TableOfRows(fmt.Sprintf("How much higher the %s is if one parameter changes", objectiveWords[v.Objective]), rows).
		Show(output.InTable("parameter"), output.InTable("value").Right(), worse, widthOf(worse).Else(""))
}

func valueOf(name string, v float64) string {
	if v == 0 && name != "cooldown" {
		return "none"
	}
	return words.Shortest(v)
}

//go:embed advicenotes.txt
var notesText string

var sentences = output.ParseProse(notesText)

// Notes are the sentences about the advice, the first of which is the rule after a lead such as "The rule:".
func (v *Advice) Notes(lead string) []string {
	var flat []string
	for i := range v.Flat {
		f := &v.Flat[i]
		if low, high := f.Within(0.01, v.Rule.Get(f.Name)); low < high {
			flat = append(flat, sentences.Sentences("flat", map[string]string{"Name": f.Name, "Unit": v.Unit.Name,
				"From": valueOf(f.Name, low), "To": valueOf(f.Name, high)})...)
		}
	}
	overloaded := ""
	for _, p := range slices.Backward(v.Problem.Rigid) {
		if !slices.ContainsFunc(v.Gains, func(g advise.Gain) bool { return g.Over == p }) {
			overloaded = p.String()
		}
	}
	return sentences.Sentences("notes",
		map[string]any{"Lead": lead, "Rigid": len(v.Problem.Rigid) > 0, "Overloaded": overloaded, "Rule": v.Rule,
			"Unit": v.Unit.Name, "Jobs": v.Problem.Jobs, "Tried": v.Selection.OfLog, "Left": v.Selection.Left,
			"Candidates": len(v.Selection.Candidates), "Sure": v.Selection.Sure,
			"Probability": v.Probability, "Indifference": v.Indifference,
			"Static": v.BestStatic(), "Losing": v.losing(), "Node": v.Node,
			"NodesOfJob": v.Problem.Machine.Nodes / max(1, v.BestStatic()), "Flat": flat})
}
