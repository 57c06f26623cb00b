// Package breakevencmd is the command breakeven, which looks for the values of a parameter at which the better policy changes.
package breakevencmd

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

//go:embed breakeven.txt
var help string

// Command returns the command that finds where dynamic partitioning begins to pay.
func Command(table policy.Table) cli.Command {
	return cli.WithOptions(func() *options { return newOptions(table) }, breakeven,
		cli.Described(help, cli.Command{RunsPolicies: policy.Chain}))
}

// options are the flags of breakeven.
type options struct {
	input.LogOptions
	input.Assuming
	shares   []float64 // of malleable jobs
	pool     study.Pooling
	table    policy.Table
	axis     decide.Axis
	against  string  // a policy, or best-static
	class    string  // whose share is varied, by its name
	index    int     // or its place; −1 without a name: that which can use most nodes
	from, to float64 // NaN: as far as the axis goes
	steps    int
	load     float64 // 0: as the file says
	sets     []modelfile.Set
	settings markov.Settings
	plot     chart.Picture
}

func newOptions(table policy.Table) *options {
	return &options{table: table, pool: study.OneMachine, against: policy.BestStatic, Assuming: input.NewAssuming(),
		shares: replay.ForecastShares(), from: math.NaN(), to: math.NaN(), steps: 48, settings: input.AnyMethod()}
}

// mostSteps bounds --steps; each is a solution of all chains.
const mostSteps = 100_000

// Flags binds the flags.
func (o *options) Flags() []cli.Flag {
	const rangeHint = "for example --from 0.1 --to 0.9"
	return slices.Concat([]cli.Flag{
		cli.Value(&o.axis, "over", o.parseAxis, cli.About{Words: axisNames,
			Usage: "vary `PARAMETER`: " + words.Or(axisNames) + "; serial is the serial share of all jobs, share that of the class " +
				"of jobs that can use most nodes, or asks for most, jobs.classes[NAME].share that of another"}),
		cli.Value(&o.against, "against", values.AsIs, cli.About{Default: policy.BestStatic, Words: o.rivals(),
			Usage: "compare dynamic partitioning with `POLICY`, one of " + words.Or(o.rivals())}),
		cli.Int(&o.steps, "steps", values.Between(2, mostSteps), cli.About{
			Usage: "search the range in `N` steps", Hint: "for example --steps 48"}),
		cli.Value(&o.from, "from", parseBound, cli.About{Default: "load 0.01, scv 0.5, dynamic.overhead 0, serial 0.001, share 0",
			Usage: "begin the range at `X`: a load, an scv, a share, or a factor of the resize costs of the file", Hint: rangeHint}),
		cli.Value(&o.to, "to", parseBound, cli.About{Usage: "end the range at `X`", Hint: rangeHint,
			Default: "load 0.99, scv 25, serial 1, share 1, dynamic.overhead 2, doubled while dynamic partitioning pays there"}),
		cli.Summary(),
		cli.Unlisted(input.Method(&o.settings)),
		input.LoadFlag(&o.load),
		input.Sets(&o.sets),
		input.Plot(&o.plot, "the ratio of the response times of a model over the range"),
		input.Malleable(&o.shares, "20%, 50%, 100%"),
		input.Pool(&o.pool, ""),
		o.WindowFlag(),
	}, o.Assuming.Flags("as the model says; of a log"), o.FactorFlags(), o.logFlags())
}

// axisShare is the name of the last axis, over the share of a class, which not all models have.
const axisShare = "share"

// shareAxis stands for the axis of a share until the classes of the model are known.
var shareAxis = decide.Axis{Name: axisShare, Range: [2]float64{0, 1}, Ends: true}

var axisNames, parseName = values.ByName("cannot vary", append(decide.Axes(), shareAxis),
	func(a decide.Axis) string { return a.Name })

func (o *options) parseAxis(name string) (decide.Axis, error) {
	if name == "overhead" { // its name before
		name = axisNames[0]
	}
	o.class, o.index = "", -1
	if class, index, ok := modelfile.ClassOfShare(name); ok {
		o.class, o.index, name = class, index, axisShare
	}
	return parseName(name)
}

// overShare completes the axis of the share of a class, for which the classes must be known.
func (o *options) overShare(s *models.System) error {
	names := words.Texts(s.Classes, func(c models.Class) string { return c.Name })
	if len(names) < 2 {
		return fault.Usagef("see partwise init mixed", "--over share: the model has no classes of jobs")
	}
	k := s.Widest()
	switch {
	case o.class != "":
		k = slices.Index(names, o.class)
	case o.index >= 0:
		k = o.index
	}
	if k < 0 || k >= len(names) {
		class := cmp.Or(o.class, fmt.Sprintf("[%d]", o.index))
		return fault.Usagef(words.Suggest(o.class, names), "--over: there is no class %s", class)
	}
	axis, err := decide.ShareAxis(s, k)
	if errors.Is(err, decide.ErrHeldShares) {
		return fault.Usagef("give another class a weight, for example share: 1", "--over: the share of class %s cannot vary: %s",
			names[k], fault.Plain(decide.ErrHeldShares))
	}
	if err != nil {
		return err
	}
	o.axis = axis
	return o.checkSpan()
}

