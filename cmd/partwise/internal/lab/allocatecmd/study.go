package allocatecmd

import (
	"cmp"
	"sync/atomic"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
)

// study is a study with its results.
type study struct {
	*Study
	confidence float64
	rows       []Row // load by load, policy by policy, value by value of the parameter
}

// readStudies returns the studies that the arguments name or, without arguments, the study that the flags describe.
func (o *options) readStudies(inv *cli.Invocation) ([]*study, error) {
	if len(inv.Args) == 0 {
		one, err := o.ofFlags(inv)
		return []*study{one}, err
	}
	var all []*study
	for _, name := range inv.Args {
		one, err := LoadStudy(name, o.table.On(policy.WholeNodes))
		if err != nil {
			return nil, err
		}
		one.Nodes, one.Days = cmp.Or(o.nodes, one.Nodes), cmp.Or(o.days, one.Days)
		all = append(all, &study{Study: one, confidence: o.confidence})
	}
	return all, nil
}

// ofFlags returns the study that the flags describe.
func (o *options) ofFlags(inv *cli.Invocation) (*study, error) {
	s := &study{Study: NewStudy(o.table), confidence: o.confidence}
	s.Nodes, s.Days = cmp.Or(o.nodes, s.Nodes), cmp.Or(o.days, s.Days)
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
func (o *options) simulate(inv *cli.Invocation) ([]*study, error) {
	studies, err := o.readStudies(inv)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, s := range studies {
		if s.Simulated() {
			total += s.Days * len(s.Loads)
		}
	}
	step, clear := inv.Progress(total, "simulating days")
	defer clear()
	var before atomic.Int64
	for _, s := range studies {
		if !s.Simulated() {
			continue
		}
		s.rows, err = s.Run(func(load float64, policies []policy.Policy) ([]Outcome, error) {
			defer before.Add(int64(s.Days))
			w, err := s.Workload(load)
			if err != nil {
				return nil, s.blamed(err)
			}
			return Simulate(inv.Context, w, policies, s.Days, Options{Seed: o.seed, Workers: inv.Workers,
				Confidence: o.confidence, Progress: func(done int) { step(int(before.Load()) + done) }})
		})
		if err != nil {
			return nil, err
		}
	}
	return studies, nil
}

// blamed returns an error of the workload as an error of the file of the study or, without a file, of the flags.
func (s *study) blamed(err error) error {
	if s.File == "" {
		return cli.Usagef("partwise help allocate", "%s", cli.Plain(err))
	}
	return cli.Failf(cli.ExitInput, "%s: %s", s.File, cli.Plain(err))
}
