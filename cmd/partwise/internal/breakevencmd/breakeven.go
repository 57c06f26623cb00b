package breakevencmd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/sentence"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/modelfile/tree"
	"github.com/partwise/partwise/models/policy"
)

// Command is the command that finds where dynamic partitioning begins to pay.
func Command() cli.Command {
	return cli.WithOptions(newOptions, breakeven, cli.Command{
		Name:      "breakeven",
		Group:     cli.Answering,
		Summary:   "up to which overhead, at which loads, from which variability on does dynamic partitioning pay?",
		Arguments: "FILE --over dynamic.overhead|load|scv",
		Details: "Finds where the mean response time of dynamic partitioning crosses that of the best static one, on the " +
			"exact chains, while one thing is varied: all repartition overheads by a factor (the answer is the mean overhead, " +
			"each repartition counted as often as it is started); the load; or the squared coefficient of variation of all " +
			"service times at their means, each being refitted to two moments. The range is walked in steps and every " +
			"crossing in it is found; two that are closer than a step may be missed. Over the load and the scv it also says " +
			"which number of static partitions is best where.",
		Examples: []string{
			"partwise breakeven model.yaml --over dynamic.overhead --load 0.7",
			"partwise breakeven model.yaml --over load",
			"partwise breakeven model.yaml --over scv --from 0.5 --to 10 --format json",
		},
		MinArgs: 1, MaxArgs: 1,
		Formats: []string{"json", "csv", "markdown", "table"},
	})
}

// options are the flags of breakeven.
type options struct {
	over     func() decide.Axis
	from, to *float64 // nil: as far as the axis goes
	steps    int
	load     float64 // 0: as the file says
	sets     []modelfile.Set
	settings markov.Settings
}

func newOptions() *options {
	return &options{steps: 48, settings: model.AnyMethod()}
}

// Flags binds the flags.
func (o *options) Flags() []cli.Flag {
	const rangeHint = "for example --from 0.1 --to 0.9"
	return []cli.Flag{
		cli.Value(&o.over, "over", parseAxis, cli.About{Words: axisNames(),
			Usage: "vary `PARAMETER`: " + tree.Alternatives(axisNames())}),
		cli.Int(&o.steps, "steps", cli.Between(2, mostSteps), cli.About{
			Usage: "search the range in `N` steps", Hint: "for example --steps 48"}),
		cli.Value(&o.from, "from", cli.Optional(parseBound), cli.About{Default: "load 0.01, scv 0.5, dynamic.overhead 0",
			Usage: "begin the range at `X`: a load, an scv, or a factor of the overheads of the file", Hint: rangeHint}),
		cli.Value(&o.to, "to", cli.Optional(cli.PositiveNumber), cli.About{Usage: "end the range at `X`", Hint: rangeHint,
			Default: "load 0.99, scv 25, dynamic.overhead 2, doubled while dynamic partitioning pays there"}),
		model.Method(&o.settings),
		model.LoadFlag(&o.load),
		cli.Sets(&o.sets),
	}
}

// Check checks the axis, and what is beside it.
func (o *options) Check(inv *cli.Invocation) error {
	if o.over == nil {
		return cli.Usagef("use "+tree.Alternatives(axisNames()), "breakeven needs --over")
	}
	axis := o.over()
	if axis.Name == "load" && o.load > 0 {
		return cli.Usagef("use --from and --to for the range of loads", "--load makes no sense with --over load")
	}
	if o.from != nil && *o.from == 0 && axis.Range[0] > 0 { // only what can be left out altogether begins at 0
		return cli.Usagef("for example --from 0.1 --to 0.9", "--from: \"0\" is not a positive number")
	}
	if from, to := o.span(axis); from >= to {
		return cli.Usagef("--to must be larger", "the range of %s from %s to %s is empty", axis.Name, output.Shortest(from),
			output.Shortest(to))
	}
	return nil
}

// span is the range that the flags ask for of an axis.
func (o *options) span(axis decide.Axis) (from, to float64) {
	from, to = axis.Range[0], axis.Range[1]
	if o.from != nil {
		from = *o.from
	}
	if o.to != nil {
		to = *o.to
	}
	return from, to
}

func parseAxis(name string) (func() decide.Axis, error) {
	if name == "overhead" { // its name before
		name = decide.OverOverhead().Name
	}
	i := slices.Index(axisNames(), name)
	if i < 0 {
		return nil, cli.Usagef(tree.Suggest(name, axisNames()), "--over: cannot vary %q", name)
	}
	return axes[i], nil
}

