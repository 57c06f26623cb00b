package simulation

import (
	"math"
	"slices"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/joblog"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/spec/ranges"
	"github.com/partwise/partwise/models/workload"
)

// defaultReplay are the policies of a replay that names none.
var defaultReplay = []string{"fcfs", "easy", "conservative"}

// Replay is the command that runs the jobs of a log under policies.
func Replay(table policy.Table) cli.Command {
	return cli.Command{
		Name:      "replay",
		Group:     cli.Checking,
		Summary:   "run the jobs of a log under policies that reorder, mold or resize them",
		Arguments: "LOG",
		Details: "Runs a job log in Standard Workload Format, compressed or not, on a machine that gives each job nodes of " +
			"its own. Policies for rigid jobs give jobs the nodes that they ask for and differ in the order; policies for " +
			"moldable jobs choose how many nodes a job keeps from its start to its end; policies for malleable jobs resize " +
			"running jobs, at no cost. A log is read as it is run: memory grows with the jobs in the system, not with the log, " +
			"unless --sort is given.",
		Examples: []string{
			"partwise replay log.swf.gz",
			"partwise replay log.swf.gz --policy easy --estimates times:2 --jobs-output jobs.csv",
			"partwise replay log.swf.gz --policy easy --policy asp --policy dynamic --load 0.8 --format table --by-month",
			"partwise replay log.swf.gz --policy easy --policy conservative --loads 0.5:0.8:0.1 --plot load.svg",
		},
		Flags: append([]urfave.Flag{
			cli.PolicyFlag(table, policy.WholeNodes, strings.Join(defaultReplay, ", ")),
			&urfave.StringFlag{Name: "estimates", Value: "logged", Usage: "let policies plan with the run times `E`: " +
				strings.Join(estimatorNames(), ", ")},
			&urfave.StringFlag{Name: "compress", Value: policy.CompressEarly.String(), Usage: "let conservative move " +
				"reservations forward at `TIMES`: early (when a job ends before its estimate), always (when any ends) or never"},
			&urfave.BoolFlag{Name: "kill-at-estimate", DisableDefaultText: true, Usage: "end jobs at their estimates"},
			&urfave.StringFlag{Name: "sigma", Value: "1", Usage: "give jobs that are molded Downey's speedup with this " +
				"`SIGMA`; their average parallelism is the nodes that they ask for"},
			&urfave.StringFlag{Name: "speedup", Value: "linear", Usage: "give jobs that get other nodes than they ask for the " +
				"speedup `S`: " + workload.SpeedupForms()},
			&urfave.IntFlag{Name: "min-nodes", Value: 1, Usage: "give partitions in multiples of `M` nodes"},
			&urfave.IntFlag{Name: "replications", Value: 1, Usage: "report the mean of `R` runs with other random estimates"},
			&urfave.Uint64Flag{Name: "seed", Value: 1, Usage: "draw random estimates from the seed `N`; the same seed gives the " +
				"same results"},
			&urfave.StringFlag{Name: "jobs-output", TakesFile: true, Usage: "write what happened to each job to `FILE`, as CSV"},
			&urfave.BoolFlag{Name: "by-month", DisableDefaultText: true, Usage: "add a table by month of submission"},
			&urfave.StringFlag{Name: "loads", Usage: "run once for each load of `LIST`, such as 0.5:0.9:0.1"},
			cli.PlotFlag("the policies against the load, with --loads,"),
		}, joblog.Flags()...),
		MinArgs: 1, MaxArgs: 1,
		Formats:      []string{"json", "csv", "markdown", "table"},
		RunsPolicies: policy.WholeNodes,
		Run:          replay,
	}
}

func estimatorNames() []string {
	var names []string
	for _, e := range workload.Estimators {
		if e.Parameter != "" {
			names = append(names, e.Name+":F")
		} else {
			names = append(names, e.Name)
		}
	}
	return names
}

// replayOptions is what the flags of a replay say.
type replayOptions struct {
	log          *joblog.Selection
	asked        *policy.Selection
	estimates    func() workload.Estimator
	estimated    string
	kill         bool
	sigma        float64
	speedup      workload.Speedup
	speedupName  string
	unit         int
	replications int
	seed         uint64
	loads        []float64 // nil: as logged
	byMonth      bool
	jobsOutput   string
	plot         cli.Picture
}