// rivals returns what --against may name.
func (o *options) rivals() []string {
	return slices.DeleteFunc(o.table.Choices(policy.Chain), func(text string) bool {
		return text == policy.EveryStatic || text == policy.Dynamic{}.Name()
	})
}

// rival reads --against for a model; nil is the best static policy.
func (o *options) rival(inv *cli.Invocation, file *modelfile.Model) (policy.Policy, error) {
	if o.against == policy.BestStatic {
		return nil, nil
	}
	asked, err := input.Select(inv, "--against", file.System.Machine(), file.TimeUnit, o.against)
	if err != nil {
		return nil, err
	}
	if len(asked.Named) != 1 || asked.Named[0] == (policy.Dynamic{}) {
		return nil, fault.Usagef("for example --against fcfs",
			"--against: dynamic partitioning is compared with one other policy, not with %q", o.against)
	}
	return asked.Named[0], nil
}

// parseBound reads an end of the range, 0 included, also as a percentage.
func parseBound(text string) (float64, error) {
	if v, ok := measure.ParseNumber(strings.TrimSpace(text)); ok && v >= 0 {
		return v, nil
	}
	if _, ok := measure.ParseDuration(text, measure.Second()); ok {
		return 0, fmt.Errorf("%q is a time; resize costs are varied by factors of the costs in the file", text)
	}
	return values.PositiveNumber(text)
}

// Check checks the axis and its range.
func (o *options) Check(inv *cli.Invocation) error {
	if err := o.checkKind(inv); err != nil {
		return err
	}
	switch {
	case !input.IsModel(inv.Args[0]):
		return nil
	case o.axis.Name == "":
		return fault.Usagef("use "+words.Or(axisNames), "breakeven needs --over")
	case o.axis.Name == "load" && o.load > 0:
		return fault.Usagef("use --from and --to for the range of loads", "--load makes no sense with --over load")
	}
	return o.checkSpan()
}

// checkSpan checks the range that the flags ask for against the axis.
func (o *options) checkSpan() error {
	from, to := o.span()
	switch {
	case from == 0 && o.axis.Range[0] > 0: // only an overhead can be 0
		return fault.Usagef("for example --from 0.1 --to 0.9", "--from: \"0\" is not a positive number")
	case o.axis.Ends && to > o.axis.Range[1]:
		return fault.Usagef("for example --to "+words.Trimmed(o.axis.Range[1]/2), "--to: a share is at most %s, not %s",
			words.Trimmed(o.axis.Range[1]), words.Shortest(to))
	case from >= to && !(o.axis.Grows && math.IsNaN(o.to)):
		return fault.Usagef(o.otherRange(from), "the range of %s from %s to %s is empty", o.axis.Name, words.Shortest(from),
			words.Shortest(to))
	}
	return nil
}

// otherRange says which flags make a range that is not empty, if the range ends at --from or before.
func (o *options) otherRange(from float64) string {
	last := words.Shortest(o.axis.Range[1])
	switch {
	case !math.IsNaN(o.to):
		return "--to must be larger than --from"
	case o.axis.Ends || o.axis.Limit != nil: // most machines are not stable at a load of 1
		return "--from must be below " + last
	}
	return fmt.Sprintf("without --to the range ends at %s; for example --to %s", last, words.Shortest(2*from))
}

// span returns the range that the flags ask for.
func (o *options) span() (from, to float64) {
	from, to = o.from, o.to
	if math.IsNaN(from) {
		from = o.axis.Range[0]
	}
	if math.IsNaN(to) {
		to = o.axis.Range[1]
	}
	return from, to
}

