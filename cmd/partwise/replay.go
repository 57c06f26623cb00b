package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/batch"
	"github.com/partwise/partwise/validate/machine"
)

func replayCommand() command {
	return command{
		name:      "replay",
		group:     checking,
		summary:   "run the jobs of a log under policies that reorder, mold or resize them",
		arguments: "LOG",
		details: "Runs a job log in Standard Workload Format, compressed or not, on a machine that gives each job nodes of " +
			"its own. fcfs, easy and conservative give jobs the nodes they ask for and differ in the order; asp and its kin " +
			"choose how many nodes a job keeps from its start to its end; dynamic and its kin resize running jobs, at no " +
			"cost. A log is read as it is run: memory grows with the jobs in the system, not with the log, unless jobs are " +
			"resized or --sort is given.",
		examples: []string{
			"partwise replay log.swf.gz",
			"partwise replay log.swf.gz --policy easy --estimates times:2 --jobs-output jobs.csv",
			"partwise replay log.swf.gz --policy easy --policy asp --policy dynamic --load 0.8 --format table --by-month",
			"partwise replay log.swf.gz --policy easy --policy conservative --loads 0.5:0.8:0.1 --plot load.svg",
		},
		flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "policy", DefaultText: "fcfs, easy and conservative", Usage: "policy `P`: " +
				replayPolicies() + "; may be repeated"},
			&cli.StringFlag{Name: "estimates", Value: "logged", Usage: "policies plan with estimates `E`: " +
				strings.Join(estimatorNames(), ", ")},
			&cli.StringFlag{Name: "compress", Value: batch.CompressEarly.String(), Usage: "conservative moves reservations " +
				"forward at `TIMES`: early (when a job ends before its estimate), always (when any ends) or never"},
			&cli.BoolFlag{Name: "kill-at-estimate", DisableDefaultText: true, Usage: "end jobs at their estimates"},
			&cli.StringFlag{Name: "sigma", Value: "1", Usage: "jobs that are molded have Downey's speedup with this " +
				"`SIGMA`; their average parallelism is the nodes that they ask for"},
			&cli.StringFlag{Name: "speedup", Value: "linear", Usage: "jobs that are resized have the speedup `S`: linear, " +
				"amdahl:SERIAL, power:EXPONENT, dowdy:BETA or downey:A,SIGMA"},
			&cli.IntFlag{Name: "min-nodes", Value: 1, Usage: "jobs that are resized have multiples of `M` nodes"},
			&cli.IntFlag{Name: "replications", Value: 1, Usage: "mean of `R` runs with other random estimates"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "the same seed gives the same results"},
			&cli.StringFlag{Name: "jobs-output", TakesFile: true, Usage: "write what happened to each job to `FILE`, as CSV"},
			&cli.BoolFlag{Name: "by-month", DisableDefaultText: true, Usage: "a table by month of submission as well"},
			&cli.StringFlag{Name: "loads", Usage: "one run for each load of `FROM:TO:STEP`"},
			plotFlag("the policies against the load, with --loads,"),
		}, logFlags()...),
		minArgs: 1, maxArgs: 1,
		formats: []string{"json", "csv", "markdown", "table"},
		run:     replay,
	}
}