// mostSteps bounds --steps; each is a solution of all chains.
const mostSteps = 100_000

func parseBound(text string) (float64, error) {
	if v, err := strconv.ParseFloat(text, 64); err == nil && v == 0 {
		return 0, nil
	}
	return cli.PositiveNumber(text)
}

// axes are what breakeven can vary.
var axes = []func() decide.Axis{decide.OverOverhead, decide.OverLoad, decide.OverSCV}

func axisNames() []string {
	var names []string
	for _, axis := range axes {
		names = append(names, axis().Name)
	}
	return names
}

func breakeven(inv *cli.Invocation, o *options) error {
	o.settings.Memory = inv.Memory
	question := &decide.Breakeven{Axis: o.over(), Steps: o.steps, Settings: o.settings, Workers: inv.Workers}
	if o.from != nil || o.to != nil {
		question.From, question.To = o.span(question.Axis)
	}
	file, err := model.Load(inv, o.sets, o.load)
	if err != nil {
		return err
	}
	question.System = file.System
	step, clear := inv.Progress(question.Steps+1, "solving")
	question.Progress = step
	answer, err := question.Solve(inv.Context)
	clear()
	switch {
	case errors.Is(err, models.ErrNoOverhead), errors.Is(err, models.ErrPhaseMap), errors.Is(err, models.ErrTooManyPhases):
		return &cli.Error{Code: cli.ExitInput, Err: fmt.Errorf("%s: %s", file.File, cli.Plain(err)), Hint: noOverheadHint(err)}
	case err != nil:
		return model.MethodError(o.settings.Method, err)
	}
	if !answer.Stable() {
		return cli.Failf(cli.ExitUnstable, "no policy is stable anywhere in the range")
	}
	a := solved{file, question.Axis, answer}
	r := a.result()
	if err := a.addReading(inv, question, r); err != nil {
		return err
	}
	return inv.Emit(r)
}

// noOverheadHint says how a model without overheads gets one.
func noOverheadHint(err error) string {
	if errors.Is(err, models.ErrNoOverhead) {
		return "for example --set dynamic.overhead=60s"
	}
	return ""
}

// addReading adds to a result what the answer is if only the resized jobs stop, where it is another one.
func (a *solved) addReading(inv *cli.Invocation, question *decide.Breakeven, r *cli.Result) error {
	if !a.file.Assumes(modelfile.Stops) {
		return nil
	}
	other, err := question.Resized(inv.Context)
	switch {
	case errors.Is(err, models.ErrTooLarge):
		r.Notes = append(r.Notes, solution.NotExamined)
		return nil
	case err != nil || !other.Stable() || !a.answer.Differs(other):
		return err
	}
	b := solved{a.file, a.axis, other}
	sentence := b.sentence()
	r.JSON.Add("resized_jobs_stop", output.Object{{Name: "answer", Value: sentence}, {Name: "intervals", Value: b.intervals()}})
	r.Notes = append(r.Notes, solution.IfResized+"d"+sentence[1:])
	return nil
}

// solved is an answer with its question.
type solved struct {
	file   *modelfile.Model
	axis   decide.Axis
	answer *decide.Answer
}

// factors reports whether the points of the axis are factors of the overheads of the file.
func (a *solved) factors() bool { return a.axis.Value != nil }

func (a *solved) result() *cli.Result {
	r := &cli.Result{JSON: model.Heading(a.file), CSV: a.rows()}
	r.JSON.Add("over", a.axis.Name)
	r.JSON.Add("from", a.answer.From)
	r.JSON.Add("to", a.answer.To)
	r.JSON.Add("answer", a.sentence())
	r.JSON.Add("intervals", a.intervals())
	if a.answer.Splits != nil {
		r.JSON.Add("best_static", a.splits())
	}
	r.JSON.Add("points", a.points())
	r.Tables = append(r.Tables, a.table())
	if len(a.answer.Splits) > 0 {
		r.Tables = append(r.Tables, a.splitTable())
	}
	r.Notes = append(r.Notes, a.sentence(), a.best(), a.present())
	if limit := a.answer.Limit; limit > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("No policy is stable from load %s on.", output.Load(limit)))
	}
	r.Notes = slices.DeleteFunc(r.Notes, func(s string) bool { return s == "" })
	return r
}

