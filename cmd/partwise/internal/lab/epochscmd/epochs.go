package epochscmd

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/quantity"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/experiment/epochs"
)

// Epochs is the command that schedules jobs with a least number of nodes.
func Epochs(table policy.Table) cli.Command {
	fresh := func() *options {
		return &options{nodes: []int{128}, confidence: 0.9, seed: 1, draws: 20_000, replications: 20, length: 2000, table: table}
	}
	return cli.WithOptions(fresh, run, cli.Command{
		Name:    "epochs",
		Group:   cli.Answering,
		Summary: "time-share jobs whose memory puts a lower bound on their nodes",
		Details: "Jobs that do not all fit must take turns. With --min-nodes, makes the schedule of a quantum under each policy: " +
			"which nodes a job has, and when. With --experiment, repeats those of McCann and Zahorjan (1994) on random jobs, the " +
			"same under all policies. overhead: how often a node is reallocated in a quantum. response: response times in a " +
			"closed system relative to opt:1, of static applications, which keep their threads, and of dynamic ones. open: " +
			"response times of jobs that arrive, under any policy of the machine. J jobs need 1 to ⌊2LN/J⌋ − 1 of N nodes, with the " +
			"load factor L. Ranges of --nodes, --jobs, --load-factor, --k or --load are combined, and drawn by --plot.",
		Examples: []string{
			"partwise epochs --nodes 16 --min-nodes 1,2,3,3,3,3,3,8 --policies buddy,equi --plot schedules.svg",
			"partwise epochs --experiment overhead --jobs 2:32:2 --plot overhead.svg",
			"partwise epochs --experiment response --application static --jobs 8 --k 0:32:4",
			"partwise epochs --experiment open --load 0.3,0.5 --load-factor 2 --length 500 --policies dynamic,easy,opt:1",
		},
		Formats:      []string{"json", "csv", "markdown", "table"},
		RunsPolicies: policy.WholeNodes,
	})
}

// The experiments.
const (
	overheadExperiment = "overhead"
	responseExperiment = "response"
	openExperiment     = "open"
)

// options are the flags of epochs.
type options struct {
	policies             []string
	nodes                []int
	least                []int // nil: an experiment
	experiment, arrivals string
	jobs                 []int
	factors, loads       []float64
	spreads              []int
	application          epochs.Application // "": both
	draws, replications  int
	length               int
	quantum, cost        float64
	confidence           float64
	seed                 uint64
	plot                 cli.Picture
	table                policy.Table
	chosen               []choice
	process              phasetype.MAP // of --arrivals
}

// Flags binds the flags.
func (o *options) Flags() []cli.Flag {
	return []cli.Flag{
		cli.Value(&o.policies, "policies", cli.PolicyList, cli.About{Default: "buddy, equi, opt:1, hybrid:1 and heuristic:1",
			Words: o.table.Words(policy.WholeNodes),
			Usage: "schedule by the policies of `LIST`: " + strings.Join(rules(o.table), ", ") + ", where K may be left to --k; in " +
				"open systems also by others of the machine", Hint: "for example --policies buddy,heuristic:2"}),
		cli.Value(&o.nodes, "nodes", whole(1), cli.About{Default: "128", Hint: "for example --nodes 128",
			Usage: "schedule on `N` nodes; experiments take values and ranges A:B:STEP"}),
		cli.Value(&o.least, "min-nodes", whole(1), cli.About{Hint: "for example --min-nodes 1,2,3,3",
			Usage: "make schedules of jobs that need the numbers of nodes of `LIST`"}),
		cli.Choice(&o.experiment, "experiment", "unknown experiment",
			[]string{overheadExperiment, responseExperiment, openExperiment},
			cli.About{Usage: "do the experiment `NAME`: overhead, response or open"}),
		cli.Value(&o.jobs, "jobs", whole(1), cli.About{Default: "8", Hint: "for example --jobs 2:32:2",
			Usage: "schedule each number of jobs of `LIST`, values or ranges A:B:STEP; in open systems it only sets how many " +
				"nodes jobs need"}),
		cli.Value(&o.factors, "load-factor", positive, cli.About{Default: "1", Hint: "for example --load-factor 1,2",
			Usage: "let all jobs together need L times the nodes of the machine on average, for each L of `LIST`"}),
		cli.Value(&o.spreads, "k", whole(0), cli.About{Hint: "for example --k 0:16",
			Usage: "let K be each number of `LIST` for hybrid, opt and heuristic without a K of their own"}),
		cli.Choice(&o.application, "application", "unknown application",
			[]epochs.Application{epochs.Static, epochs.Dynamic}, cli.About{Default: "both",
				Usage: "run applications of the `KIND`: static or dynamic"}),
		cli.Loads(&o.loads, cli.About{Default: "0.5",
			Usage: "let jobs arrive with each load of `LIST`, values or ranges A:B:STEP: work over what all nodes could do"}),
		cli.Text(&o.arrivals, "arrivals", cli.About{File: true, Default: "Poisson",
			Usage: "let jobs arrive like those of the model `FILE`, with the times between arrivals stretched to the load"}),
		cli.Int(&o.draws, "draws", cli.Between(2, mostDraws), cli.About{Hint: "for example --draws 20000",
			Usage: "draw `N` problems of each size, for overheads"}),
		cli.Int(&o.replications, "replications", cli.Between(2, mostReplications), cli.About{
			Usage: "run `N` independent replications, for response times", Hint: "for example --replications 20"}),
		cli.Int(&o.length, "length", cli.Between(1, mostLength), cli.About{Hint: "for example --length 2000",
			Usage: "count `N` jobs of each replication, after a warm-up of a tenth as many"}),
		cli.Number(&o.quantum, "quantum", cli.About{Default: "small beside the jobs; in open systems 10",
			Usage: "make the quantum as long as `T`; short jobs need 400 on one node and long ones 4000, on average"}),
		cli.Number(&o.cost, "node-cost", cli.About{Default: "nothing", Hint: "for example --node-cost 0.01",
			Usage: "let a job stand still for `T` for every node that it loses or gains, in open systems"}),
		cli.Value(&o.confidence, "confidence", cli.Share, cli.About{Default: "0.9", Hint: "for example --confidence 0.95",
			Usage: "give confidence intervals of the level `LEVEL`"}),
		cli.Seed(&o.seed, "draw jobs from the seed `N`; the same seed gives the same results"),
		cli.Plot(&o.plot, "the schedules, or the results over the first of --k, --jobs, --nodes, --load-factor and --load that "+
			"has several values,"),
	}
}

