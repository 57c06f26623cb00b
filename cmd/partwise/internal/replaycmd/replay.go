package replaycmd

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/joblog"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/tree"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/quantity"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/machine"
)

// defaultReplay are the policies of a replay that names none.
var defaultReplay = []string{"fcfs", "easy", "conservative"}

// Command is the command that runs the jobs of a log under policies.
func Command(table policy.Table) cli.Command {
	fresh := func() *replayOptions { return newReplayOptions(table) }
	return cli.WithOptions(fresh, replay, cli.Command{
		Name:      "replay",
		Group:     cli.Checking,
		Summary:   "run the jobs of a log under policies that reorder, mold or resize them",
		Arguments: "LOG",
		Details: "Runs a job log, in Standard Workload Format or as a batch system writes it, compressed or not, on a " +
			"machine that gives each job nodes of its own. Policies for rigid jobs give jobs the nodes that they ask for " +
			"and differ in the order; policies for moldable jobs choose how many nodes a job keeps from its start to its " +
			"end; policies for malleable jobs resize running jobs, at the cost --resize-cost, which the resized jobs pay. " +
			"With --malleable only a share of the jobs can be resized, within bounds, and the others are rigid. EASY " +
			"backfilling of the same jobs is always run as well, and results have the ratio of its mean response time to " +
			"the policy's. --load, --malleable and --resize-cost take several values. A log in Standard Workload Format is read " +
			"as it is run: memory grows with the jobs in the system, not with the log, unless --sort is given; others are read " +
			"first, into 32 bytes a job.",
		Examples: []string{
			"partwise replay log.swf.gz",
			"partwise replay log.swf.gz --policy easy --estimates times:2 --jobs-output jobs.csv",
			"partwise replay log.swf.gz --policy easy --policy asp --policy dynamic --load 0.8 --format table --by-month",
			"partwise replay log.swf.gz --policy easy --policy conservative --load 0.5:0.8:0.1 --plot load.svg",
			"partwise replay log.swf.gz --malleable 20% --resize-cost 60s",
			"partwise replay log.swf.gz --malleable 0%:100%:20% --resize-cost 0s,60s,240s --plot benefit.svg",
			"partwise replay log.swf.gz --policy easy-malleable --same-p95 --objective p95 --deadline 6h",
		},
		MinArgs: 1, MaxArgs: 1,
		Formats:      []string{"json", "csv", "markdown", "table"},
		RunsPolicies: policy.WholeNodes,
	})
}

// replayOptions are the flags of replay.
type replayOptions struct {
	joblog.Options
	loads        []float64 // none: as logged
	policies     []string
	estimates    joblog.Estimates
	compress     string
	kill         bool
	sigma        float64
	speedup      namedSpeedup
	unit         int
	replications int
	seed         uint64
	byMonth      bool
	bySize       bool
	costs        []joblog.ResizeCost
	points       joblog.Points
	shares       []float64 // of malleable jobs; none: as the policies take them
	least, most  float64   // factors of the nodes that malleable jobs ask for
	objective    objective
	deadline     float64 // in seconds; 0: none
	sameP95      bool
	jobsOutput   string
	elastisim    string // the folder; "": none
	plot         cli.Picture
	table        policy.Table
}

func newReplayOptions(table policy.Table) *replayOptions {
	return &replayOptions{policies: defaultReplay, estimates: joblog.Logged(), compress: policy.CompressEarly.String(),
		sigma: 1, speedup: namedSpeedup{workload.Linear{}, "linear"}, unit: 1, replications: 1, seed: 1, table: table,
		costs: []joblog.ResizeCost{{Text: "0s"}}, least: 0.5, most: 2, objective: objectives[0].name}
}

// mostReplications bounds --replications: the results of all are kept.
const mostReplications = 10_000