// value is what a point means in output; its name says so.
func (a *solved) valueName() string {
	if a.factors() {
		return "mean_overhead"
	}
	return a.axis.Name
}

// accuracy is that of the value of a bound, which is proportional to its point or the point itself.
func accuracy(b *decide.Bound) float64 {
	if b.X == 0 {
		return b.Accuracy
	}
	return b.Accuracy * b.Value / b.X
}

func (a *solved) intervals() []output.Object {
	all := []output.Object{}
	for _, i := range a.answer.Intervals {
		o := output.Object{{Name: "dynamic_pays", Value: i.Pays}}
		for _, end := range []struct {
			name string
			*decide.Bound
		}{{"from", &i.From}, {"to", &i.To}} {
			o.Add(end.name, end.Value)
			if a.factors() {
				o.Add(end.name+"_factor", end.X)
			}
			if end.Crossing {
				o.Add(end.name+"_accuracy", accuracy(end.Bound))
			}
		}
		if i.Best.Decision.Ratio > 0 {
			o.Add("extreme_at", i.Best.Value)
			o.Add("extreme_ratio", i.Best.Decision.Ratio)
		}
		all = append(all, o)
	}
	return all
}

func (a *solved) splits() []output.Object {
	all := []output.Object{}
	for _, s := range a.answer.Splits {
		o := output.Object{{Name: "partitions", Value: s.Partitions}}
		o.Add("from", s.From)
		o.Add("to", s.To)
		if s.Switch {
			o.Add("to_accuracy", s.Accuracy)
		}
		all = append(all, o)
	}
	return all
}

func (a *solved) points() []output.Object {
	all := []output.Object{}
	for i := range a.answer.Probes {
		p := &a.answer.Probes[i]
		o := output.Object{{Name: a.valueName(), Value: p.Value}}
		if a.factors() {
			o.Add("factor", p.X)
		}
		if dynamic := p.Decision.Of(policy.Dynamic{}); dynamic != nil && dynamic.Measures.Stable {
			o.Add("t_dynamic", dynamic.Measures.MeanResponseTime)
		}
		if best := p.Decision.Best; best != nil {
			o.Add("t_static", best.Measures.MeanResponseTime)
			o.Add("best_partitions", best.Partitions())
		}
		if p.Decision.Ratio > 0 {
			o.Add("ratio", p.Decision.Ratio)
		}
		all = append(all, o)
	}
	return all
}

// rows is the answer as CSV: on each part of the range whether dynamic partitioning pays, and the best K.
func (a *solved) rows() [][]string {
	rows := [][]string{{"answer", "value", "from", "to", "to_accuracy"}}
	for _, i := range a.answer.Intervals {
		from, to := output.Shortest(i.From.Value), output.Shortest(i.To.Value)
		row := []string{"dynamic_pays", strconv.FormatBool(i.Pays), from, to, ""}
		if i.To.Crossing {
			row[4] = output.Shortest(accuracy(&i.To))
		}
		rows = append(rows, row)
	}
	for _, s := range a.answer.Splits {
		row := []string{"best_partitions", strconv.Itoa(s.Partitions), output.Shortest(s.From), output.Shortest(s.To), ""}
		if s.Switch {
			row[4] = output.Shortest(s.Accuracy)
		}
		rows = append(rows, row)
	}
	return rows
}

