// Package advisecmd holds the command that finds the rule by which a machine should resize its jobs.
package advisecmd

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/logview"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/progress"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

//go:embed advise.txt
var help string

// Advise is the command that finds a rule.
func Advise() cli.Command {
	return cli.WithOptions(newOptions, run, cli.Described(help, cli.Command{}))
}

// defaultOver are the parameters that are varied without --over.
var defaultOver = strings.Join(advise.UsualNames(), ",")

type options struct {
	input.LogOptions
	input.Assuming
	load         float64
	sets         []modelfile.Set
	over         [][]overTerm
	objective    advise.Objective
	probability  float64
	indifference float64
	maxJobs      int
	seed         uint64
	points       input.Points
	bound        bool
	systems      string    // the folder; "": none
	controller   string    // the same
	gpus         int       // of a node
	shares       []float64 // of malleable jobs beside rigid jobs; none: all jobs are malleable
	pool         study.Pooling
	plot         chart.Picture
	began        time.Time
}

// mostGPUs bounds the GPUs of a node.
const mostGPUs = 1024

// overTerm is a parameter with the values that --over gives, in which times may have units of their own; "": the usual ones.
type overTerm struct{ name, values string }

// in returns the values where times without a unit are in unit u.
func (t overTerm) in(u measure.TimeUnit) ([]float64, error) {
	list := t.values
	if err := measure.CheckUnits(list); err != nil {
		return nil, err
	}
	if t.name == "cooldown" {
		list = measure.InUnit(list, u)
	}
	return measure.ParseNumbers(list, measure.Limits{Most: 1000})
}

// withExample returns an error about the values of a parameter with an example of values as its hint. It returns nil for nil.
func (t overTerm) withExample(err error) error {
	example := "1,2,4"
	switch {
	case err == nil:
		return nil
	case t.name == "cooldown":
		example = "0:10m:1m"
	}
	return fault.Usagef("for example --over "+t.name+"="+example, "--over: %s", fault.Plain(err))
}

func newOptions() *options {
	return &options{Assuming: input.NewAssuming(), pool: study.OneMachine, objective: advise.Mean,
		probability: advise.DefaultProbability, indifference: advise.DefaultIndifference, seed: cli.DefaultSeed,
		gpus: 1, began: time.Now()}
}

// Flags binds the flags.
func (o *options) Flags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		cli.Values(&o.over, "over", parseOver, cli.About{Default: defaultOver, Words: advise.Parameters(),
			Usage: "vary the parameters `LIST` of the rule: " + strings.Join(advise.Parameters(), ", ") + "; " +
				"or the values of one, as in cooldown=0:10m:1m; " +
				"bare numbers are in the time unit of the model, or seconds of a log; may be repeated"}),
		input.Objective(&o.objective, "minimize `OBJECTIVE`:"),
		cli.Value(&o.probability, "probability", values.Share,
			cli.About{Usage: "select the best rule with the probability `P`, also the level of the intervals"}),
		cli.Value(&o.indifference, "indifference", values.Share, cli.About{Default: "1%",
			Usage: "do not distinguish rules that differ by less than the share `E` of the objective"}),
		cli.Int(&o.maxJobs, "jobs", values.Simulated, cli.About{Was: []string{"max-jobs"}, Default: "60000000",
			Usage: "end the selection after `N` jobs of all rules"}),
		cli.Seed(&o.seed, "draw random numbers from the seed `N`"),
		cli.Switch(&o.bound, "bound", "compare the rule with the best of all policies; all jobs must stop for a "+
			"resize"),
		cli.OutputFolder(&o.systems, "systems", "write settings for Slurm, Kueue, torchrun, "+
			"Kubeflow, Ray, Volcano, HPA and KEDA to the folder `DIR`, and say what the rule loses by each limit of theirs"),
		cli.OutputFolder(&o.controller, "controller", "write a Python program that resizes the "+
			"jobs of Slurm, Kueue or Kubeflow by the rule to the folder `DIR`"),
		cli.Int(&o.gpus, "gpus-per-node", values.Between(0, mostGPUs),
			cli.About{Usage: "let a node of the machine have `N` GPUs in the files of --systems; 0 for none"}),
		cli.Summary(),
		input.Plot(&o.plot, "how much worse the rule becomes if one parameter is changed"),
		input.OneLoad(&o.load, "curve", cli.About{Usage: "rescale the arrivals to the load `LOAD`"}),
		input.Sets(&o.sets),
		input.ResizeCost(&o.Cost, "the resize costs of the model; of a log "+o.Cost.Name),
		input.ResizeAt(&o.points),
		input.Pool(&o.pool, ""),
		input.Malleable(&o.shares, "all jobs, by the best rule"),
		o.WindowFlag(),
	}, o.Assuming.Flags("as the model says; of a log"), o.FactorFlags(), o.LogOptions.Flags())
}