// Flags binds the flags.
func (o *replayOptions) Flags() []cli.Flag {
	return append(o.Options.Flags(),
		cli.Loads(&o.loads, cli.About{Was: []string{"loads"}, Usage: "run once for each load of `LIST`, values or " +
			"ranges A:B:STEP, to which the times between submissions are stretched"}),
		cli.PolicyTexts(&o.policies, o.table, policy.WholeNodes, strings.Join(defaultReplay, ", ")),
		cli.Value(&o.estimates, "estimates", joblog.ParseEstimates, cli.About{Default: o.estimates.Name,
			Usage: "let policies plan with the run times `ESTIMATES`: " + strings.Join(joblog.EstimateForms(), ", "),
			Hint:  "for example --estimates uniform:4"}),
		cli.Choice(&o.compress, "compress", "unknown compression", policy.Compressions(), cli.About{Default: o.compress,
			Usage: "compress the reservations of conservative backfilling `WHEN`: early (when a job ends before its " +
				"estimate), always (when any ends) or never"}),
		cli.Switch(&o.kill, "kill-at-estimate", "kill jobs that run longer than their estimates"),
		cli.Value(&o.sigma, "sigma", nonnegativeNumber, cli.About{Default: "1", Hint: "for example --sigma 1",
			Usage: "give jobs that are molded Downey's speedup with this `SIGMA`; their average parallelism is the nodes that " +
				"they ask for"}),
		cli.Value(&o.speedup, "speedup", parseSpeedup, cli.About{Default: o.speedup.name,
			Usage: "give jobs that get other nodes than they ask for the speedup `SPEEDUP`: " + workload.SpeedupForms(),
			Hint:  "for example --speedup amdahl:0.05"}),
		cli.Int(&o.unit, "min-nodes", cli.PositiveInt, cli.About{
			Usage: "give partitions in multiples of `M` nodes", Hint: "for example --min-nodes 4"}),
		cli.Int(&o.replications, "replications", cli.Between(1, mostReplications), cli.About{
			Usage: "report the mean of `N` runs with other random estimates", Hint: "for example --replications 10"}),
		cli.Seed(&o.seed, "draw random estimates, and which jobs are malleable, from the seed `N`; the same seed gives the "+
			"same results"),
		joblog.ResizeCosts(&o.costs, "0s"),
		joblog.ResizeAt(&o.points),
		cli.Value(&o.shares, "malleable", parseShares, cli.About{Default: "all that the policies resize",
			Hint: "for example --malleable 20%",
			Usage: "let the share `SHARE` of the jobs be malleable, between --min-factor and --max-factor times the nodes that " +
				"they ask for, and the others rigid; several values or ranges A:B:STEP are separated by commas"}),
		cli.Value(&o.least, "min-factor", nonnegativeNumber, cli.About{Default: "0.5", Hint: "for example --min-factor 0.5",
			Usage: "give malleable jobs at least `FACTOR` times the nodes that they ask for"}),
		cli.Value(&o.most, "max-factor", cli.PositiveNumber, cli.About{Default: "2", Hint: "for example --max-factor 2",
			Usage: "give malleable jobs at most `FACTOR` times the nodes that they ask for"}),
		cli.Choice(&o.objective, "objective", "unknown objective", objectiveNames(), cli.About{Default: string(o.objective),
			Usage: "call the policy with the least `OBJECTIVE` the best: " + tree.Alternatives(cli.Words(objectiveNames()))}),
		cli.Value(&o.deadline, "deadline", parseDeadline, cli.About{Hint: "for example --deadline 6h",
			Usage: "tell the share of the jobs whose response time exceeds `TIME`"}),
		cli.Switch(&o.sameP95, "same-p95", "search for the number of nodes on which each policy has the same 95th percentile "+
			"of the response time as EASY on the whole machine"),
		cli.Switch(&o.bySize, "by-size", "add a table by the nodes that jobs ask for"),
		cli.OutputFile(&o.jobsOutput, "jobs-output", "write what happened to each job to `FILE`, as CSV"),
		cli.Text(&o.elastisim, "elastisim-output", cli.About{File: true,
			Usage: "fill the folder `DIR` with files for ElastiSim: the jobs, as the first policy takes them, the machine and, for " +
				"dynamic, a scheduler"}),
		cli.Switch(&o.byMonth, "by-month", "add a table by month of submission"),
		cli.Plot(&o.plot, "the policies over several loads, or the ratio to EASY over shares of malleable jobs and costs,"))
}

