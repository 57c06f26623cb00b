package simulation

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/joblog"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
)

// defaultReplay are the policies of a replay that names none.
var defaultReplay = []string{"fcfs", "easy", "conservative"}

// Replay is the command that runs the jobs of a log under policies.
func Replay(table policy.Table) cli.Command {
	fresh := func() *replayOptions { return newReplayOptions(table) }
	return cli.WithOptions(fresh, replay, cli.Command{
		Name:      "replay",
		Group:     cli.Checking,
		Summary:   "run the jobs of a log under policies that reorder, mold or resize them",
		Arguments: "LOG",
		Details: "Runs a job log in Standard Workload Format, compressed or not, on a machine that gives each job nodes of " +
			"its own. Policies for rigid jobs give jobs the nodes that they ask for and differ in the order; policies for " +
			"moldable jobs choose how many nodes a job keeps from its start to its end; policies for malleable jobs resize " +
			"running jobs, at no cost. A log is read as it is run: memory grows with the jobs in the system, not with the " +
			"log, unless --sort is given.",
		Examples: []string{
			"partwise replay log.swf.gz",
			"partwise replay log.swf.gz --policy easy --estimates times:2 --jobs-output jobs.csv",
			"partwise replay log.swf.gz --policy easy --policy asp --policy dynamic --load 0.8 --format table --by-month",
			"partwise replay log.swf.gz --policy easy --policy conservative --load 0.5:0.8:0.1 --plot load.svg",
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
	jobsOutput   string
	plot         cli.Picture
	table        policy.Table
}

func newReplayOptions(table policy.Table) *replayOptions {
	return &replayOptions{policies: defaultReplay, estimates: joblog.Logged(), compress: policy.CompressEarly.String(),
		sigma: 1, speedup: namedSpeedup{workload.Linear{}, "linear"}, unit: 1, replications: 1, seed: 1, table: table}
}

// Flags binds the flags.
func (o *replayOptions) Flags() []cli.Flag {
	return append(o.Options.Flags(),
		cli.Loads(&o.loads, cli.About{Aliases: []string{"loads"}, Usage: "run once for each load of `LIST`, values or " +
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
		cli.Int(&o.replications, "replications", cli.PositiveInt, cli.About{
			Usage: "report the mean of `N` runs with other random estimates", Hint: "for example --replications 10"}),
		cli.Seed(&o.seed, "draw random estimates from the seed `N`; the same seed gives the same results"),
		cli.OutputFile(&o.jobsOutput, "jobs-output", "write what happened to each job to `FILE`, as CSV"),
		cli.Switch(&o.byMonth, "by-month", "add a table by month of submission"),
		cli.Plot(&o.plot, "the policies over several loads"))
}

// Check checks what cannot be asked for together.
func (o *replayOptions) Check(inv *cli.Invocation) error {
	switch {
	case o.plot.Wanted() && len(o.loads) < 2:
		return cli.Usagef("for example --load 0.5:0.9:0.1", "--plot draws against the load: give several with --load")
	case o.jobsOutput != "" && len(o.loads) > 1:
		return cli.Usagef("leave one of them out", "--jobs-output with several loads")
	}
	return o.Options.Check(inv)
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
}

// newLogReplay opens the log and selects its jobs and the policies.
func newLogReplay(inv *cli.Invocation, o *replayOptions) (*logReplay, error) {
	r := &logReplay{replayOptions: o}
	var err error
	if r.log, err = o.Select(inv, inv.Args[0]); err != nil {
		return nil, err
	}
	if r.log.Nodes%o.unit != 0 {
		return nil, cli.Usagef("choose --nodes and --min-nodes that fit each other",
			"--min-nodes: %d nodes are not a multiple of %d", r.log.Nodes, o.unit)
	}
	r.asked, err = inv.Select("--policy", policy.Machine{Nodes: r.log.Nodes, Unit: o.unit}, o.policyTexts()...)
	return r, err
}

// policyTexts returns what --policy says, and what --compress says of conservative where --policy does not.
func (o *replayOptions) policyTexts() []string {
	texts := slices.Clone(o.policies)
	conservative := policy.Conservative{}.Name()
	for i := range texts {
		if texts[i] == conservative && o.compress != policy.CompressEarly.String() {
			texts[i] = conservative + ":" + o.compress
		}
	}
	return texts
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
	if err := inv.Emit(newReplayResult(inv.Table, r, runs)); err != nil {
		return err
	}
	joblog.WarnSkipped(inv, r.log.Path, r.log.Skipped)
	if r.plot.Wanted() {
		return inv.Draw(r.plot, loadFigure(r, runs))
	}
	return nil
}
