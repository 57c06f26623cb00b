package allocatecmd

import (
	"cmp"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/machine"
)

// defaultPolicies are the policies of table 1 of Downey's paper.
const defaultPolicies = "sev,avg,pws,max,asp"

// Command is the command that compares policies on days of jobs.
func Command(table policy.Table) cli.Command {
	fresh := func() *options {
		return &options{policies: strings.Split(defaultPolicies, ","), seed: 1, table: table}
	}
	return cli.WithOptions(fresh, run, cli.Command{
		Name:      "allocate",
		Summary:   "compare policies that choose how many nodes a job is to keep",
		Arguments: "[STUDY...]",
		Details: "Runs policies on the same days of Downey's workload: jobs arrive for twelve hours, then the machine " +
			"runs empty. Policies such as sev and avg choose how many nodes a job keeps: what is free, up to its " +
			"size, with :stubborn all of its size, with avg:0.4 at least that share; k:K waits for K times the " +
			"average parallelism. Policies for rigid jobs give each job its average parallelism; policies for " +
			"malleable jobs resize it at no cost. A study file compares policies over loads or a parameter.",
		Examples: []string{
			"partwise lab allocate --load 0.75 --days 1200",
			"partwise lab allocate --policies sev,sev:stubborn,avg:0.4,k:0.7 --load 0.5,0.75,1 --plot policies.svg",
			"partwise lab allocate --policies asp,dynamic,easy --days 24",
			"partwise lab allocate shares.yaml --plot shares.svg",
		},
		MaxArgs:      cli.MostStudies,
		RunsPolicies: policy.WholeNodes,
	})
}

// options are the flags of allocate. A study file says what is 0 or empty here; without a file the default holds.
type options struct {
	policies    []string
	loads       []float64
	days, nodes int
	seed        uint64
	plot        cli.Picture
	table       policy.Table
}

// Flags binds the flags.
func (o *options) Flags() []cli.Flag {
	return []cli.Flag{
		cli.Value(&o.policies, "policies", cli.PolicyList, cli.About{Was: []string{"strategies"},
			Words: o.table.Words(policy.WholeNodes),
			Usage: "compare the policies of `LIST`: " + strings.Join(o.table.On(policy.WholeNodes).Syntax(), ", ")}),
		cli.Loads(&o.loads, cli.About{Default: "0.75",
			Usage: "offer each load of `LIST`, values or ranges A:B:STEP, while jobs arrive"}),
		cli.Int(&o.days, "days", cli.Between(1, MostDays), cli.About{Default: "120",
			Usage: "simulate `N` days at each load"}),
		cli.Int(&o.nodes, "nodes", cli.Between(1, machine.MostNodes), cli.About{Default: "64",
			Usage: "run on a machine of `N` nodes"}),
		cli.Seed(&o.seed, "draw jobs from the seed `N`"),
		cli.Plot(&o.plot, "the measures over loads, or over the parameter of a study,"),
	}
}

// Check refuses flags that exclude each other.
func (o *options) Check(inv *cli.Invocation) error {
	if flag := inv.FirstGiven("policies", "load"); len(inv.Args) > 0 && flag != "" {
		return cli.Usagef("change it in the study", "--%s beside a study, which says that itself", flag)
	}
	return nil
}

func run(inv *cli.Invocation, o *options) error {
	studies, err := o.studies(inv)
	if err == nil {
		err = o.simulate(inv, studies)
	}
	if err == nil {
		err = inv.Emit(newResult(studies))
	}
	if err != nil {
		return err
	}
	return inv.Draw(o.plot, newFigure(studies))
}

// studies returns the studies that the arguments name or, without arguments, the study that the flags describe.
func (o *options) studies(inv *cli.Invocation) (all []*Study, err error) {
	if len(inv.Args) == 0 {
		one, err := o.ofFlags(inv)
		return []*Study{one}, err
	}
	for _, name := range inv.Args {
		one, err := LoadStudy(name, o.table.On(policy.WholeNodes))
		if err != nil {
			return nil, err
		}
		all = append(all, o.changed(one))
	}
	return all, nil
}

// changed returns a study as the flags change it.
func (o *options) changed(s *Study) *Study {
	s.Nodes, s.Days = cmp.Or(o.nodes, s.Nodes), cmp.Or(o.days, s.Days)
	return s
}

// ofFlags returns the study that the flags describe.
func (o *options) ofFlags(inv *cli.Invocation) (*Study, error) {
	s := o.changed(NewStudy(o.table))
	if o.loads != nil {
		s.Loads = o.loads
	}
	asked, err := inv.Select("--policies", policy.Machine{Nodes: s.Nodes, Unit: 1}, measure.Second(), o.policies...)
	if err != nil {
		return nil, err
	}
	for _, p := range asked.Run {
		s.Strategies = append(s.Strategies, Strategy{Name: p.String(), Text: p.String()})
	}
	return s, nil
}

// simulate simulates all that the command line asks for, load by load.
func (o *options) simulate(inv *cli.Invocation, studies []*Study) (err error) {
	studies = slices.DeleteFunc(slices.Clone(studies), func(s *Study) bool { return !s.Simulated() })
	total, before := 0, 0
	for _, s := range studies {
		total += s.Days * len(s.Loads)
	}
	step, clear := inv.Progress(total, "simulating days")
	defer clear()
	for _, s := range studies {
		s.rows, err = s.Run(func(load float64, policies []policy.Policy) ([]Outcome, error) {
			w, err := s.Workload(load)
			if err != nil {
				return nil, s.blamed(err)
			}
			defer func() { before += s.Days }()
			return Simulate(inv.Context, w, policies, s.Days, Options{Seed: o.seed, Workers: inv.Workers,
				Progress: func(done int) { step(before + done) }})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// blamed returns an error of the workload as an error of the file of the study or, without a file, of the flags.
func (s *Study) blamed(err error) error {
	if s.File == "" {
		return cli.Usagef("partwise help allocate", "%s", cli.Plain(err))
	}
	return cli.Failf(cli.ExitInput, "%s: %s", s.File, cli.Plain(err))
}
