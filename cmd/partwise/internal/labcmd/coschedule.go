package labcmd

import (
	"cmp"
	_ "embed"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/lab"
)

//go:embed coschedule.txt
var coscheduleHelp string

// Coschedule is the command that compares policies which share the nodes of a cluster in time.
func Coschedule(table policy.Table) cli.Command {
	fresh := func() *coscheduleOptions {
		c := lab.PaperCase(lab.DefaultMix())
		return &coscheduleOptions{policies: coschedulingPolicies, cluster: c.Cluster, dedicated: lab.PaperDedicated, table: table,
			mixes: []lab.Mix{c.Mix}, loads: []float64{c.Load},
			simulation: lab.CoschedulingOptions{Seed: cli.DefaultSeed, Replications: 5, Seconds: 60}}
	}
	return cli.WithOptions(fresh, runCoschedule, cli.Described(coscheduleHelp, cli.Command{
		RunsPolicies: policy.TimeShared,
	}))
}

// coschedulingPolicies are the policies of the figures of the paper.
var coschedulingPolicies = []string{"local", "gs", "sb", "dcs", "dcs-sb", "pb", "pb-sb", "sy", "pb-sy", "dcs-sy"}

// coscheduleOptions are the flags of coschedule.
type coscheduleOptions struct {
	policies   []string
	mixes      []lab.Mix
	loads      []float64
	backlog    bool
	cluster    lab.Cluster // with what all cases have in common
	dedicated  float64
	figure     lab.CoschedulingFigure
	simulation lab.CoschedulingOptions
	plot       chart.Picture
	table      policy.Table
}

// The bounds of flags.
const (
	mostJobs = 1_000_000
	mostSkew = 2
)

// Flags binds the flags.
func (o *coscheduleOptions) Flags() []cli.Flag {
	figures, figure := values.ByName("unknown figure", lab.CoschedulingFigures(),
		func(f lab.CoschedulingFigure) string { return f.Name })
	return []cli.Flag{
		cli.Value(&o.policies, "policies", input.PolicyList, cli.About{Was: []string{"schemes"},
			Usage: "compare the policies of `LIST`: " + strings.Join(o.table.On(policy.TimeShared).Syntax(), ", ")}),
		cli.Value(&o.mixes, "workload", values.ListOf(mixNamed), cli.About{Default: "wl7", Words: mixNames,
			Usage: "run the workloads of `LIST`: " + strings.Join(mixNames, ", ")}),
		input.Loads(&o.loads, cli.About{Usage: "let jobs arrive with each load of `LIST`, values " +
			"or ranges A:B:STEP"}),
		cli.Switch(&o.backlog, "backlog", "start with more jobs than can ever be done, and measure how much gets done"),
		cli.Int(&o.cluster.Nodes, "nodes", values.Between(2, lab.MostClusterNodes), cli.About{Usage: "run on a cluster of `N` nodes"}),
		cli.Int(&o.cluster.MPL, "mpl", values.Between(1, lab.MostMPL), cli.About{
			Usage: "let at most `N` processes share a node: the multiprogramming level"}),
		cli.Value(&o.cluster.Skew, "skew", values.NonnegativeNumber, cli.About{
			Usage: "vary the computation and I/O of an iteration by a factor 1 ± `S`/2"}),
		cli.Choice(&o.cluster.Pattern, "pattern", "unknown pattern", lab.Patterns(), cli.About{
			Usage: "let processes exchange messages in the `PATTERN` nn (nearest neighbours), aa (all to all), tree or linear"}),
		cli.Number(&o.dedicated, "dedicated", cli.About{Usage: "let jobs take `T` seconds alone, on average"}),
		cli.Value(&o.figure, "figure", figure, cli.About{Words: figures,
			Usage: "repeat the figure or table `NAME` of the paper: " + strings.Join(figures, ", ")}),
		cli.Int(&o.simulation.Replications, "replications", values.Between(2, values.MostReplications), cli.About{
			Usage: "run `N` independent replications"}),
		cli.Int(&o.simulation.Jobs, "jobs", values.Between(10, mostJobs), cli.About{Default: "100; of figures 30, 50 or 200",
			Usage: "let `N` jobs arrive in each replication; a tenth is not counted", Hint: "for example --jobs 100"}),
		cli.Number(&o.simulation.Seconds, "seconds", cli.About{Usage: "measure a backlog for `T` seconds, after a tenth of that"}),
		cli.Seed(&o.simulation.Seed, "draw jobs from the seed `N`"),
		input.Plot(&o.plot, "response times and what processors do, or response times over loads,"),
	}
}