// Check checks what cannot be asked for together.
func (o *options) Check(inv *cli.Invocation) error {
	if o.bound && (o.objective != advise.Mean || inv.Given("resize-cost") || o.points.Text != "") {
		return fault.Usagef("leave the others out", "--bound is about the mean response time and the resize costs of the model, not "+
			"--objective, --resize-cost or --resize-at")
	}
	if inv.Given("gpus-per-node") && o.systems == "" {
		return fault.Usagef("add --systems DIR", "--gpus-per-node is about the files of --systems")
	}
	for _, folder := range []struct{ flag, name string }{{"systems", o.systems}, {"controller", o.controller}} {
		info, err := os.Stat(folder.name)
		if err == nil && !info.IsDir() {
			return fault.Usagef("for example --"+folder.flag+" rules", "--%s: %s is a file; name a folder", folder.flag, folder.name)
		}
	}
	ofLogs := append(cli.Names(o.LogOptions.Flags()), "speedup", "min-nodes", "pool", "malleable", "min-factor",
		"max-factor", "start-window")
	return cmp.Or(input.CheckKind(inv, []string{"set", "bound"}, ofLogs), o.checkMalleable(inv),
		o.LogOptions.Check(inv), o.Assuming.Check(inv))
}

// parseOver reads "cooldown,cap" or "cooldown=0:600:60".
func parseOver(text string) (terms []overTerm, err error) {
	names, list, valued := strings.Cut(text, "=")
	for name := range strings.SplitSeq(names, ",") {
		t := overTerm{strings.TrimSpace(name), list}
		_, err := values.OneOf("unknown parameter", advise.Parameters()...)(t.name)
		if err == nil && valued {
			_, err = t.in(measure.Second())
			err = t.withExample(err)
		}
		if err != nil {
			return nil, err
		}
		terms = append(terms, t)
	}
	return terms, nil
}

// question is a problem with what results say of it.
type question struct {
	advise.Problem
	system  *models.System // nil of a log
	node    string         // what one of the nodes of the machine is called: node, CPU or GPU
	title   string
	unit    measure.TimeUnit
	heading output.Object
	assumed []output.Assumption
}

func run(inv *cli.Invocation, o *options) error {
	if o.shares != nil {
		return o.adviseMalleable(inv)
	}
	q, err := o.question(inv)
	if err != nil {
		return err
	}
	if o.systems != "" && !inv.Given("gpus-per-node") {
		q.assumed = append(q.assumed, output.Assumption{Name: "gpus_per_node", Value: strconv.Itoa(o.gpus), Flag: "--gpus-per-node"})
	}
	a, err := o.advise(inv, q)
	if err != nil {
		return err
	}
	ways, each := o.ways(q, a)
	v := &logview.Advice{Advice: a, Problem: &q.Problem, Title: q.title, Heading: q.heading, Assumed: q.assumed,
		Unit: q.unit, Node: q.node, Objective: o.objective,
		Probability: o.probability, Indifference: o.indifference, Ways: ways, Each: each}
	if o.bound {
		if v.Bound, err = boundOf(inv, q, a); err != nil {
			return err
		}
	}
	v.Seconds = time.Since(o.began).Seconds()
	if err := inv.Emit(v.Result()); err != nil {
		return err
	}
	second := measure.Second().Convert(1, q.unit)
	if err := o.writeSystems(inv, advise.NewSystemSettings(a.Rule, q.Machine, o.gpus, second, a.Split(q.Machine))); err != nil {
		return err
	}
	return input.Draw(inv, o.plot, v.Figure())
}

// selecting is the share of the time of advice on a log that the selection takes.
const selecting = 0.8

// advise finds the rule.
func (o *options) advise(inv *cli.Invocation, q *question) (*advise.Advice, error) {
	over, err := o.parameters(q)
	if err != nil {
		return nil, err
	}
	if o.bound && q.system.Stops == models.ResizedStop {
		return nil, fault.Usagef("add --stops all, or leave --bound out", "--bound: the chains of rules stop all jobs")
	}
	show, clear := inv.Display("comparing rules")
	a, err := q.Advise(inv.Context, over, advise.Options{Objective: o.objective, Probability: o.probability,
		Carried: func(a *advise.Advice) []advise.Carried {
			ways, each := o.ways(q, a)
			return advise.CarriedOut(append(ways, each...))
		},
		Indifference: o.indifference, MaxJobs: int64(o.maxJobs), Seed: o.seed, Workers: inv.Workers, Memory: inv.Memory.Limit(),
		Progress: func(left, all int, jobs int64) {
			// Nobody knows how soon the last two can be told apart.
			state := progress.State{Details: fmt.Sprintf("%d of %d left, %.1f million jobs", left, all, float64(jobs)/1e6)}
			if q.Jobs > 0 {
				state.Fraction = selecting * float64(jobs) / float64(all*q.Jobs)
			}
			show(state)
		}})
	clear()
	return a, adviceError(err, q.unit)
}

