package simulation

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/joblog"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/batch"
	"github.com/partwise/partwise/validate/machine"
)

// Replay is the command that runs a job log under policies.
func Replay() cli.Command {
	return cli.Command{
		Name:      "replay",
		Group:     cli.Checking,
		Summary:   "run the jobs of a log under policies that reorder, mold or resize them",
		Arguments: "LOG",
		Details: "Runs a job log in Standard Workload Format, compressed or not, on a machine that gives each job nodes of " +
			"its own. fcfs, easy and conservative give jobs the nodes they ask for and differ in the order; asp and its kin " +
			"choose how many nodes a job keeps from its start to its end; dynamic and its kin resize running jobs, at no " +
			"cost. A log is read as it is run: memory grows with the jobs in the system, not with the log, unless jobs are " +
			"resized or --sort is given.",
		Examples: []string{
			"partwise replay log.swf.gz",
			"partwise replay log.swf.gz --policy easy --estimates times:2 --jobs-output jobs.csv",
			"partwise replay log.swf.gz --policy easy --policy asp --policy dynamic --load 0.8 --format table --by-month",
			"partwise replay log.swf.gz --policy easy --policy conservative --loads 0.5:0.8:0.1 --plot load.svg",
		},
		Flags: append([]urfave.Flag{
			&urfave.StringSliceFlag{Name: "policy", DefaultText: "fcfs, easy and conservative", Usage: "policy `P`: " +
				policyList() + "; may be repeated"},
			&urfave.StringFlag{Name: "estimates", Value: "logged", Usage: "policies plan with estimates `E`: " +
				strings.Join(estimatorNames(), ", ")},
			&urfave.StringFlag{Name: "compress", Value: batch.CompressEarly.String(), Usage: "conservative moves reservations " +
				"forward at `TIMES`: early (when a job ends before its estimate), always (when any ends) or never"},
			&urfave.BoolFlag{Name: "kill-at-estimate", DisableDefaultText: true, Usage: "end jobs at their estimates"},
			&urfave.StringFlag{Name: "sigma", Value: "1", Usage: "jobs that are molded have Downey's speedup with this " +
				"`SIGMA`; their average parallelism is the nodes that they ask for"},
			&urfave.StringFlag{Name: "speedup", Value: "linear", Usage: "jobs that are resized have the speedup `S`: linear, " +
				"amdahl:SERIAL, power:EXPONENT, dowdy:BETA or downey:A,SIGMA"},
			&urfave.IntFlag{Name: "min-nodes", Value: 1, Usage: "jobs that are resized have multiples of `M` nodes"},
			&urfave.IntFlag{Name: "replications", Value: 1, Usage: "mean of `R` runs with other random estimates"},
			&urfave.Uint64Flag{Name: "seed", Value: 1, Usage: "the same seed gives the same results"},
			&urfave.StringFlag{Name: "jobs-output", TakesFile: true, Usage: "write what happened to each job to `FILE`, as CSV"},
			&urfave.BoolFlag{Name: "by-month", DisableDefaultText: true, Usage: "a table by month of submission as well"},
			&urfave.StringFlag{Name: "loads", Usage: "one run for each load of `FROM:TO:STEP`"},
			cli.PlotFlag("the policies against the load, with --loads,"),
		}, joblog.Flags()...),
		MinArgs: 1, MaxArgs: 1,
		Formats: []string{"json", "csv", "markdown", "table"},
		Run:     replay,
	}
}

func policyList() string {
	var names []string
	for _, e := range batch.Policies {
		names = append(names, named(e.Name, e.Parameter))
	}
	for _, e := range machine.Policies {
		names = append(names, named(e.Name, e.Parameter))
	}
	return strings.Join(names, ", ")
}

func named(name, parameter string) string {
	if parameter != "" && name != "conservative" { // that has --compress
		return name + ":…"
	}
	return name
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
	policies     []replayPolicy
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
}

// replayPolicy is a policy of a replay: one that lets jobs keep their nodes, or one that resizes them.
type replayPolicy struct {
	name    string
	keeps   func() batch.Policy
	resizes func() machine.Policy
}

// molds reports whether the policy chooses how many nodes a job gets.
func (c *replayPolicy) molds() bool {
	if c.keeps == nil {
		return false
	}
	_, ok := c.keeps().(batch.Molding)
	return ok
}

func readReplay(inv *cli.Invocation) (*replayOptions, error) {
	r := &replayOptions{
		kill: inv.Flags.Bool("kill-at-estimate"), unit: inv.Flags.Int("min-nodes"),
		replications: inv.Flags.Int("replications"), seed: inv.Flags.Uint64("seed"),
	}
	var err error
	if r.policies, err = readPolicies(inv); err != nil {
		return nil, err
	}
	r.estimated = inv.Flags.String("estimates")
	if r.estimates, err = workload.ParseEstimator(r.estimated); err != nil {
		return nil, cli.Usagef("for example --estimates uniform:4", "--estimates: %s", cli.Plain(err))
	}
	sigma := inv.Flags.String("sigma")
	if r.sigma, err = strconv.ParseFloat(sigma, 64); err != nil || !(r.sigma >= 0) || math.IsInf(r.sigma, 1) {
		return nil, cli.Usagef("for example --sigma 1", "--sigma: %q is not a nonnegative number", sigma)
	}
	r.speedupName = inv.Flags.String("speedup")
	if r.speedup, err = speedupOf(r.speedupName); err != nil {
		return nil, cli.Usagef("for example --speedup amdahl:0.05", "--speedup: %s", cli.Plain(err))
	}
	switch {
	case r.replications < 1:
		return nil, cli.Usagef("for example --replications 10", "--replications: %d is not a positive number", r.replications)
	case r.unit < 1:
		return nil, cli.Usagef("for example --min-nodes 4", "--min-nodes: %d is not a positive number", r.unit)
	}
	r.log, err = joblog.Select(inv, inv.Args[0])
	return r, err
}

