package allocation

import (
	"slices"
	"strings"
	"sync/atomic"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/spec"
	"github.com/partwise/partwise/models/spec/ranges"
	"github.com/partwise/partwise/validate/experiment/days"
	"github.com/partwise/partwise/validate/sched"
)

// defaultPolicies are those of table 1 of Downey's paper.
const defaultPolicies = "sev,avg,pws,max,asp"

// Allocate is the command that compares policies on days of jobs.
func Allocate(table policy.Table) cli.Command {
	return cli.Command{
		Name:      "allocate",
		Group:     cli.Answering,
		Summary:   "compare policies that choose how many nodes a job is to keep",
		Arguments: "[STUDY...]",
		Details: "Gives policies days of Downey's workload, all the same days: jobs come for twelve hours, then the machine " +
			"runs empty. " + moldingPolicies(table) + " choose how many nodes a job keeps: greedily (a job takes what is free, " +
			"up to its size), with :stubborn (it waits for all of it) or with a share such as avg:0.4 (it waits for that " +
			"share); k:K waits for K times the average parallelism. Policies for rigid jobs give each job its average " +
			"parallelism, policies for malleable jobs resize it at no cost. A study file compares policies over loads or over a " +
			"parameter; --days, --nodes and --seed go before what it says.",
		Examples: []string{
			"partwise allocate --load 0.75 --days 1200",
			"partwise allocate --strategies sev,sev:stubborn,avg:0.4,k:0.7 --load 0.5,0.75,1 --plot strategies.svg",
			"partwise allocate --strategies asp,dynamic,easy --days 24",
			"partwise allocate shares.yaml --plot shares.svg",
			"partwise allocate --log log.swf.gz --strategies avg,asp,easy",
			"partwise allocate --analytic --load 0.1,0.2 --strategies avg,asp --jobs 16000 --phases 3",
		},
		Flags: append([]urfave.Flag{
			&urfave.StringFlag{Name: "strategies", Aliases: []string{"policies"}, Value: defaultPolicies,
				Usage: "compare the policies of `LIST`: " + strings.Join(table.On(policy.WholeNodes).Syntax(), ", ")},
			&urfave.StringFlag{Name: "load", Value: "0.75", Usage: "offer the load `LIST` while jobs come, a number or several " +
				"such as 0.5:1:0.1; of a log (default: its own) the time between its jobs is stretched to it"},
			&urfave.IntFlag{Name: "days", Value: 120, Usage: "simulate `D` days at each load; of a log (default: all) the first"},
			&urfave.IntFlag{Name: "nodes", Value: 64, Usage: "run on a machine of `N` nodes (of a log: the one that its header " +
				"tells)"},
			&urfave.StringFlag{Name: "log", TakesFile: true, Usage: "give the policies the jobs of `LOG`, in Standard Workload " +
				"Format: its sizes are taken for average parallelism, sigma is drawn between 0 and 2"},
			&urfave.StringFlag{Name: "like", TakesFile: true, Usage: "take lifetimes like those of `LOG`, uniform-log as fitted to " +
				"run time × nodes"},
			&urfave.IntFlag{Name: "stages", Value: 2, Usage: "fit `N` stages of lifetimes, 1 or 2 (--like)"},
			&urfave.StringFlag{Name: "confidence", Value: "0.95", Usage: "give intervals the level `C`"},
			&urfave.Uint64Flag{Name: "seed", Value: 1, Usage: "draw jobs from the seed `N`; the same seed gives the same results"},
			cli.PlotFlag("the measures over loads, or over the parameter of a study,"),
		}, analyticFlags()...),
		MaxArgs:      cli.MostStudies,
		Formats:      []string{"json", "csv", "markdown", "table"},
		RunsPolicies: policy.WholeNodes,
		Run:          allocate,
	}
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

func allocate(inv *cli.Invocation) error {
	plot, err := inv.Picture("plot")
	if err != nil {
		return err
	}
	confidence, err := inv.Share("confidence", "for example --confidence 0.95")
	if err != nil {
		return err
	}
	if err := checkAnalytic(inv); err != nil {
		return err
	}
	if inv.Flags.Bool("analytic") {
		return analytic(inv, plot, confidence)
	}
	a := results{table: inv.Table, confidence: confidence}
	switch logged := inv.Flags.String("log"); {
	case logged != "" && len(inv.Args) > 0:
		return cli.Usagef("leave one of them out", "--log and a study: a study has jobs of its own")
	case logged != "":
		err = a.replay(inv, logged)
	default:
		err = a.simulate(inv)
	}
	if err != nil {
		return err
	}
	if err := inv.Emit(a.result()); err != nil {
		return err
	}
	return inv.Draw(plot, a.figure())
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
	study    *spec.Allocation
	rows     []row
}

// row is what became of a policy at a load.
type row struct {
	strategy     spec.Strategy // the policy as the study names it
	parameter    float64
	hasParameter bool
	days.Outcome
}

// mostDays bounds --days, as study files are bounded.
const mostDays = 100_000_000

// readStudies returns the studies that were named, or that which the flags describe.
func readStudies(inv *cli.Invocation) ([]*spec.Allocation, error) {
	nodes, days := inv.Flags.Int("nodes"), inv.Flags.Int("days")
	if nodes < 1 {
		return nil, cli.Usagef("for example --nodes 64", "--nodes: %d is not a number of nodes", nodes)
	}
	if days < 1 || days > mostDays {
		return nil, cli.Usagef("for example --days 120", "--days: %d is not between 1 and %d", days, mostDays)
	}
	if len(inv.Args) == 0 {
		one, err := studyOfFlags(inv)
		return []*spec.Allocation{one}, err
	}
	for _, flag := range []string{"strategies", "load", "like"} {
		if inv.Flags.IsSet(flag) {
			return nil, cli.Usagef("change it in the study", "--%s beside a study, which says that itself", flag)
		}
	}
	var all []*spec.Allocation
	for _, name := range inv.Args {
		one, err := spec.LoadAllocation(name, inv.Table.On(policy.WholeNodes))
		if err != nil {
			return nil, err
		}
		if inv.Flags.IsSet("nodes") {
			one.Nodes = nodes
		}
		if inv.Flags.IsSet("days") {
			one.Days = days
		}
		all = append(all, one)
	}
	return all, nil
}

func studyOfFlags(inv *cli.Invocation) (*spec.Allocation, error) {
	a := &spec.Allocation{Nodes: inv.Flags.Int("nodes"), Days: inv.Flags.Int("days")}
	if err := addLifetimes(inv, a); err != nil {
		return nil, err
	}
	var texts []string
	for text := range strings.SplitSeq(inv.Flags.String("strategies"), ",") {
		texts = append(texts, strings.TrimSpace(text))
	}
	asked, err := inv.Select("--strategies", policy.Machine{Nodes: a.Nodes, Unit: 1}, texts...)
	if err != nil {
		return nil, err
	}
	for _, p := range asked.Run {
		a.Strategies = append(a.Strategies, spec.Strategy{Name: p.String(), Text: p.String()})
	}
	if a.Loads, err = ranges.Parse(inv.Flags.String("load"), ranges.Limits{Positive: true, Most: mostLoads}); err != nil {
		return nil, cli.Usagef("for example --load 0.75", "--load: %v", err)
	}
	return a, nil
}

// mostLoads bounds the loads of --load.
const mostLoads = 1000

// simulate simulates all that the command line asks for, load by load.
func (a *results) simulate(inv *cli.Invocation) error {
	studies, err := readStudies(inv)
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
			o := days.Options{Seed: inv.Flags.Uint64("seed"), Workers: inv.Workers, Confidence: a.confidence,
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
				add(row{strategy: one, parameter: v, hasParameter: true}, one.With(v))
			}
		} else {
			add(row{strategy: one}, one.Text)
		}
	}
	return rows, policies
}

// workloadOf returns the workload of a study at a load: Downey's, but for what the study says.
func workloadOf(s *spec.Allocation, load float64) (days.Workload, error) {
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
func allocationError(s *spec.Allocation, err error) error {
	if s.File == "" {
		return cli.Usagef("partwise help allocate", "%s", cli.Plain(err))
	}
	return cli.Failf(cli.ExitInput, "%s: %s", s.File, cli.Plain(err))
}
