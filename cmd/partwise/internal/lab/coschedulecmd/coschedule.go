package coschedulecmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/joblog"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/quantity"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/cluster"
	"github.com/partwise/partwise/validate/experiment/coscheduling"
)

// Command is the command that compares policies which share the nodes of a cluster in time.
func Command(table policy.Table) cli.Command {
	fresh := func() *options {
		return &options{mixes: []string{"wl7"}, patterns: []cluster.Pattern{cluster.NearestNeighbour}, nodes: 32, levels: []int{5},
			skews: []float64{.2}, dedicated: coscheduling.FigureDedicated, replications: 5, seconds: 60, confidence: .95, seed: 1, table: table,
			costs: cluster.Defaults(nil).Costs}
	}
	return cli.WithOptions(fresh, run, cli.Command{
		Name:    "coschedule",
		Group:   cli.Answering,
		Summary: "compare ways to share the nodes of a cluster in time",
		Details: "Every node runs processes of several jobs, which compute, do I/O and exchange messages; a process makes progress " +
			"only while those run that it exchanges messages with. Simulates the nodes, their schedulers, interfaces and messages " +
			"under the policies of Zhang et al. (2001), all with the same jobs, which arrive at a load, or are all there at the " +
			"start (--backlog), which shows how much a policy can get done. Workloads wl1 to wl6 are of jobs that compute, do I/O " +
			"and communicate for 35/15/50, 35/50/15, 35/35/30, 90/5/5, 35/5/60 and 65/5/30 % of their time, wl7 of all these, wl8 " +
			"of wl2, wl4 and wl5. --figure repeats a figure or table of the paper. Lists of workloads, loads, patterns, skews and " +
			"levels are combined.",
		Examples: []string{
			"partwise coschedule --schemes gs,sb,pb --workload wl5 --nodes 8 --jobs 30 --dedicated 0.5 --plot wl5.svg",
			"partwise coschedule --schemes gs,local,sb,pb,pb-sb --workload wl7 --backlog --seconds 2",
			"partwise coschedule --schemes \"pb:a,pb:d,pb:d'\" --workload wl8 --nodes 8 --skew 0 --jobs 30 --dedicated 0.5",
			"partwise coschedule --schemes gs,sb --workload wl4 --nodes 8 --load 0.4:0.8:0.2 --jobs 30 --plot load.svg",
			"partwise coschedule --figure table6 --jobs 10 --replications 2 --plot table6.svg",
		},
		Formats:      []string{"json", "csv", "markdown", "table"},
		RunsPolicies: policy.TimeShared,
	})
}

// defaultPolicies are those of the figures of the paper.
var defaultPolicies = []string{"local", "gs", "sb", "dcs", "dcs-sb", "pb", "pb-sb", "sy", "pb-sy", "dcs-sy"}

// options are the flags of coschedule. What is 0 is the default that help tells.
type options struct {
	policies            []string
	mixes               []string
	loads               []float64
	backlog             bool
	nodes, maxNodes     int
	levels              []int
	skews               []float64
	patterns            []cluster.Pattern
	messages            int
	dedicated           float64
	costs               cluster.Costs
	choices             cluster.Choices
	log, arrivals       string
	reading             joblog.Reading
	figure              coscheduling.Figure
	replications, jobs  int
	seconds, confidence float64
	seed                uint64
	stored, save        string // files of outcomes
	plot                cli.Picture
	table               policy.Table
}

// The bounds of flags.
const (
	mostReplications = 10_000
	mostJobs         = 1_000_000
	mostValues       = 1000
)