// readPolicies reads --policy and --compress.
func readPolicies(inv *cli.Invocation) ([]replayPolicy, error) {
	compress, err := batch.ParseCompression(inv.Flags.String("compress"))
	if err != nil {
		return nil, cli.Usagef("for example --compress always", "--compress: %s", cli.Plain(err))
	}
	asked := inv.Flags.StringSlice("policy")
	if len(asked) == 0 {
		asked = []string{"fcfs", "easy", "conservative"}
	}
	var out []replayPolicy
	for _, text := range asked {
		c := replayPolicy{name: text}
		name, parameter, _ := strings.Cut(text, ":")
		if name == "conservative" && parameter == "" {
			parameter = compress.String()
		}
		if e, ok := batch.Named(name); ok {
			c.keeps, err = e.New(parameter)
		} else if e, ok := machine.Named(name); ok {
			c.resizes, err = e.New(parameter)
		} else {
			hint := "policies: " + policyList()
			if near := cli.Nearest(name, policyNames()); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			return nil, cli.Usagef(hint, "--policy: unknown policy %q", text)
		}
		if err != nil {
			return nil, cli.Usagef("partwise help replay", "--policy: %s", cli.Plain(err))
		}
		out = append(out, c)
	}
	return out, nil
}

func policyNames() []string {
	var names []string
	for _, e := range batch.Policies {
		names = append(names, e.Name)
	}
	for _, e := range machine.Policies {
		names = append(names, e.Name)
	}
	return names
}

// speedupOf reads a speedup: the name of one, and its parameters behind a colon.
func speedupOf(text string) (workload.Speedup, error) {
	name, rest, _ := strings.Cut(text, ":")
	var x []float64
	for _, field := range strings.Split(rest, ",") {
		if rest == "" {
			break
		}
		v, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", field)
		}
		x = append(x, v)
	}
	want := map[string]int{"linear": 0, "amdahl": 1, "power": 1, "dowdy": 1, "downey": 2}
	n, known := want[name]
	switch {
	case !known:
		return nil, fmt.Errorf("unknown speedup %q", name)
	case len(x) != n:
		return nil, fmt.Errorf("%s takes %d numbers, not %d", name, n, len(x))
	}
	switch name {
	case "amdahl":
		return checked(workload.NewAmdahl(x[0]))
	case "power":
		return checked(workload.NewPower(x[0]))
	case "dowdy":
		return checked(workload.NewDowdy(x[0]))
	case "downey":
		return checked(workload.NewDowney(x[0], x[1]))
	}
	return workload.Linear{}, nil
}

func checked[S workload.Speedup](s S, err error) (workload.Speedup, error) { return s, err }

func replay(inv *cli.Invocation) error {
	plot, err := inv.Picture("plot")
	if err != nil {
		return err
	}
	r, err := readReplay(inv)
	if err != nil {
		return err
	}
	if r.loads, err = readLoads(inv); err != nil {
		return err
	}
	if plot.Wanted() && len(r.loads) < 2 {
		return cli.Usagef("for example --loads 0.5:0.9:0.1", "--plot draws against the load: say over which with --loads")
	}
	runs, err := replayAll(inv, r)
	if err != nil {
		return err
	}
	if err := broken(runs); err != nil {
		return err
	}
	if err := inv.Emit(newReplayResult(r, runs, inv.Flags.Bool("by-month"))); err != nil {
		return err
	}
	joblog.WarnSkipped(inv, r.log.Path, r.log.Skipped)
	if plot.Wanted() {
		return inv.Draw(plot, loadFigure(r, runs))
	}
	return nil
}

// readLoads reads --load, one, or --loads, a range.
func readLoads(inv *cli.Invocation) ([]float64, error) {
	one, err := inv.Load()
	if err != nil {
		return nil, err
	}
	text := inv.Flags.String("loads")
	switch {
	case text != "" && (one > 0 || inv.Flags.IsSet("interarrival")):
		return nil, cli.Usagef("leave one of them out", "--loads with --load or --interarrival")
	case one > 0:
		return []float64{one}, nil
	case text == "":
		return nil, nil
	}
	const hint = "for example --loads 0.5:0.9:0.05"
	parts := strings.Split(text, ":")
	var x [3]float64
	if len(parts) != len(x) {
		return nil, cli.Usagef(hint, "--loads: %q is not FROM:TO:STEP", text)
	}
	for i, p := range parts {
		if x[i], err = strconv.ParseFloat(p, 64); err != nil || !(x[i] > 0) || math.IsInf(x[i], 1) {
			return nil, cli.Usagef(hint, "--loads: %q is not a positive number", p)
		}
	}
	if x[1] < x[0] || (x[1]-x[0])/x[2] > 1000 {
		return nil, cli.Usagef(hint, "--loads: %q is empty or has more than 1000 steps", text)
	}
	var loads []float64
	for i := 0; ; i++ {
		l := x[0] + float64(i)*x[2]
		if l > x[1]*(1+1e-9) {
			return loads, nil
		}
		l, _ = strconv.ParseFloat(strconv.FormatFloat(l, 'g', 12, 64), 64) // as it is written
		loads = append(loads, l)
	}
}