// Check checks what cannot be asked for together.
func (o *replayOptions) Check(inv *cli.Invocation) error {
	several := len(o.shares) > 1 || len(o.costs) > 1
	mix := workload.Mix{Least: o.least, Most: o.most}
	switch err := mix.Check(); {
	case err != nil:
		return cli.Usagef("for example --min-factor 0.5 --max-factor 2", "--min-factor, --max-factor: %s", cli.Plain(err))
	case o.plot.Wanted() && len(o.loads) < 2 && !several:
		return cli.Usagef("for example --load 0.5:0.9:0.1 or --malleable 0%:100%:20%",
			"--plot draws against the load, or against shares and costs: give several with --load, --malleable or --resize-cost")
	case o.plot.Wanted() && len(o.loads) > 1 && several:
		return cli.Usagef("leave one of them out", "--plot draws against the load or against shares and costs, not both")
	case o.jobsOutput != "" && (len(o.loads) > 1 || several):
		return cli.Usagef("leave one of them out", "--jobs-output with several loads, shares or costs")
	case o.sameP95 && (len(o.loads) > 1 || several):
		return cli.Usagef("leave one of them out", "--same-p95 with several loads, shares or costs")
	case o.elastisim != "" && (len(o.loads) > 1 || several):
		return cli.Usagef("leave one of them out", "--elastisim-output with several loads, shares or costs")
	case o.elastisim != "" && (o.points.Number == 0 || o.points.Together || !o.costs[0].Flat()):
		return cli.Usagef("for example --resize-at 50 --resize-cost 60s", "--elastisim-output: there each job is resized by itself, "+
			"at a number of scheduling points, at one cost")
	}
	return o.Options.Check(inv)
}

// parseShares reads shares and ranges of them, with or without per cent signs.
func parseShares(text string) ([]float64, error) {
	var fractions []string
	for term := range strings.SplitSeq(text, ",") {
		parts := strings.Split(term, ":")
		for i, part := range parts {
			number, percent := strings.CutSuffix(strings.TrimSpace(part), "%")
			v, ok := quantity.Decimal(strings.TrimSpace(number))
			if !ok {
				return nil, fmt.Errorf("%q is not a share", part)
			}
			if percent {
				v /= 100
			}
			parts[i] = strconv.FormatFloat(v, 'g', 12, 64)
		}
		fractions = append(fractions, strings.Join(parts, ":"))
	}
	shares, err := quantity.Parse(strings.Join(fractions, ","), quantity.Limits{Most: 1000})
	if err != nil {
		return nil, fmt.Errorf("%q is not a list of shares such as 20%% or 0%%:100%%:20%%", text)
	}
	for _, v := range shares {
		if !(v >= 0 && v <= 1) {
			return nil, fmt.Errorf("%q: %g %% is not between 0 and 100 %%", text, 100*v)
		}
	}
	return shares, nil
}

func parseDeadline(text string) (float64, error) {
	v, err := quantity.Time(text, quantity.Second)
	if err == nil && !(v > 0) {
		err = fmt.Errorf("%q is not a positive time", text)
	}
	return v, err
}

// objective is what --objective calls the measure by which policies are compared; less is better.
type objective string

// objectives are the measures by their names.
var objectives = []struct {
	name    objective
	measure string
}{{"mean", measure.MeanResponseTime}, {"p95", measure.ResponseTimePercentile(0.95)},
	{"slowdown", measure.MeanBoundedSlowdown}, {"node-hours", measure.NodeHoursHeld}}

func objectiveNames() []objective {
	var names []objective
	for _, o := range objectives {
		names = append(names, o.name)
	}
	return names
}

// measure returns the measure of an objective.
func (o objective) measure() measure.Measure {
	for _, q := range objectives {
		if q.name == o {
			return measure.Must(q.measure)
		}
	}
	panic("replay: no objective " + string(o))
}