// boundOf returns how far the rule is from the best policy; where the distance cannot be found, it warns and returns nil,
// as the advice is good without it.
func boundOf(inv *cli.Invocation, q *question, a *advise.Advice) (*logview.Bound, error) {
	st := decide.OptimumSettings{Settings: markov.Settings{Memory: inv.Memory}}
	bound := new(logview.Bound)
	var err error
	if bound.Optimum, err = decide.Optimal(inv.Context, q.system, st); err == nil {
		bound.Gaps, err = bound.GapsOfRule(inv.Context, q.system, a.Rule, st)
	}
	if err != nil && inv.Context.Err() == nil {
		inv.Warnf("no bound: %s", fault.Plain(err))
		return nil, nil
	}
	return bound, err
}

// question reads the model or the log.
func (o *options) question(inv *cli.Invocation) (*question, error) {
	if input.IsModel(inv.Args[0]) {
		return o.ofModel(inv)
	}
	return o.ofLog(inv)
}

func (o *options) ofModel(inv *cli.Invocation) (*question, error) {
	if err := input.RefuseQueues(inv); err != nil {
		return nil, err
	}
	sets := o.sets
	stops := models.Stops("")
	if inv.Given("stops") {
		stops = o.Stops
		sets = append(slices.Clip(sets), modelfile.Set{Path: "dynamic.stops", Value: string(stops)})
	}
	file, err := input.Load(inv, sets, o.load)
	if err != nil {
		return nil, err
	}
	title := input.Headline(file) + ", on " + validate.MachineFidelity.Machine()
	q := &question{system: file.System, node: "node", title: title, unit: file.TimeUnit, heading: input.Heading(file),
		assumed: input.AssumedBeside(inv, file)}
	of := validate.Options{Points: o.points.In(file.TimeUnit)}
	if inv.Given("resize-cost") {
		if stops == "" {
			q.assumed = append(q.assumed, output.Assumption{Name: modelfile.Stops, Value: string(models.ResizedStop), Flag: "--stops"})
		}
		if of.Costs, err = input.CostOn(&o.Cost, file, stops); err != nil {
			return nil, err
		}
	}
	q.Problem = advise.OfSystem(file.System, of, 3600*measure.Second().Convert(1, file.TimeUnit))
	return q, nil
}

func (o *options) ofLog(inv *cli.Invocation) (*question, error) {
	if o.pool == study.Partitions {
		o.NameNodes()
	}
	log, err := o.LogOptions.Select(inv, inv.Args[0])
	if err != nil {
		return nil, err
	}
	if err := o.checkGPUs(log); err != nil {
		return nil, err
	}
	pool := ""
	if o.pool == study.Partitions { // a rule is for one machine
		if pool, err = o.waiting(inv, log); err != nil {
			return nil, input.Misfit(err)
		}
	}
	m := policy.Machine{Nodes: log.Nodes, Unit: o.Unit}
	o.Points = o.points.Points
	if err := (&replay.Study{Log: log.Log, Unit: o.Unit, Assumptions: o.Assumptions}).Check(); err != nil {
		return nil, input.Misfit(err)
	}
	list, err := log.List(o.load)
	if err != nil {
		return nil, err
	}
	q := &question{unit: measure.Second(), node: output.UnitWord(log.SizesIn()),
		assumed: o.Assumed(inv, replay.Setting{Policy: policy.Dynamic{}})}
	if q.Problem, err = advise.OfLog(m, list, o.Assumptions); err != nil {
		if fits := input.Misfit(err); fits != err {
			return nil, fits
		}
		return nil, &workload.DataError{File: log.Name, Problem: fault.Plain(err)}
	}
	q.title, q.heading = log.Heading(list.Len(), m.Unit, cmp.Or(o.load, log.Load()))
	if pool != "" {
		q.heading.Add("pool", pool)
	}
	log.WarnSkipped()
	return q, o.noteReproduction(inv, log)
}

