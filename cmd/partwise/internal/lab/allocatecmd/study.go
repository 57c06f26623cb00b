package allocatecmd

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/logflags"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/experiment/days"
)

// study is a study with its results.
type study struct {
	*days.Study
	confidence float64
	rows       []days.Row // load by load, policy by policy, value by value of the parameter
}

// readStudies returns the studies that the arguments name or, without arguments, the study that the flags describe.
func (o *options) readStudies(inv *cli.Invocation) ([]*study, error) {
	if len(inv.Args) == 0 {
		one, err := o.ofFlags(inv)
		return []*study{one}, err
	}
	var all []*study
	for _, name := range inv.Args {
		one, err := days.LoadStudy(name, o.table.On(policy.WholeNodes))
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
	s := &study{Study: days.NewStudy(o.table), confidence: o.confidence}
	s.Title, s.Nodes, s.Days = o.log, cmp.Or(o.nodes, s.Nodes), cmp.Or(o.days, s.Days)
	if o.loads != nil {
		s.Loads = o.loads
	}
	asked, err := inv.Select("--policies", policy.Machine{Nodes: s.Nodes, Unit: 1}, o.policies...)
	if err != nil {
		return nil, err
	}
	for _, p := range asked.Run {
		s.Strategies = append(s.Strategies, days.Strategy{Name: p.String(), Text: p.String()})
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
		s.rows, err = s.Run(func(load float64, policies []policy.Policy) ([]days.Outcome, error) {
			defer before.Add(int64(s.Days))
			w, err := s.Workload(load)
			if err != nil {
				return nil, s.blamed(err)
			}
			return days.Simulate(inv.Context, w, policies, s.Days, days.Options{Seed: o.seed, Workers: inv.Workers,
				Confidence: o.confidence, Progress: func(done int) { step(int(before.Load()) + done) }})
		})
		if err != nil {
			return nil, err
		}
	}
	return studies, nil
}

// replay gives the jobs of a log to the policies.
func (o *options) replay(inv *cli.Invocation) ([]*study, error) {
	s, err := o.ofFlags(inv)
	if err != nil {
		return nil, err
	}
	jobs, err := o.loggedJobs(inv, s)
	if err != nil {
		return nil, err
	}
	if o.loads == nil {
		s.Loads = []float64{workload.OfferOf(jobs).Load(s.Nodes)}
	}
	costs, err := o.cost.On(policy.Machine{Nodes: s.Nodes, Unit: 1}, 1, "")
	if err != nil {
		return nil, logflags.Misfit(err)
	}
	options := days.Options{Workers: inv.Workers, Confidence: o.confidence, Table: o.table, Costs: costs}
	s.rows, err = s.Run(func(load float64, policies []policy.Policy) ([]days.Outcome, error) {
		scaled := slices.Clone(jobs)
		if o.loads != nil {
			if err := workload.Rescale(scaled, s.Nodes, load); err != nil {
				return nil, &workload.DataError{File: o.log, Problem: cli.Plain(err)}
			}
		}
		return days.Replay(inv.Context, s.Nodes, scaled, policies, options)
	})
	return []*study{s}, err
}

// blamed returns an error about the workload with its origin: the file of the study or, without a file, the flags.
func (s *study) blamed(err error) error {
	switch {
	case err == nil:
		return nil
	case s.File == "":
		return cli.Usagef("partwise help allocate", "%s", cli.Plain(err))
	}
	return cli.Failf(cli.ExitInput, "%s: %s", s.File, cli.Plain(err))
}

// loggedJobs reads the jobs of the log.
func (o *options) loggedJobs(inv *cli.Invocation, s *study) ([]workload.Job, error) {
	log, err := o.reading.ReadLog(inv, o.log)
	if err != nil {
		return nil, err
	}
	if s.Nodes = cmp.Or(o.nodes, log.Header.Size()); s.Nodes == 0 {
		return nil, cli.Usagef("for example --nodes 128", "%s does not tell how many nodes the machine has", o.log)
	}
	jobs, skipped, err := days.FromLog(log.Jobs, s.Nodes, 0, 2, des.Seed(o.seed))
	if err != nil {
		return nil, &workload.DataError{File: o.log, Problem: cli.Plain(err)}
	}
	if o.days > 0 && len(jobs) > 0 {
		until := jobs[0].Submit + 24*3600*float64(o.days)
		jobs = slices.DeleteFunc(jobs, func(j workload.Job) bool { return j.Submit >= until })
	}
	logflags.WarnSkipped(inv, o.log, skipped)
	if len(jobs) < 2 || jobs[0].Submit == jobs[len(jobs)-1].Submit {
		return nil, &workload.DataError{File: o.log, Problem: fmt.Sprintf("%d jobs that ran, at one time, make no load", len(jobs))}
	}
	return jobs, nil
}
