package allocatecmd

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/joblog"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/experiment/days"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// defaultPolicies are those of table 1 of Downey's paper.
const defaultPolicies = "sev,avg,pws,max,asp"

// Allocate is the command that compares policies on days of jobs.
func Allocate(table policy.Table) cli.Command {
	fresh := func() *allocateOptions { return &allocateOptions{confidence: 0.95, seed: 1, table: table} }
	return cli.WithOptions(fresh, allocate, cli.Command{
		Name:      "allocate",
		Group:     cli.Answering,
		Summary:   "compare policies that choose how many nodes a job is to keep",
		Arguments: "[STUDY...]",
		Details: "Runs policies on days of Downey's workload, the same days for all: jobs arrive for twelve hours, then the " +
			"machine runs empty. " + moldingPolicies(table) + " choose how many nodes a job keeps: greedily (a job takes " +
			"what is free, up to its size), with :stubborn (it waits for all of it) or with a share such as avg:0.4 (it waits for that " +
			"share); k:K waits for K times the average parallelism. Policies for rigid jobs give each job its average " +
			"parallelism, policies for malleable jobs resize it at no cost. A study file compares policies over loads or over " +
			"a parameter; --days, --nodes and --seed override what it says.",
		Examples: []string{
			"partwise allocate --load 0.75 --days 1200",
			"partwise allocate --policies sev,sev:stubborn,avg:0.4,k:0.7 --load 0.5,0.75,1 --plot policies.svg",
			"partwise allocate --policies asp,dynamic,easy --days 24",
			"partwise allocate shares.yaml --plot shares.svg",
			"partwise allocate --log log.swf.gz --policies avg,asp,easy",
			"partwise allocate --analytic --load 0.1,0.2 --policies avg,asp --jobs 16000 --phases 3",
		},
		MaxArgs:      cli.MostStudies,
		Formats:      []string{"json", "csv", "markdown", "table"},
		RunsPolicies: policy.WholeNodes,
	})
}

// allocateOptions are the flags of allocate. What is 0 or empty is as a log or a study says or, without them, the
// default that help tells.
type allocateOptions struct {
	policies    []string
	loads       []float64
	days, nodes int
	log         string // whose jobs are given to the policies
	like        string // the log that lifetimes are like
	reading     joblog.Reading
	stages      int // of these lifetimes
	costs       []joblog.ResizeCost
	confidence  float64
	seed        uint64
	plot        cli.Picture
	analytic    analyticOptions
	table       policy.Table
}

// The defaults of flags that logs and studies stand in for.
const (
	defaultNodes  = 64
	defaultDays   = 120
	defaultLoad   = 0.75
	defaultStages = 2
)

// mostDays bounds --days, as study files are bounded.
const mostDays = 100_000_000

// Flags binds the flags.
func (o *allocateOptions) Flags() []cli.Flag {
	return append([]cli.Flag{
		cli.Value(&o.policies, "policies", cli.PolicyList, cli.About{Was: []string{"strategies"}, Default: defaultPolicies,
			Words: o.table.Words(policy.WholeNodes),
			Usage: "compare the policies of `LIST`: " + strings.Join(o.table.On(policy.WholeNodes).Syntax(), ", ")}),
		cli.Loads(&o.loads, cli.About{Default: "0.75; for a log its own",
			Usage: "offer each load of `LIST`, values or ranges A:B:STEP, while jobs arrive; the times between the jobs of a " +
				"log are stretched to it"}),
		cli.Int(&o.days, "days", cli.Between(1, mostDays), cli.About{Default: "120; for a log all of it",
			Usage: "simulate `N` days at each load, or the first N days of a log", Hint: "for example --days 120"}),
		cli.Int(&o.nodes, "nodes", cli.Between(1, machine.MostNodes), cli.About{Default: "64; for a log its MaxProcs or MaxNodes",
			Usage: "run on a machine of `N` nodes", Hint: "for example --nodes 64"}),
		cli.InputFile(&o.log, "log", "run the policies on the jobs of `LOG`, see partwise log: its sizes are "+
			"taken for average parallelism, sigma is drawn between 0 and 2"),
		cli.InputFile(&o.like, "like", "draw the lifetimes of jobs from a uniform-log distribution that is fitted to "+
			"run time × nodes in `LOG`"),
		cli.Int(&o.stages, "stages", cli.Between(1, 2), cli.About{Default: "2", Hint: "for example --stages 1",
			Usage: "fit lifetimes with `N` stages, 1 or 2 (with --like)"}),
		cli.Value(&o.confidence, "confidence", cli.Share, cli.About{Default: "0.95", Hint: "for example --confidence 0.95",
			Usage: "give confidence intervals of the level `LEVEL`"}),
		cli.Seed(&o.seed, "draw jobs from the seed `N`; the same seed gives the same results"),
		cli.Plot(&o.plot, "the measures over loads, or over the parameter of a study,"),
		joblog.ResizeCosts(&o.costs, "0s"),
	}, slices.Concat(o.reading.Flags(), o.analytic.Flags())...)
}

