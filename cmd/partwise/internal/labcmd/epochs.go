package labcmd

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/lab"
)

//go:embed epochs.txt
var epochsHelp string

// Epochs is the command that schedules jobs with a least number of nodes.
func Epochs(table policy.Table) cli.Command {
	fresh := func() *epochsOptions {
		return &epochsOptions{nodes: []int{128}, applications: applications, jobs: []int{8}, loadFactors: []float64{1},
			loads: []float64{0.5}, table: table,
			simulation: lab.EpochOptions{Seed: cli.DefaultSeed, Draws: 20_000, Replications: 20, Jobs: 2000}}
	}
	return cli.WithOptions(fresh, runEpochs, cli.Described(epochsHelp, cli.Command{
		RunsPolicies: policy.WholeNodes,
	}))
}

// epochsOptions are the flags of epochs.
type epochsOptions struct {
	policies   []string
	nodes      []int
	least      []int // nil: an experiment
	experiment lab.EpochExperiment
	spreads    []int
	simulation lab.EpochOptions
	plot       chart.Picture
	table      policy.Table
	chosen     []lab.EpochChoice

	// What an experiment varies on each machine.
	applications []lab.EpochApplication
	loadFactors  []float64
	jobs         []int
	loads        []float64
}

// Flags binds the flags.
func (o *epochsOptions) Flags() []cli.Flag {
	return []cli.Flag{
		cli.Value(&o.policies, "policies", input.PolicyList, cli.About{Default: "buddy, equi, opt:1, hybrid:1 and heuristic:1",
			Words: o.table.Words(policy.WholeNodes),
			Usage: "schedule by the policies of `LIST`: " + strings.Join(lab.EpochRules(o.table), ", ") +
				", where K may be left to --k; in open systems also by others of the machine"}),
		cli.Value(&o.nodes, "nodes", values.WholeNumbers(1, lab.MostEpochNodes),
			cli.About{Usage: "schedule on `N` nodes; experiments take values and ranges A:B:STEP"}),
		cli.Value(&o.least, "min-nodes", values.WholeNumbers(1, lab.MostEpochNodes), cli.About{Hint: "for example --min-nodes 1,2,3,3",
			Usage: "make schedules of jobs that need the numbers of nodes of `LIST`"}),
		cli.Choice(&o.experiment, "experiment", "unknown experiment",
			experiments, cli.About{Usage: "do the experiment `NAME`: overhead, response or open"}),
		cli.Value(&o.jobs, "jobs", values.WholeNumbers(1, lab.MostEpochJobs),
			cli.About{Usage: "schedule each number of jobs of `LIST`, values or ranges A:B:STEP"}),
		cli.Value(&o.loadFactors, "load-factor", values.Loads,
			cli.About{Usage: "let all jobs need L times the nodes of the machine on average, for each L of `LIST`"}),
		cli.Value(&o.spreads, "k", values.WholeNumbers(0, lab.MostEpochNodes), cli.About{Hint: "for example --k 0:16",
			Usage: "let K be each number of `LIST` for hybrid, opt and heuristic without a K of their own"}),
		cli.Values(&o.applications, "application", values.OneOf("unknown application", applications...), cli.About{Default: "both",
			Words: words.Strings(applications), Usage: "run applications of the `KIND`: static or dynamic"}),
		input.Loads(&o.loads, cli.About{Usage: "let jobs arrive with each load of `LIST`, values or ranges A:B:STEP"}),
		cli.Int(&o.simulation.Draws, "draws", values.Between(2, mostDraws),
			cli.About{Usage: "draw `N` problems of each size, for overheads"}),
		cli.Int(&o.simulation.Replications, "replications", values.Between(2, mostReplications), cli.About{
			Usage: "run `N` independent replications, for response times"}),
		cli.Int(&o.simulation.Jobs, "length", values.Between(1, mostLength),
			cli.About{Usage: "count `N` jobs of each replication, after a tenth as many"}),
		cli.Seed(&o.simulation.Seed, "draw jobs from the seed `N`"),
		input.Plot(&o.plot, "the schedules, or the results over the first of --k, --jobs, --nodes, --load-factor and --load that "+
			"has several values,"),
	}
}

// The bounds of flags.
const (
	mostReplications = 100_000
	mostLength       = 1_000_000
	mostDraws        = 10_000_000
)

var applications = []lab.EpochApplication{lab.StaticApplication, lab.DynamicApplication}

// experiments are all experiments.
var experiments = []lab.EpochExperiment{lab.OverheadExperiment, lab.ResponseExperiment, lab.OpenExperiment}

// ofExperiments are the flags that are only for experiments, with the experiments that take them.
var ofExperiments = map[string][]lab.EpochExperiment{
	"jobs": experiments, "load-factor": experiments, "seed": experiments,
	"draws":       experiments[:1],
	"application": experiments[1:], "replications": experiments[1:], "length": experiments[1:],
	"load": experiments[2:],
}

// Check refuses flags that exclude each other, and reads the policies.
func (o *epochsOptions) Check(inv *cli.Invocation) error {
	switch {
	case o.least == nil && o.experiment == "":
		return fault.Usagef("for example --min-nodes 1,2,3 or --experiment overhead", "epochs needs --min-nodes or --experiment")
	case o.least != nil && o.experiment != "":
		return fault.Usagef("leave one of them out", "--min-nodes and --experiment: an experiment draws what jobs need")
	case o.least != nil && len(o.nodes) > 1:
		return fault.Usagef("for example --nodes 128", "--nodes: schedules are made on one number of nodes")
	}
	for _, f := range o.Flags() {
		flag := cli.Name(f)
		takes, some := ofExperiments[flag]
		switch {
		case !some || !inv.Given(flag) || slices.Contains(takes, o.experiment):
		case o.experiment == "":
			return fault.Usagef("leave it out, or use --experiment", "--%s without --experiment", flag)
		default:
			return fault.Usagef("leave it out", "--%s: the experiment %s has no use for it", flag, o.experiment)
		}
	}
	return o.choose(inv)
}

// runEpochs makes the schedules that --min-nodes asks for, or does the experiment.
func runEpochs(inv *cli.Invocation, o *epochsOptions) error {
	if o.least != nil {
		return o.schedule(inv)
	}
	return o.experiments(inv)
}