// Flags binds the flags.
func (o *options) Flags() []cli.Flag {
	var figures []string
	for _, f := range coscheduling.Figures() {
		figures = append(figures, f.Name)
	}
	return append([]cli.Flag{
		cli.Value(&o.policies, "schemes", cli.PolicyList, cli.About{Aliases: []string{"policies"},
			Default: strings.Join(defaultPolicies, ","), Hint: "for example --schemes gs,sb,pb:d'",
			Usage: "compare the policies of `LIST`: " + strings.Join(o.table.On(policy.TimeShared).Syntax(), ", ")}),
		cli.Value(&o.mixes, "workload", list(mixNamed), cli.About{Default: "wl7", Words: mixNames(), Hint: "use wl1 to wl8",
			Usage: "run the workloads of `LIST`: " + strings.Join(mixNames(), ", ")}),
		cli.Loads(&o.loads, cli.About{Default: "0.7", Usage: "let jobs arrive with each load of `LIST`, values or ranges " +
			"A:B:STEP: their node-time over that of the cluster"}),
		cli.Switch(&o.backlog, "backlog", "start with more jobs than can ever be done, and measure how much gets done"),
		cli.Int(&o.nodes, "nodes", cli.Between(2, cluster.MostNodes), cli.About{Usage: "run on a cluster of `N` nodes",
			Hint: "for example --nodes 32"}),
		cli.Int(&o.maxNodes, "max-nodes", cli.Between(2, cluster.MostNodes), cli.About{Default: "all nodes",
			Usage: "let jobs need at most `N` nodes", Hint: "for example --max-nodes 16"}),
		cli.Value(&o.levels, "mpl", levels, cli.About{Default: "5", Hint: "for example --mpl 2,5",
			Usage: "let at most so many processes share a node, for each number of `LIST` (multiprogramming level)"}),
		cli.Value(&o.skews, "skew", skews, cli.About{Default: "0.2", Hint: "for example --skew 0.2,1.5",
			Usage: "vary the computation and I/O of an iteration by a factor 1 ± S/2, for each S of `LIST`"}),
		cli.Value(&o.patterns, "pattern", list(cluster.ParsePattern), cli.About{Default: "nn", Words: cluster.Patterns(),
			Hint: "use " + strings.Join(cluster.Patterns(), ", "),
			Usage: "let processes exchange messages in each pattern of `LIST`: nn (nearest neighbours), aa (all to all), tree, " +
				"linear"}),
		cli.Int(&o.messages, "messages", cli.Between(1, 1000), cli.About{Default: "4 to the nearest, otherwise 1",
			Usage: "send `K` messages to each neighbour in an iteration", Hint: "for example --messages 4"}),
		cli.Number(&o.dedicated, "dedicated", cli.About{Default: "2", Hint: "for example --dedicated 5",
			Usage: "let jobs take `T` seconds alone, on average"}),
		cli.Value(&o.costs, "costs", o.parseCosts, cli.About{Default: "those of the paper",
			Hint: "for example --costs switch=100us,interrupt=25us", Usage: "replace the times of `LIST`: " +
				strings.Join(costNames(), ", ")}),
		cli.Value(&o.choices, "choices", parseChoices, cli.About{Default: "none", Words: choiceNames(),
			Hint: "use " + strings.Join(choiceNames(), ", "), Usage: "replace what we chose where the paper leaves it open by the " +
				"choices of `LIST`: " + strings.Join(choiceNames(), ", ")}),
		cli.InputFile(&o.log, "log", "take sizes, run times and arrivals of the jobs of `LOG`, scaled down to the cluster"),
		cli.Text(&o.arrivals, "arrivals", cli.About{File: true, Default: "hyper-Erlang",
			Usage: "let jobs arrive like those of the model `FILE`, with the times between arrivals stretched to the load"}),
		cli.Value(&o.figure, "figure", coscheduling.FigureNamed, cli.About{Words: figures, Hint: "use " + strings.Join(figures, ", "),
			Usage: "repeat the figure or table `NAME` of the paper: " + strings.Join(figures, ", ")}),
		cli.Int(&o.replications, "replications", cli.Between(2, mostReplications), cli.About{
			Usage: "run `N` independent replications", Hint: "for example --replications 5"}),
		cli.Int(&o.jobs, "jobs", cli.Between(10, mostJobs), cli.About{Default: "100; of figures 30, 50 or 200",
			Usage: "let `N` jobs arrive in each replication; a tenth of them is not counted", Hint: "for example --jobs 100"}),
		cli.Number(&o.seconds, "seconds", cli.About{Default: "60", Hint: "for example --seconds 60",
			Usage: "measure a backlog for `T` seconds, after a warm-up of a tenth of that"}),
		cli.Value(&o.confidence, "confidence", cli.Share, cli.About{Default: "0.95", Hint: "for example --confidence 0.95",
			Usage: "give confidence intervals of the level `LEVEL`"}),
		cli.Seed(&o.seed, "draw jobs from the seed `N`; the same seed gives the same results"),
		cli.InputFile(&o.stored, "results", "take the results from `FILE`, which --save wrote, instead of simulating"),
		cli.OutputFile(&o.save, "save", "save the sums of all replications to `FILE`, for --results"),
		cli.Plot(&o.plot, "response times and what processors do, or response times over loads,"),
	}, o.reading.Flags()...)
}