// Check checks what cannot be asked for together.
func (o *allocateOptions) Check(inv *cli.Invocation) error {
	study := len(inv.Args) > 0
	switch {
	case study && o.log != "":
		return cli.Usagef("leave one of them out", "--log and a study: a study has jobs of its own")
	case o.like == "" && o.log == "" && o.reading.Given(inv) != "":
		return cli.Usagef("add --log, or leave it out", "%s without --log or --like", o.reading.Given(inv))
	case o.stages > 0 && o.like == "":
		return cli.Usagef("for example --like LOG.swf --stages 1", "--stages without --like")
	case len(o.costs) > 0 && o.log == "":
		return cli.Usagef("for example --log LOG.swf --resize-cost 60s", "--resize-cost without --log")
	case len(o.costs) > 1:
		return cli.Usagef("partwise replay takes several", "--resize-cost: allocate takes one cost")
	case o.like != "" && o.log != "":
		return cli.Usagef("leave one of them out", "--like and --log: a log has lifetimes of its own")
	}
	for flag, given := range map[string]bool{"policies": o.policies != nil, "load": o.loads != nil, "like": o.like != ""} {
		if study && given {
			return cli.Usagef("change it in the study", "--%s beside a study, which says that itself", flag)
		}
	}
	return o.analytic.Check(inv)
}

// moldingPolicies lists the policies that choose the sizes of jobs.
func moldingPolicies(table policy.Table) string {
	var names []string
	for _, e := range table.On(policy.WholeNodes) {
		if p, err := table.Parse(e.Name); err == nil {
			if _, ok := sched.SizingOf(p); ok {
				names = append(names, e.Name)
			}
		}
	}
	return strings.Join(names, ", ")
}

func allocate(inv *cli.Invocation, o *allocateOptions) error {
	if o.analytic.wanted {
		return analytic(inv, o)
	}
	a := results{table: o.table, confidence: o.confidence}
	run := a.simulate
	if o.log != "" {
		run = a.replay
	}
	if err := run(inv, o); err != nil {
		return err
	}
	if err := inv.Emit(a.result()); err != nil {
		return err
	}
	return inv.Draw(o.plot, a.figure())
}

// results are the studies of one command line with what came of them.
type results struct {
	table      policy.Table
	studies    []*studyResult
	confidence float64
	log        string // whose jobs were given to the policies
}

// studyResult is a study with what came of it.
type studyResult struct {
	policies policy.Table
	study    *modelfile.Allocation
	rows     []row
}

// row is what became of a policy at a load.
type row struct {
	entry        modelfile.Strategy // the policy as the study names it
	parameter    float64
	hasParameter bool
	days.Outcome
}

// readStudies returns the studies that were named, or that which the flags describe.
func readStudies(inv *cli.Invocation, o *allocateOptions) ([]*modelfile.Allocation, error) {
	if len(inv.Args) == 0 {
		one, err := studyOfFlags(inv, o)
		return []*modelfile.Allocation{one}, err
	}
	var all []*modelfile.Allocation
	for _, name := range inv.Args {
		one, err := modelfile.LoadAllocation(name, o.table.On(policy.WholeNodes))
		if err != nil {
			return nil, err
		}
		one.Nodes, one.Days = cmp.Or(o.nodes, one.Nodes), cmp.Or(o.days, one.Days)
		all = append(all, one)
	}
	return all, nil
}