func breakeven(inv *cli.Invocation, o *options) error {
	if !input.IsModel(inv.Args[0]) {
		return ofLog(inv, o)
	}
	if err := input.RefuseQueues(inv); err != nil {
		return err
	}
	o.settings.Memory = inv.Memory
	file, err := input.Load(inv, o.sets, o.load)
	if err != nil {
		return err
	}
	if o.axis.Name == axisShare {
		if err := o.overShare(file.System); err != nil {
			return err
		}
	}
	rival, err := o.rival(inv, file)
	if err != nil {
		return err
	}
	question := &decide.Breakeven{System: file.System, Axis: o.axis, Against: rival, Steps: o.steps,
		Settings: o.settings, Workers: inv.Workers}
	question.From, question.To = o.span()
	if !inv.Given("to") {
		question.To = 0 // as far as dynamic partitioning pays
	}
	step, clear := inv.Progress(question.Steps+1, "solving")
	question.Progress = step
	answer, err := question.Solve(inv.Context)
	clear()
	hint := o.fewerPhases(inv, question, err)
	switch {
	case errors.Is(err, decide.ErrNoOverhead):
		hint = "for example --set dynamic.overhead=60s"
		fallthrough
	case errors.Is(err, decide.ErrPhaseMap), errors.Is(err, decide.ErrTooManyPhases), errors.Is(err, decide.ErrNoSerialShare):
		return fault.Hint(fault.ExitInput, hint, fmt.Errorf("%s: %s", file.File, fault.Plain(err)))
	case hint != "":
		return fault.Hint(fault.ExitTooLarge, hint, err)
	case err != nil:
		return input.MethodError(o.settings.Method, err)
	case !answer.Stable():
		return fault.Failf(fault.ExitUnstable, "no policy is stable anywhere in the range")
	}
	a := solved{file, question, answer}
	r := a.result()
	if err := a.addReading(inv, r); err != nil {
		return err
	}
	if err := inv.Emit(r); err != nil {
		return err
	}
	return input.Draw(inv, o.plot, a.figure())
}

// fewerPhases says from which scv on the chains are small enough, if err says that those of smaller ones are not. It is "" if the
// range can begin nowhere.
func (o *options) fewerPhases(inv *cli.Invocation, b *decide.Breakeven, err error) string {
	if o.axis.Name != "scv" || !errors.Is(err, markov.ErrTooLarge) && !errors.Is(err, decide.ErrTooManyPhases) {
		return ""
	}
	from, to := o.span()
	least := b.LeastSCV(inv.Context)
	hint := "use --from " + words.Trimmed(math.Ceil(least*1000)/1000)
	switch {
	case least <= from, least == 1: // a larger scv has two phases
		return ""
	case least >= to:
		hint += ", and a larger --to"
	}
	return hint + ": a smaller scv takes more phases"
}

// mostToSearch is the largest number of partitions for which [Changes] solves the chains of a whole range.
const mostToSearch = 32

// Changes says where dynamic partitioning pays over the load and over the resize cost of a model, a sentence for each. It says
// nothing of an axis that the model does not have, and only names the command for a machine whose chains take long.
func Changes(ctx context.Context, file *modelfile.Model, settings markov.Settings, workers int) (all []string) {
	if file.System.Machine().Partitions() > mostToSearch {
		return []string{"Where the answer changes: partwise breakeven, over the load or dynamic.overhead."}
	}
	for _, axis := range decide.Axes() {
		if axis.Name != "load" && axis.Name != "dynamic.overhead" {
			continue
		}
		question := &decide.Breakeven{System: file.System, Axis: axis, Settings: settings, Workers: workers}
		if answer, err := question.Solve(ctx); err == nil && answer.Stable() {
			all = append(all, (&solved{file, question, answer}).sentence())
		}
	}
	return all
}

// figure draws the ratio of the response times over the range that was searched.
func (a *solved) figure() *chart.Figure {
	ratio := chart.Panel{Title: "Above the line at 1 dynamic partitioning is faster", YLabel: "times as fast as " + a.rival(),
		HasRule: true, Rule: 1, Log: true}
	for i := range a.answer.Probes {
		if p := &a.answer.Probes[i]; p.Comparison.BothStable {
			ratio.Add(chart.Line{}, p.Value, p.Comparison.Ratio)
		}
	}
	label := output.InUnit(a.Axis.Quantity, a.Axis.Unit.In(a.file.TimeUnit.Name))
	return &chart.Figure{Title: a.file.Title, XLabel: label, Series: []string{"ratio"}, Panels: []chart.Panel{ratio}}
}

// addReading adds the answer if only the resized jobs stop, where that is another answer.
func (a *solved) addReading(inv *cli.Invocation, r *output.Result) error {
	if !a.file.Assumes(modelfile.Stops) {
		return nil
	}
	other, err := a.Resized(inv.Context)
	switch {
	case errors.Is(err, markov.ErrTooLarge):
		r.Note(solution.NotExamined)
		return nil
	case err != nil || !other.Stable() || !a.answer.Differs(other):
		return err
	}
	b := solved{a.file, a.Breakeven, other}
	r.Add("resized_jobs_stop", output.Pairs("answer", b.sentence(), "intervals", b.intervals().Objects()))
	r.Notes = append(r.Notes, words.Sentence(solution.IfResized, b.clause()))
	return nil
}

// solved is an answer with its question.
type solved struct {
	file *modelfile.Model
	*decide.Breakeven
	answer *decide.Answer
}

// rival returns the short name of what dynamic partitioning is compared with.
func (a *solved) rival() string {
	if a.Against == nil {
		return "static"
	}
	return a.Against.String()
}