// list parses words separated by commas.
func list[T any](parse func(string) (T, error)) func(string) ([]T, error) {
	return func(text string) ([]T, error) {
		var all []T
		for word := range strings.SplitSeq(text, ",") {
			v, err := parse(strings.TrimSpace(word))
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		return all, nil
	}
}

func mixNamed(name string) (string, error) {
	m, err := cluster.MixNamed(name)
	return m.Name, err
}

func mixNames() (names []string) {
	for _, m := range cluster.Mixes() {
		names = append(names, m.Name)
	}
	return names
}

func levels(text string) ([]int, error) {
	values, err := quantity.Parse(text, quantity.Limits{Positive: true, Most: mostValues})
	numbers := make([]int, len(values))
	for i, v := range values {
		if numbers[i] = int(v); float64(numbers[i]) != v || v > cluster.MostMPL {
			return nil, fmt.Errorf("%v is not a whole number from 1 to %d", v, cluster.MostMPL)
		}
	}
	return numbers, err
}

func skews(text string) ([]float64, error) {
	values, err := quantity.Parse(text, quantity.Limits{Most: mostValues})
	for _, v := range values {
		if !(v >= 0 && v <= 2) {
			return nil, fmt.Errorf("%v is not between 0 and 2", v)
		}
	}
	return values, err
}

// costFields are the costs by what flags call them.
func costFields(c *cluster.Costs) []struct {
	name string
	to   *time.Duration
} {
	return []struct {
		name string
		to   *time.Duration
	}{{"switch", &c.Switch}, {"interrupt", &c.Interrupt}, {"gang-switch", &c.GangSwitch}, {"gang-quantum", &c.GangQuantum},
		{"move", &c.Move}, {"check", &c.Check}, {"tick", &c.Tick}, {"spin", &c.SpinTime}, {"host", &c.Host},
		{"interface", &c.Interface}, {"wire", &c.Wire}}
}

func costNames() (names []string) {
	c := cluster.Defaults(nil).Costs
	for _, f := range costFields(&c) {
		names = append(names, f.name+"="+strings.Replace(f.to.String(), "µ", "u", 1))
	}
	return names
}

// parseCosts reads settings such as switch=100us.
func (o *options) parseCosts(text string) (cluster.Costs, error) {
	c := cluster.Defaults(policy.Gang{})
	fields := costFields(&c.Costs)
	for setting := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(setting, "=")
		i := -1
		for k := range fields {
			if fields[k].name == strings.TrimSpace(name) {
				i = k
			}
		}
		if i < 0 {
			return c.Costs, fmt.Errorf("%q is not a cost", name)
		}
		seconds, err := quantity.Time(value, quantity.Second)
		if err != nil {
			return c.Costs, err
		}
		*fields[i].to = time.Duration(math.Round(seconds * 1e9))
	}
	var wrong *cluster.ConfigError
	if errors.As(c.Check(), &wrong) {
		return c.Costs, errors.New(strings.TrimPrefix(wrong.Field, "Costs.") + ": " + wrong.Problem)
	}
	return c.Costs, nil
}

// choiceFields are the choices by what flags call them.
func choiceFields(c *cluster.Choices) []struct {
	name string
	to   *bool
} {
	return []struct {
		name string
		to   *bool
	}{{"preempted-first", &c.PreemptedFirst}, {"weak-boost", &c.WeakBoost}, {"strong-wake-up", &c.StrongWakeUp},
		{"repeated-yield", &c.RepeatedYield}, {"half-duplex", &c.HalfDuplex}, {"lowest-first", &c.LowestFirst}}
}

func choiceNames() (names []string) {
	for _, f := range choiceFields(&cluster.Choices{}) {
		names = append(names, f.name)
	}
	return names
}

func parseChoices(text string) (c cluster.Choices, err error) {
	_, err = list(func(name string) (bool, error) {
		for _, f := range choiceFields(&c) {
			if f.name == name {
				*f.to = true
				return true, nil
			}
		}
		return false, fmt.Errorf("there is no choice %q", name)
	})(text)
	return c, err
}