func replayPolicies() string {
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

// replaying is what the flags of a replay say.
type replaying struct {
	log          *jobLog
	policies     []contender
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

// contender is a policy of a replay: one that lets jobs keep their nodes, or one that resizes them.
type contender struct {
	name    string
	keeps   func() batch.Policy
	resizes func() machine.Policy
}

// molds reports whether the policy chooses how many nodes a job gets.
func (c *contender) molds() bool {
	if c.keeps == nil {
		return false
	}
	_, ok := c.keeps().(batch.Molding)
	return ok
}

func (inv *invocation) replaying() (*replaying, error) {
	r := &replaying{
		kill: inv.flags.Bool("kill-at-estimate"), unit: inv.flags.Int("min-nodes"),
		replications: inv.flags.Int("replications"), seed: inv.flags.Uint64("seed"),
	}
	var err error
	if r.policies, err = inv.contenders(); err != nil {
		return nil, err
	}
	r.estimated = inv.flags.String("estimates")
	if r.estimates, err = workload.ParseEstimator(r.estimated); err != nil {
		return nil, usage("for example --estimates uniform:4", "--estimates: %s", plain(err))
	}
	sigma := inv.flags.String("sigma")
	if r.sigma, err = strconv.ParseFloat(sigma, 64); err != nil || !(r.sigma >= 0) || math.IsInf(r.sigma, 1) {
		return nil, usage("for example --sigma 1", "--sigma: %q is not a nonnegative number", sigma)
	}
	r.speedupName = inv.flags.String("speedup")
	if r.speedup, err = workload.ParseSpeedup(r.speedupName); err != nil {
		return nil, usage("for example --speedup amdahl:0.05", "--speedup: %s", plain(err))
	}
	switch {
	case r.replications < 1:
		return nil, usage("for example --replications 10", "--replications: %d is not a positive number", r.replications)
	case r.unit < 1:
		return nil, usage("for example --min-nodes 4", "--min-nodes: %d is not a positive number", r.unit)
	}
	r.log, err = inv.jobLog(inv.args[0])
	return r, err
}

// contenders reads --policy and --compress.
func (inv *invocation) contenders() ([]contender, error) {
	compress, err := batch.ParseCompression(inv.flags.String("compress"))
	if err != nil {
		return nil, usage("for example --compress always", "--compress: %s", plain(err))
	}
	asked := inv.flags.StringSlice("policy")
	if len(asked) == 0 {
		asked = []string{"fcfs", "easy", "conservative"}
	}
	var out []contender
	for _, text := range asked {
		c := contender{name: text}
		name, parameter, _ := strings.Cut(text, ":")
		if name == "conservative" && parameter == "" {
			parameter = compress.String()
		}
		if e, ok := batch.Named(name); ok {
			c.keeps, err = e.New(parameter)
		} else if e, ok := machine.Named(name); ok {
			c.resizes, err = e.New(parameter)
		} else {
			hint := "policies: " + replayPolicies()
			if near := nearest(name, policyNames()); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			return nil, usage(hint, "--policy: unknown policy %q", text)
		}
		if err != nil {
			return nil, usage("partwise help replay", "--policy: %s", plain(err))
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

func replay(inv *invocation) error {
	plot, err := inv.picture("plot")
	if err != nil {
		return err
	}
	r, err := inv.replaying()
	if err != nil {
		return err
	}
	if r.loads, err = inv.loads(); err != nil {
		return err
	}
	if plot.wanted() && len(r.loads) < 2 {
		return usage("for example --loads 0.5:0.9:0.1", "--plot draws against the load: say over which with --loads")
	}
	runs, err := inv.replays(r)
	if err != nil {
		return err
	}
	if err := broken(runs); err != nil {
		return err
	}
	if err := inv.emit(newReplayed(r, runs, inv.flags.Bool("by-month"))); err != nil {
		return err
	}
	inv.leftOut(r.log.path, r.log.skipped)
	if plot.wanted() {
		return inv.draw(plot, loadFigure(r, runs))
	}
	return nil
}

// loads reads --load, one, or --loads, a range.
func (inv *invocation) loads() ([]float64, error) {
	one, err := inv.load()
	if err != nil {
		return nil, err
	}
	text := inv.flags.String("loads")
	switch {
	case text != "" && (one > 0 || inv.flags.IsSet("interarrival")):
		return nil, usage("leave one of them out", "--loads with --load or --interarrival")
	case one > 0:
		return []float64{one}, nil
	case text == "":
		return nil, nil
	}
	const hint = "for example --loads 0.5:0.9:0.05"
	parts := strings.Split(text, ":")
	var x [3]float64
	if len(parts) != len(x) {
		return nil, usage(hint, "--loads: %q is not FROM:TO:STEP", text)
	}
	for i, p := range parts {
		if x[i], err = strconv.ParseFloat(p, 64); err != nil || !(x[i] > 0) || math.IsInf(x[i], 1) {
			return nil, usage(hint, "--loads: %q is not a positive number", p)
		}
	}
	if x[1] < x[0] || (x[1]-x[0])/x[2] > 1000 {
		return nil, usage(hint, "--loads: %q is empty or has more than 1000 steps", text)
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