// noteReproduction notes that EASY backfilling does not reproduce the waits of the log, and warns of what the use of
// nodes calls into question. The error comes from the replay, or from reading the jobs.
func (o *options) noteReproduction(inv *cli.Invocation, log *input.Selection) error {
	easy, err := o.underEASY(inv, log.Log)
	if err != nil {
		return input.Misfit(err)
	}
	text, err := reproduction(inv, log, easy)
	if text != "" {
		inv.Notef("%s", text)
	}
	return err
}

// underEASY replays a log under EASY backfilling and returns the run. The error comes from the replay.
func (o *options) underEASY(inv *cli.Invocation, log *replay.Log) (*replay.Run, error) {
	easy := &replay.Study{Log: log, Policies: []policy.Policy{policy.EASY{}}, Assumptions: o.Assumptions,
		Present: inv.MostKept(replay.BytesPresent)}
	runs, err := easy.Run(inv.Context, inv.Workers)
	if err != nil {
		return nil, err
	}
	return runs[0], nil
}

// waiting replaces the log by the jobs of the partition whose jobs wait longest under EASY, and returns the name of the
// partition. If several partitions have jobs, it notes which partition it took.
func (o *options) waiting(inv *cli.Invocation, log *input.Selection) (pool string, err error) {
	in, err := log.InPools()
	if err != nil {
		return "", err
	}
	easy, err := o.underEASY(inv, in)
	if err != nil {
		return "", err
	}
	number := easy.WaitingPool()
	if log.Log, err = in.Pool(number); err != nil {
		return "", err
	}
	pool = in.Pools.List[number].Name
	if log.Offer.Jobs < in.Offer.Jobs {
		inv.Notef("the rule is for partition %s, whose jobs wait longest; --partition chooses another", pool)
	}
	return pool, nil
}

// parameters returns what is varied.
func (o *options) parameters(q *question) ([]advise.Parameter, error) {
	terms := slices.Concat(o.over...)
	if terms == nil {
		terms, _ = parseOver(defaultOver)
	}
	var over []advise.Parameter
	for _, t := range terms {
		if slices.ContainsFunc(over, func(p advise.Parameter) bool { return p.Name == t.name }) {
			return nil, fault.Usagef("name it once", "--over: %s stands there twice", t.name)
		}
		p := q.Usual(t.name)
		if t.values != "" {
			p.Values, _ = t.in(q.unit) // it was read before
		}
		over = append(over, p)
	}
	if _, err := q.Grid(over); err != nil {
		return nil, fault.Usagef("give fewer values, or others", "--over: %s", fault.Plain(err))
	}
	return over, nil
}

// adviceError puts errors down to flags where they are. Rates are per unit u.
func adviceError(err error, u measure.TimeUnit) error {
	var unstable *models.UnstableError
	if errors.As(err, &unstable) {
		return fmt.Errorf("no rule keeps up with these arrivals: %w", input.PerUnit(unstable, u))
	}
	return input.GivenUp(err)
}

// ways returns the ways in which the rule may be carried out and, where settings are asked for, each of their limits by itself.
func (o *options) ways(q *question, a *advise.Advice) (ways, each []advise.Way) {
	second := measure.Second().Convert(1, q.unit)
	if o.systems != "" {
		each = advise.EachLimit(a.Rule, second)
	}
	return advise.Ways(a.Rule, second, a.Split(q.Machine)), each
}

// writeSystems writes what makes systems carry policies out, as far as it is asked for. Of several machines each has files of its
// own.
func (o *options) writeSystems(inv *cli.Invocation, machines ...*advise.SystemSettings) error {
	controller := func(s *advise.SystemSettings) ([]advise.SystemFile, error) {
		f, err := s.Controller()
		return []advise.SystemFile{f}, err
	}
	for _, w := range []struct {
		flag, folder string
		of           func(*advise.SystemSettings) ([]advise.SystemFile, error)
	}{{"systems", o.systems, (*advise.SystemSettings).Files}, {"controller", o.controller, controller}} {
		if w.folder == "" {
			continue
		}
		var all []advise.SystemFile
		for _, s := range machines {
			files, err := w.of(s)
			if err != nil {
				return err
			}
			for _, f := range files {
				if len(machines) > 1 {
					f = named(f, s.Malleable.Partition)
				}
				all = append(all, f)
			}
		}
		if err := inv.Files.WriteFolder(w.flag, w.folder, all); err != nil {
			return err
		}
		inv.Notef("wrote %s to %s", strings.Join(words.Texts(all, func(f advise.SystemFile) string { return f.Name }), ", "), w.folder)
	}
	return nil
}