// besideFigures are the flags that a figure does not say itself.
var besideFigures = []string{"figure", "replications", "jobs", "confidence", "seed", "plot", "results", "save"}

// Check checks what cannot be asked for together.
func (o *options) Check(inv *cli.Invocation) error {
	switch {
	case o.stored != "" && (o.save != "" || inv.Given("seed") || inv.Given("replications") || inv.Given("jobs") || inv.Given("seconds")):
		return cli.Usagef("leave it out", "--results with --save, --seed, --replications, --jobs or --seconds: nothing is simulated")
	case o.backlog && o.loads != nil:
		return cli.Usagef("leave one of them out", "--backlog and --load: jobs that are there at once have no load")
	case o.backlog && (o.arrivals != "" || inv.Given("jobs")):
		return cli.Usagef("leave it out", "--arrivals and --jobs do not matter to a backlog")
	case !o.backlog && inv.Given("seconds"):
		return cli.Usagef("add --backlog", "--seconds without --backlog")
	case o.log != "" && o.arrivals != "":
		return cli.Usagef("leave one of them out", "--log and --arrivals: a log has arrivals of its own")
	case o.log == "" && o.reading.Given(inv) != "":
		return cli.Usagef("add --log, or leave it out", "%s without --log", o.reading.Given(inv))
	case cmp.Or(o.maxNodes, o.nodes) > o.nodes:
		return cli.Usagef("choose --nodes and --max-nodes that fit", "--max-nodes: the cluster has %d nodes", o.nodes)
	}
	if o.figure.Name != "" {
		for _, f := range o.Flags() {
			if name := f.Names()[0]; inv.Given(name) && !slices.Contains(besideFigures, name) {
				return cli.Usagef("leave it out", "--%s beside --figure, which says that itself", name)
			}
		}
	}
	return nil
}

func run(inv *cli.Invocation, o *options) error {
	runs, err := o.runs(inv)
	if err != nil {
		return err
	}
	outcomes, err := o.outcomes(inv, runs)
	if err != nil {
		return err
	}
	r := &results{o, outcomes}
	if err := inv.Emit(r.result()); err != nil {
		return err
	}
	r.warn(inv)
	if !o.plot.Wanted() {
		return nil
	}
	if f := r.curves(); f != nil {
		return inv.Draw(o.plot, f)
	}
	return inv.Draw(o.plot, r.bars())
}

// outcomes simulates the runs, or reads what came of them.
func (o *options) outcomes(inv *cli.Invocation, runs []coscheduling.Run) ([]coscheduling.Outcome, error) {
	if o.stored != "" {
		return o.read(inv, runs)
	}
	options := coscheduling.Options{Seed: o.seed, Workers: inv.Workers, Confidence: o.confidence, Replications: o.replications,
		Jobs: cmp.Or(o.jobs, o.figure.Jobs), Seconds: o.seconds}
	step, clear := inv.Progress(options.Parts(len(runs)), "simulating")
	defer clear()
	options.Progress = step
	outcomes, err := coscheduling.Simulate(inv.Context, runs, options)
	switch {
	case errors.Is(err, coscheduling.ErrShortLog):
		return nil, cli.Usagef("fewer --jobs or --replications", "--log: %s", cli.Plain(err))
	case err != nil || o.save == "":
		return outcomes, err
	}
	return outcomes, output.WriteFile(o.save, func(w io.Writer) error { return coscheduling.Write(w, outcomes) })
}

// read reads outcomes.
func (o *options) read(inv *cli.Invocation, runs []coscheduling.Run) ([]coscheduling.Outcome, error) {
	in, name, err := inv.Open(o.stored)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	const copies = 16 // of a byte of the file, with the fields and numbers that it is part of
	bounded := &io.LimitedReader{R: in, N: int64(inv.MostKept(copies))}
	outcomes, err := coscheduling.Read(bounded, runs, o.confidence)
	if bounded.N <= 0 {
		err = errors.New("is larger than the memory that may be used; raise --memory")
	}
	if err != nil {
		return nil, &workload.DataError{File: name, Problem: cli.Plain(err)}
	}
	return outcomes, nil
}