// The bounds of flags.
const (
	mostReplications = 100_000
	mostLength       = 1_000_000
	mostDraws        = 10_000_000
	mostValues       = 10_000
)

// whole parses whole numbers from least on, and ranges of them.
func whole(least int) func(string) ([]int, error) {
	return func(text string) ([]int, error) {
		values, err := quantity.Parse(text, quantity.Limits{Most: mostValues})
		if err != nil {
			return nil, err
		}
		numbers := make([]int, len(values))
		for i, v := range values {
			if v != math.Trunc(v) || v < float64(least) || v > 1<<30 {
				return nil, fmt.Errorf("%v is not a whole number of %d or more", v, least)
			}
			numbers[i] = int(v)
		}
		return numbers, nil
	}
}

func positive(text string) ([]float64, error) {
	return quantity.Parse(text, quantity.Limits{Positive: true, Most: mostValues})
}

// rules returns how the policies that make schedules are written.
func rules(table policy.Table) []string {
	var all []string
	for _, e := range table {
		if p, err := table.Parse(e.Example); err == nil {
			if _, ok := p.(policy.Epochs); ok {
				all = append(all, e.Syntax())
			}
		}
	}
	return all
}

// ofExperiments are flags that only experiments take: the names of those that take them, all if there are none.
var ofExperiments = []struct {
	flag string
	of   []string
}{
	{"jobs", nil}, {"load-factor", nil}, {"seed", nil}, {"confidence", nil},
	{"draws", []string{overheadExperiment}},
	{"application", []string{responseExperiment, openExperiment}},
	{"replications", []string{responseExperiment, openExperiment}},
	{"length", []string{responseExperiment, openExperiment}},
	{"quantum", []string{responseExperiment, openExperiment}},
	{"load", []string{openExperiment}},
	{"arrivals", []string{openExperiment}},
	{"node-cost", []string{openExperiment}},
}

// Check checks what cannot be asked for together, and reads the policies.
func (o *options) Check(inv *cli.Invocation) error {
	switch {
	case o.least == nil && o.experiment == "":
		return cli.Usagef("for example --min-nodes 1,2,3 or --experiment overhead", "epochs needs --min-nodes or --experiment")
	case o.least != nil && o.experiment != "":
		return cli.Usagef("leave one of them out", "--min-nodes and --experiment: an experiment draws what jobs need")
	case o.least != nil && len(o.nodes) > 1:
		return cli.Usagef("for example --nodes 128", "--nodes: schedules are made on one number of nodes")
	}
	for _, f := range ofExperiments {
		if !inv.Given(f.flag) {
			continue
		}
		if o.experiment == "" {
			return cli.Usagef("leave it out, or use --experiment", "--%s without --experiment", f.flag)
		}
		if f.of != nil && !slices.Contains(f.of, o.experiment) {
			return cli.Usagef("leave it out", "--%s: the experiment %s has no use for it", f.flag, o.experiment)
		}
	}
	return o.choose(inv)
}

func run(inv *cli.Invocation, o *options) error {
	if o.least != nil {
		return o.schedule(inv)
	}
	return o.experiments(inv)
}