// Check refuses flags that exclude each other.
func (o *coscheduleOptions) Check(inv *cli.Invocation) error {
	switch {
	case o.backlog && inv.Given("load"):
		return fault.Usagef("leave one of them out", "--backlog and --load: jobs that are there at once have no load")
	case o.backlog && inv.Given("jobs"):
		return fault.Usagef("leave it out", "--backlog and --jobs: a backlog has more jobs than can be done")
	case o.cluster.Skew > mostSkew:
		return fault.Usagef("for example --skew 0.2", "--skew: %v is not between 0 and %v", o.cluster.Skew, mostSkew)
	case !o.backlog && inv.Given("seconds"):
		return fault.Usagef("add --backlog", "--seconds without --backlog")
	}
	return besideFigure(inv, "policies", "workload", "load", "backlog", "nodes", "mpl", "skew", "pattern", "dedicated", "seconds")
}

// runCoschedule simulates a figure of the paper or what the flags combine, and writes and draws the outcomes. It warns of policies
// that leave jobs behind.
func runCoschedule(inv *cli.Invocation, o *coscheduleOptions) error {
	runs, err := o.runs(inv)
	if err != nil {
		return err
	}
	s := o.simulation
	s.Jobs, s.Workers = cmp.Or(s.Jobs, o.figure.Jobs, 100), inv.Workers
	step, clear := inv.Progress(len(runs)*s.Replications, "simulating")
	s.Progress = step
	outcomes, err := lab.Coschedule(inv.Context, runs, s)
	clear()
	if parallel.IsShortOf(err, parallel.Time) {
		return fault.Hint(fault.ExitTooLarge, "let jobs be shorter with --dedicated, or simulate fewer --policies or --replications", err)
	}
	if parallel.IsShortOf(err, parallel.Memory) {
		return fault.Hint(fault.ExitTooLarge, "measure for fewer --seconds, or let jobs take longer by --dedicated", err)
	}
	if err != nil {
		return input.GivenUp(err)
	}
	if err := inv.Emit(o.result(outcomes)); err != nil {
		return err
	}
	for _, group := range lab.ByCoschedulingCase(outcomes) {
		var names []string
		for i := range group {
			if group[i].Saturated() {
				names = append(names, group[i].Policy.String())
			}
		}
		if names != nil {
			inv.Warnf("%s: %s: not all jobs ended in three times the time in which they arrive; response times are lower bounds",
				group[0].Case.Title(), strings.Join(names, ", "))
		}
	}
	return input.Draw(inv, o.plot, CoscheduleDrawing(o.figure, outcomes))
}

// runs returns what is to be simulated: a figure, or what the flags combine.
func (o *coscheduleOptions) runs(inv *cli.Invocation) ([]lab.CoschedulingRun, error) {
	if o.figure.Name != "" {
		return o.figure.Runs, nil
	}
	asked, err := input.Select(inv, "--policies", policy.Machine{Nodes: o.cluster.Nodes, Unit: 1}, measure.Second(), o.policies...)
	if err != nil {
		return nil, err
	}
	c := lab.CoschedulingCase{Cluster: o.cluster, Jobs: lab.RandomJobs{MaxNodes: o.cluster.Nodes, Dedicated: o.dedicated}}
	if o.backlog {
		o.loads = []float64{0}
	}
	return c.Runs(o.mixes, o.loads, asked.Run), nil
}