// studyOfFlags returns the study that the flags describe.
func studyOfFlags(inv *cli.Invocation, o *allocateOptions) (*modelfile.Allocation, error) {
	a := &modelfile.Allocation{Nodes: cmp.Or(o.nodes, defaultNodes), Days: cmp.Or(o.days, defaultDays), Loads: o.loads}
	if a.Loads == nil {
		a.Loads = []float64{defaultLoad}
	}
	if o.like != "" {
		if err := addLifetimes(inv, o, a); err != nil {
			return nil, err
		}
	}
	texts := o.policies
	if texts == nil {
		texts = strings.Split(defaultPolicies, ",")
	}
	asked, err := inv.Select("--policies", policy.Machine{Nodes: a.Nodes, Unit: 1}, texts...)
	if err != nil {
		return nil, err
	}
	for _, p := range asked.Run {
		a.Strategies = append(a.Strategies, modelfile.Strategy{Name: p.String(), Text: p.String()})
	}
	return a, nil
}

// simulate simulates all that the command line asks for, load by load.
func (a *results) simulate(inv *cli.Invocation, flags *allocateOptions) error {
	studies, err := readStudies(inv, flags)
	if err != nil {
		return err
	}
	total := 0
	for _, s := range studies {
		one := &studyResult{policies: a.table, study: s}
		a.studies = append(a.studies, one)
		if one.simulated() {
			total += s.Days * len(s.Loads)
		}
	}
	step, clear := inv.Progress(total, "simulating days")
	defer clear()
	var before atomic.Int64
	if inv.Format == "csv" && total > 0 && slices.ContainsFunc(a.studies,
		func(s *studyResult) bool { return !s.simulated() }) {
		return cli.Usagef("write them apart, or as JSON", "--format csv: curves have other columns than what is simulated")
	}
	for _, one := range a.studies {
		if !one.simulated() {
			continue
		}
		for _, load := range one.study.Loads {
			o := days.Options{Seed: flags.seed, Workers: inv.Workers, Confidence: a.confidence,
				Progress: func(done int) { step(int(before.Load()) + done) }}
			if err := one.simulate(inv, load, o); err != nil {
				return err
			}
			before.Add(int64(one.study.Days))
		}
	}
	return nil
}

// simulated tells a study of days from one that only draws curves.
func (s *studyResult) simulated() bool { return s.study.Speedup == nil && s.study.Sizes == nil }

// simulate gives the days of a load to all policies with all values of the parameter.
func (s *studyResult) simulate(inv *cli.Invocation, load float64, o days.Options) error {
	w, err := workloadOf(s.study, load)
	if err != nil {
		return allocationError(s.study, err)
	}
	rows, policies := s.planned()
	outcomes, err := days.Simulate(inv.Context, w, policies, s.study.Days, o)
	if err != nil {
		return err
	}
	for i := range rows {
		rows[i].Outcome = outcomes[i]
	}
	s.rows = append(s.rows, rows...)
	return nil
}

// planned returns the rows of a load, still without outcomes, and their policies.
func (s *studyResult) planned() (rows []row, policies []policy.Policy) {
	add := func(r row, text string) {
		p, err := s.policies.Parse(text)
		if err != nil {
			return // every text was checked when it was read
		}
		rows, policies = append(rows, r), append(policies, p)
	}
	for _, one := range s.study.Strategies {
		if p := s.study.Parameter; p != nil && strings.Contains(one.Text, "*") {
			for _, v := range p.Values {
				add(row{entry: one, parameter: v, hasParameter: true}, one.With(v))
			}
		} else {
			add(row{entry: one}, one.Text)
		}
	}
	return rows, policies
}

// workloadOf returns the workload of a study at a load: Downey's, but for what the study says.
func workloadOf(s *modelfile.Allocation, load float64) (days.Workload, error) {
	w, err := days.Downey(s.Nodes, load)
	if err != nil {
		return w, err
	}
	if s.Jobs.Lifetimes != nil {
		w.Lifetimes = *s.Jobs.Lifetimes
	}
	if s.Jobs.Parallelism != nil {
		w.Parallelism = *s.Jobs.Parallelism
	}
	if s.Jobs.Sigma != nil {
		w.SigmaMin, w.SigmaMax = s.Jobs.Sigma[0], s.Jobs.Sigma[1]
	}
	if s.Jobs.Length > 0 {
		w.Length = s.Jobs.Length
	}
	return w, w.Check()
}

// allocationError puts a workload that cannot be down to the study, or to the flags if there is none.
func allocationError(s *modelfile.Allocation, err error) error {
	if s.File == "" {
		return cli.Usagef("partwise help allocate", "%s", cli.Plain(err))
	}
	return cli.Failf(cli.ExitInput, "%s: %s", s.File, cli.Plain(err))
}