// text writes a point for people, without its unit.
func (a *solved) text(v float64) string {
	text := output.Round(v, 4)
	if strings.Contains(text, ".") && !strings.Contains(text, "e") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// unit is " s" or the like, nothing for numbers.
func (a *solved) unit() string {
	if a.axis.Unit == measure.Time {
		return " " + a.file.TimeUnit.Name
	}
	return ""
}

func (a *solved) table() output.Table {
	name := cmp.Or(map[string]string{"dynamic.overhead": "mean overhead", "scv": "service scv"}[a.axis.Name], a.axis.Name)
	if u := a.unit(); u != "" {
		name += " [" + strings.TrimSpace(u) + "]"
	}
	t := output.Table{Title: a.title(), Columns: []output.Column{
		{Name: name + " from", Number: true}, {Name: "to", Number: true},
	}}
	if a.factors() {
		t.Columns = append(t.Columns, output.Column{Name: "times the file's", Number: true})
	}
	t.Columns = append(t.Columns, output.Column{Name: "faster"}, output.Column{Name: "ratio up to", Number: true},
		output.Column{Name: "at", Number: true})
	for _, i := range a.answer.Intervals {
		row := []string{a.text(i.From.Value), a.text(i.To.Value)}
		if a.factors() {
			row = append(row, output.Round(i.To.X, 4))
		}
		faster := "dynamic"
		if !i.Pays {
			faster = "static"
		}
		ratio := ""
		if i.Best.Decision.Ratio > 0 {
			ratio = fmt.Sprintf("%.3f", i.Best.Decision.Ratio)
		}
		t.Rows = append(t.Rows, append(row, faster, ratio, a.text(i.Best.Value)))
	}
	return t
}

// title names the model, and the load if that is not what is varied.
func (a *solved) title() string {
	if a.axis.Name != "load" {
		return model.Headline(a.file)
	}
	text, _, _ := strings.Cut(model.Headline(a.file), ", load ")
	return text
}

func (a *solved) splitTable() output.Table {
	t := output.Table{Title: "Best static partitioning", Columns: []output.Column{
		{Name: a.axis.Name + " from", Number: true}, {Name: "to", Number: true}, {Name: "K", Number: true},
	}}
	for _, s := range a.answer.Splits {
		t.Rows = append(t.Rows, []string{a.text(s.From), a.text(s.To), strconv.Itoa(s.Partitions)})
	}
	return t
}

// sentence answers the question.
func (a *solved) sentence() string {
	all := a.answer.Intervals
	subjects := map[string]string{"dynamic.overhead": "the mean overhead", "load": "the load", "scv": "the service scv"}
	subject := subjects[a.axis.Name]
	first, last := all[0].From, all[len(all)-1].To
	if len(all) == 1 {
		return a.throughout(all[0].Pays, subject, first, last)
	}
	var parts []string
	for _, i := range all {
		switch {
		case !i.Pays:
		case !i.From.Crossing:
			parts = append(parts, "is below "+a.crossing(i.To))
		case !i.To.Crossing:
			parts = append(parts, "is above "+a.crossing(i.From))
		default:
			parts = append(parts, "is between "+a.crossing(i.From)+" and "+a.crossing(i.To))
		}
	}
	return fmt.Sprintf("Dynamic partitioning pays while %s %s; examined from %s to %s%s.", subject,
		strings.Join(parts, ", and while it "), a.text(first.Value), a.text(last.Value), a.unit())
}

// throughout is the answer if there is no crossing.
func (a *solved) throughout(pays bool, subject string, first, last decide.Bound) string {
	span := fmt.Sprintf("from %s to %s%s", a.text(first.Value), a.text(last.Value), a.unit())
	switch {
	case pays:
		return fmt.Sprintf("Dynamic partitioning pays wherever %s was examined, %s.", subject, span)
	case a.factors() && first.X == 0:
		return "Dynamic partitioning does not pay at this load, not even if repartitions cost nothing."
	}
	return fmt.Sprintf("Dynamic partitioning pays nowhere: %s was examined %s.", subject, span)
}

// crossing writes where curves cross.
func (a *solved) crossing(b decide.Bound) string {
	text := a.text(b.Value) + a.unit()
	if a.factors() {
		text += fmt.Sprintf(" (%s times what the file says)", a.text(b.X))
	}
	return text
}

// present says where the file itself stands, if the answer does not.
func (a *solved) present() string {
	if a.axis.Name != "scv" {
		return ""
	}
	service := a.file.System.Service
	return fmt.Sprintf("The service times of the file have scv %s.", a.text(service[len(service)-1].SCV()))
}

// best says where dynamic partitioning pays most, if that is not obvious.
func (a *solved) best() string {
	var most *decide.Probe
	for i := range a.answer.Intervals {
		if one := &a.answer.Intervals[i]; one.Pays && one.Best.Decision.Ratio > 0 &&
			(most == nil || one.Best.Decision.Ratio > most.Decision.Ratio) {
			most = &one.Best
		}
	}
	if most == nil {
		return ""
	}
	c, where := most.Decision.Compare(), a.axis.Name+" "+output.Round(most.Value, 2)
	switch {
	case c.Winner == decide.NoDifference:
		return fmt.Sprintf("Nowhere does it make a practical difference: near %s, where it pays most, %s.", where,
			sentence.Difference(c.Dynamic, c.Static))
	case a.factors():
		return ""
	}
	return fmt.Sprintf("It pays most near %s: a job takes %s than under the best static split (K=%d).", where,
		sentence.Saving(&c), c.Static.Partitions())
}
