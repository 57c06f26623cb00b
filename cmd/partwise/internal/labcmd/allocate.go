package labcmd

import (
	"cmp"
	_ "embed"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/lab"
	"github.com/partwise/partwise/validate/machine"
)

// allocationPolicies are the policies of table 1 of Downey's paper.
const allocationPolicies = "sev,avg,pws,max,asp"

//go:embed allocate.txt
var allocateHelp string

// Allocate is the command that compares policies on days of jobs.
func Allocate(table policy.Table) cli.Command {
	fresh := func() *allocateOptions {
		return &allocateOptions{policies: strings.Split(allocationPolicies, ","), seed: cli.DefaultSeed, table: table}
	}
	return cli.WithOptions(fresh, runAllocate, cli.Described(allocateHelp, cli.Command{
		RunsPolicies: policy.WholeNodes,
	}))
}

// allocateOptions are the flags of allocate. A figure says what is 0 or empty here; without a figure the default holds.
type allocateOptions struct {
	policies    []string
	figures     []*lab.DaysStudy
	loads       []float64
	days, nodes int
	seed        uint64
	plot        chart.Picture
	table       policy.Table
}

// Flags binds the flags.
func (o *allocateOptions) Flags() []cli.Flag {
	figures, named := values.ByName("unknown figure", lab.DaysFigures(), func(s *lab.DaysStudy) string { return s.Name })
	return []cli.Flag{
		cli.Value(&o.policies, "policies", input.PolicyList, cli.About{Was: []string{"strategies"},
			Words: o.table.Words(policy.WholeNodes),
			Usage: "compare the policies of `LIST`: " + strings.Join(o.table.On(policy.WholeNodes).Syntax(), ", ")}),
		cli.Value(&o.figures, "figure", values.ListOf(named), cli.About{Words: figures,
			Usage: "repeat the figures or tables `LIST` of Downey (1996): " + strings.Join(figures, ", ")}),
		input.Loads(&o.loads, cli.About{Default: "0.75",
			Usage: "offer each load of `LIST`, values or ranges A:B:STEP, while jobs arrive"}),
		cli.Int(&o.days, "days", values.Between(1, lab.MostDays), cli.About{Default: "120; of figures 60 to 1200",
			Usage: "simulate `N` days at each load", Hint: "for example --days 120"}),
		cli.Int(&o.nodes, "nodes", values.Between(1, machine.MostNodes), cli.About{Default: "64",
			Usage: "run on a machine of `N` nodes"}),
		cli.Seed(&o.seed, "draw jobs from the seed `N`"),
		input.Plot(&o.plot, "the measures over loads, or over the parameter of a figure,"),
	}
}

// Check refuses flags that exclude each other.
func (o *allocateOptions) Check(inv *cli.Invocation) error {
	return besideFigure(inv, "policies", "load")
}

// runAllocate simulates the studies, writes their results, and draws them if --plot asks for it.
func runAllocate(inv *cli.Invocation, o *allocateOptions) error {
	studies, err := o.studies(inv)
	if err == nil {
		err = o.simulate(inv, studies)
	}
	if err == nil {
		err = inv.Emit(newAllocateResult(studies))
	}
	if err != nil {
		return err
	}
	return input.Draw(inv, o.plot, newAllocateFigure(studies))
}

// studies returns the figures or, without figures, the study that the other flags describe.
func (o *allocateOptions) studies(inv *cli.Invocation) ([]*lab.DaysStudy, error) {
	all := o.figures
	if all == nil {
		one, err := o.ofFlags(inv)
		if err != nil {
			return nil, err
		}
		all = []*lab.DaysStudy{one}
	}
	for _, s := range all {
		s.Nodes, s.Days = cmp.Or(o.nodes, s.Nodes), cmp.Or(o.days, s.Days)
	}
	return all, nil
}

// ofFlags returns the study that the flags describe: policies at loads on a machine. A policy that cannot run there is an
// error of --policies.
func (o *allocateOptions) ofFlags(inv *cli.Invocation) (*lab.DaysStudy, error) {
	s := lab.NewDaysStudy(o.table)
	if o.loads != nil {
		s.Loads = o.loads
	}
	asked, err := input.Select(inv, "--policies", policy.Machine{Nodes: cmp.Or(o.nodes, s.Nodes), Unit: 1}, measure.Second(),
		o.policies...)
	if err != nil {
		return nil, err
	}
	for _, p := range asked.Run {
		s.Strategies = append(s.Strategies, lab.DaysStrategy{Name: p.String(), Text: p.String()})
	}
	return s, nil
}

// simulate simulates the studies one after another, which sets their rows, and reports the progress in days.
func (o *allocateOptions) simulate(inv *cli.Invocation, studies []*lab.DaysStudy) error {
	total, before := 0, 0
	for _, s := range studies {
		total += s.PlannedDays()
	}
	step, clear := inv.Progress(total, "simulating days")
	defer clear()
	for _, s := range studies {
		err := s.Simulate(inv.Context, lab.DaysOptions{Seed: o.seed, Workers: inv.Workers, Memory: inv.Memory.Limit(),
			Progress: func(done int) { step(before + done) }})
		if err != nil {
			return input.GivenUp(err)
		}
		before += s.PlannedDays()
	}
	return nil
}