// readReplay reads and checks the flags.
func readReplay(inv *cli.Invocation) (*replayOptions, error) {
	r := &replayOptions{
		kill: inv.Flags.Bool("kill-at-estimate"), unit: inv.Flags.Int("min-nodes"),
		replications: inv.Flags.Int("replications"), seed: inv.Flags.Uint64("seed"), byMonth: inv.Flags.Bool("by-month"),
		estimated: inv.Flags.String("estimates"), speedupName: inv.Flags.String("speedup"),
		jobsOutput: inv.Flags.String("jobs-output"),
	}
	var err error
	if r.plot, err = inv.Picture("plot"); err != nil {
		return nil, err
	}
	if r.estimates, err = workload.ParseEstimator(r.estimated); err != nil {
		return nil, cli.Usagef("for example --estimates uniform:4", "--estimates: %s", cli.Plain(err))
	}
	sigma := inv.Flags.String("sigma")
	if r.sigma, err = strconv.ParseFloat(sigma, 64); err != nil || !(r.sigma >= 0) || math.IsInf(r.sigma, 1) {
		return nil, cli.Usagef("for example --sigma 1", "--sigma: %q is not a nonnegative number", sigma)
	}
	if r.speedup, err = workload.ParseSpeedup(r.speedupName); err != nil {
		return nil, cli.Usagef("for example --speedup amdahl:0.05", "--speedup: %s", cli.Plain(err))
	}
	switch {
	case r.replications < 1:
		return nil, cli.Usagef("for example --replications 10", "--replications: %d is not a positive number",
			r.replications)
	case r.unit < 1:
		return nil, cli.Usagef("for example --min-nodes 4", "--min-nodes: %d is not a positive number", r.unit)
	}
	if err := r.readLoads(inv); err != nil {
		return nil, err
	}
	if _, err := policy.ParseCompression(inv.Flags.String("compress")); err != nil {
		return nil, cli.Usagef("for example --compress always", "--compress: %s", cli.Plain(err))
	}
	if r.log, err = joblog.Select(inv, inv.Args[0]); err != nil {
		return nil, err
	}
	if r.log.Nodes%r.unit != 0 {
		return nil, cli.Usagef("choose --nodes and --min-nodes that fit each other", "--min-nodes: %d nodes are not a multiple "+
			"of %d", r.log.Nodes, r.unit)
	}
	return r, r.readPolicies(inv)
}

// readPolicies reads --policy and --compress, which says what conservative does where --policy does not.
func (r *replayOptions) readPolicies(inv *cli.Invocation) error {
	texts := inv.Flags.StringSlice("policy")
	if len(texts) == 0 {
		texts = defaultReplay
	}
	conservative := policy.Conservative{}.Name()
	if compress := inv.Flags.String("compress"); compress != policy.CompressEarly.String() {
		texts = slices.Clone(texts)
		for i := range texts {
			if texts[i] == conservative {
				texts[i] = conservative + ":" + compress
			}
		}
	}
	var err error
	r.asked, err = inv.Select("--policy", policy.Machine{Nodes: r.log.Nodes, Unit: r.unit}, texts...)
	return err
}

// mostLoads bounds the loads of --loads.
const mostLoads = 1000

// readLoads reads --load, one, or --loads, several.
func (r *replayOptions) readLoads(inv *cli.Invocation) error {
	one, err := inv.Load()
	if err != nil {
		return err
	}
	text := inv.Flags.String("loads")
	switch {
	case text != "" && (one > 0 || inv.Flags.IsSet("interarrival")):
		return cli.Usagef("leave one of them out", "--loads with --load or --interarrival")
	case one > 0:
		r.loads = []float64{one}
	case text != "":
		if r.loads, err = ranges.Parse(text, ranges.Limits{Positive: true, Most: mostLoads}); err != nil {
			return cli.Usagef("for example --loads 0.5:0.9:0.05", "--loads: %v", err)
		}
	}
	switch {
	case r.plot.Wanted() && len(r.loads) < 2:
		return cli.Usagef("for example --loads 0.5:0.9:0.1", "--plot draws against the load: say over which with --loads")
	case r.jobsOutput != "" && len(r.loads) > 1:
		return cli.Usagef("leave one of them out", "--jobs-output with --loads")
	}
	return nil
}

func replay(inv *cli.Invocation) error {
	r, err := readReplay(inv)
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