// factors reports whether the points of the axis are factors of the overheads of the file.
func (a *solved) factors() bool { return a.Axis.Value != nil }

func (a *solved) result() *output.Result {
	r := &output.Result{Object: append(input.Heading(a.file),
		output.Pairs("over", a.Axis.Name, "against", output.When(a.Against != nil, a.rival()),
			"from", a.answer.From, "to", a.answer.To, "answer", a.sentence())...), Assumed: input.Assumed(a.file.Assumed)}
	r.List(a.intervals())
	if len(a.answer.Splits) > 0 {
		r.List(a.splits())
	}
	r.Add("points", a.points())
	r.Notes = append(r.Notes, words.NonEmpty(a.sentence(), a.BestSentence(a.answer))...)
	if a.Axis.Name == "scv" {
		service := a.file.System.Service
		r.Note("The service times of the file have scv %s.", words.Trimmed(service[len(service)-1].SCV()))
	}
	if limit := a.answer.Limit; limit > 0 {
		r.Note("No policy is stable from load %s on.", words.Load(limit))
	}
	return r
}

// intervals returns where dynamic partitioning pays, and where it does not.
func (a *solved) intervals() *output.List {
	title, from, factor := input.Headline(a.file), a.Axis.Quantity+" from", ""
	switch {
	case a.factors():
		from, factor = output.InUnit(a.Axis.Quantity, a.file.TimeUnit.Name)+" from", "times the file's"
	case a.Axis.Name == "load":
		title = input.MachineHeadline(a.file)
	}
	return output.NewList("intervals", title, output.Wide, a.answer.Intervals, func(i *decide.Interval) output.Row {
		faster := a.rival()
		if i.Pays {
			faster = "dynamic"
		}
		return output.Row{output.InCSV("answer", "dynamic_pays"), output.InCSV("value", i.Pays), output.InJSON("dynamic_pays", i.Pays),
			point("from", from).Is(i.From.Value), output.Col("from_factor", "").JSON().If(a.factors(), i.From.X),
			output.InJSON("from_accuracy", accuracy(&i.From)), point("to", "to").Is(i.To.Value),
			output.Col("to_factor", factor).JSON().If(a.factors(), i.To.X), output.Data("to_accuracy", accuracy(&i.To)),
			output.InTable("faster").Is(faster),
			output.Col("extreme_ratio", "times as fast").Decimals(3).JSON().Is(output.Positive(i.Best.Comparison.Ratio)),
			point("extreme_at", "at").JSON().Is(i.Best.Value)}
	})
}

// accuracy returns the accuracy of a crossing; nil for an end of the range.
func accuracy(b *decide.Bound) any { return output.When(b.Crossing, b.ValueAccuracy()) }

// point returns a column of points of the axis.
func point(key, head string) output.Column {
	return output.Col(key, head).Right().Written(func(v any) string { return words.Trimmed(v.(float64)) })
}

// splits returns which number of static partitions is best where.
func (a *solved) splits() *output.List {
	return output.NewList("best_static", "Best static partitioning", output.Wide, a.answer.Splits, func(s *decide.Split) output.Row {
		return output.Row{output.InCSV("answer", "best_partitions"), output.InCSV("value", s.Partitions),
			point("from", a.Axis.Name+" from").Is(s.From), point("to", "to").Is(s.To),
			output.Col("partitions", "K").JSON().Is(s.Partitions), output.Data("to_accuracy", output.When(s.Switch, s.Accuracy))}
	})
}

// points returns what was solved.
func (a *solved) points() []output.Object {
	var all []output.Object
	for i := range a.answer.Probes {
		p := &a.answer.Probes[i]
		o := output.Pairs(a.Axis.Name, p.Value)
		if a.factors() {
			o = output.Pairs("mean_overhead", p.Value, "factor", p.X)
		}
		if d := p.Comparison.Dynamic; d != nil && d.Measures.Stable {
			o.Add("dynamic", meanResponseTime(d))
		}
		switch rival := p.Comparison.Rival; {
		case rival == nil:
		case a.Against == nil:
			o.Add("best_static", solution.BestObject(rival))
		default:
			o.Add(a.rival(), meanResponseTime(rival))
		}
		o.Add("ratio", output.Positive(p.Comparison.Ratio))
		all = append(all, o)
	}
	return all
}

// meanResponseTime returns the mean response time of a policy as JSON.
func meanResponseTime(r *decide.Solved) output.Object {
	return output.Pairs(measure.MeanResponseTime, r.Measures.MeanResponseTime)
}

// sentence returns the answer in words.
func (a *solved) sentence() string { return words.Sentence(a.clause()) }

// clause returns the answer in words, as a clause, see [words.Sentence].
func (a *solved) clause() string { return a.Clause(a.answer, a.file.TimeUnit.Name) }