// namedSpeedup is a speedup as a flag writes it.
type namedSpeedup struct {
	workload.Speedup
	name string
}

func parseSpeedup(text string) (namedSpeedup, error) {
	s, err := workload.ParseSpeedup(text)
	return namedSpeedup{s, text}, err
}

func nonnegativeNumber(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 1) {
		return 0, fmt.Errorf("%q is not a nonnegative number", text)
	}
	return v, nil
}

// logReplay is a log with what is to be run on it.
type logReplay struct {
	*replayOptions
	log   *joblog.Selection
	asked *policy.Selection
	ended func() // is told of each job that ends
}

// newLogReplay opens the log and selects its jobs and the policies.
func newLogReplay(inv *cli.Invocation, o *replayOptions) (*logReplay, error) {
	r := &logReplay{replayOptions: o, ended: func() {}}
	var err error
	if r.log, err = o.Select(inv, inv.Args[0]); err != nil {
		return nil, err
	}
	if r.log.Nodes > machine.MostNodes {
		return nil, cli.Usagef("say with --nodes how many the machine has", "%s: %d nodes are more than %d, the most that are simulated",
			r.log.Path, r.log.Nodes, machine.MostNodes)
	}
	if r.log.Nodes%o.unit != 0 {
		return nil, cli.Usagef("choose --nodes and --min-nodes that fit each other",
			"--min-nodes: %d nodes are not a multiple of %d", r.log.Nodes, o.unit)
	}
	r.asked, err = inv.Select("--policy", policy.Machine{Nodes: r.log.Nodes, Unit: o.unit}, o.policyTexts(inv)...)
	if err != nil {
		return nil, err
	}
	return r, r.checkMix(inv)
}

// policyTexts returns what --policy says, and what --compress says of conservative where --policy does not.
func (o *replayOptions) policyTexts(inv *cli.Invocation) []string {
	texts := slices.Clone(o.policies)
	if o.shares != nil && !inv.Given("policy") {
		texts = []string{policy.EASY{}.Name(), policy.EASYMalleable{}.Name()}
	}
	conservative := policy.Conservative{}.Name()
	for i := range texts {
		if texts[i] == conservative && o.compress != policy.CompressEarly.String() {
			texts[i] = conservative + ":" + o.compress
		}
	}
	return texts
}

// checkMix refuses policies that give nodes to jobs which they did not ask for where some are rigid, or have bounds.
func (r *logReplay) checkMix(inv *cli.Invocation) error {
	if r.shares == nil {
		return nil
	}
	var mixed []string
	for _, e := range inv.Table.On(policy.WholeNodes) {
		if e.Mixed {
			mixed = append(mixed, e.Name)
		}
	}
	for _, p := range r.asked.Run {
		if e, _ := inv.Table.Named(p.Name()); e.Jobs != workload.Rigid && !e.Mixed {
			return cli.Usagef("leave --malleable out, or choose among "+strings.Join(mixed, ", "),
				"--malleable: policy %s cannot run rigid jobs beside malleable ones", p)
		}
	}
	return nil
}

func replay(inv *cli.Invocation, o *replayOptions) error {
	r, err := newLogReplay(inv, o)
	if err != nil {
		return err
	}
	runs, err := replayAll(inv, r)
	if err != nil {
		return err
	}
	if err := broken(runs); err != nil {
		return err
	}
	runs = r.shown(runs)
	if r.sameP95 {
		if err := searchNodes(inv, r, runs); err != nil {
			return err
		}
	}
	if err := inv.Emit(newReplayResult(r, runs)); err != nil {
		return err
	}
	joblog.WarnSkipped(inv, r.log.Path, r.log.Skipped)
	if r.elastisim != "" {
		if err := writeElastiSim(inv, r, runs[0]); err != nil {
			return err
		}
	}
	switch {
	case !r.plot.Wanted():
		return nil
	case len(r.loads) > 1:
		return inv.Draw(r.plot, loadFigure(r, runs))
	}
	return inv.Draw(r.plot, benefitFigure(r, runs))
}
