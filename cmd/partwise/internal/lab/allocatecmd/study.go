package allocatecmd

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/logflags"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/swf"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/experiment/days"
)

// study is a study with what came of it.
type study struct {
	*StudyFile
	table      policy.Table
	confidence float64
	rows       []row // load by load, policy by policy, value by value of the parameter
}

// row is what became of a policy at a load.
type row struct {
	Strategy          // the policy as the study names it
	parameter float64 // NaN if it has none
	days.Outcome
}

// readStudies returns the studies that the arguments name or, without arguments, the study that the flags describe.
func (o *options) readStudies(inv *cli.Invocation) ([]*study, error) {
	if len(inv.Args) == 0 {
		one, err := o.ofFlags(inv)
		return []*study{one}, err
	}
	var all []*study
	for _, name := range inv.Args {
		one, err := LoadStudyFile(name, o.table.On(policy.WholeNodes))
		if err != nil {
			return nil, err
		}
		one.Nodes, one.Days = cmp.Or(o.nodes, one.Nodes), cmp.Or(o.days, one.Days)
		all = append(all, &study{StudyFile: one, table: o.table, confidence: o.confidence})
	}
	return all, nil
}

// ofFlags returns the study that the flags describe.
func (o *options) ofFlags(inv *cli.Invocation) (*study, error) {
	s := &study{table: o.table, confidence: o.confidence, StudyFile: &StudyFile{Title: o.log,
		Nodes: cmp.Or(o.nodes, defaultNodes), Days: cmp.Or(o.days, defaultDays), Loads: o.loads}}
	if s.Loads == nil {
		s.Loads = []float64{defaultLoad}
	}
	if o.like != "" {
		if err := o.addLifetimes(inv, s); err != nil {
			return nil, err
		}
	}
	asked, err := inv.Select("--policies", policy.Machine{Nodes: s.Nodes, Unit: 1}, o.policies...)
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
		if s.simulated() {
			total += s.Days * len(s.Loads)
		}
	}
	step, clear := inv.Progress(total, "simulating days")
	defer clear()
	var before atomic.Int64
	for _, s := range studies {
		if !s.simulated() {
			continue
		}
		err := s.run(func(load float64, policies []policy.Policy) ([]days.Outcome, error) {
			defer before.Add(int64(s.Days))
			w, err := s.workload(load)
			if err != nil {
				return nil, err
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
	return []*study{s}, s.run(func(load float64, policies []policy.Policy) ([]days.Outcome, error) {
		scaled := slices.Clone(jobs)
		if o.loads != nil {
			if err := workload.Rescale(scaled, s.Nodes, load); err != nil {
				return nil, &workload.DataError{File: o.log, Problem: cli.Plain(err)}
			}
		}
		return days.Replay(inv.Context, s.Nodes, scaled, policies, options)
	})
}

// run adds the rows of all loads.
func (s *study) run(outcomes func(load float64, policies []policy.Policy) ([]days.Outcome, error)) error {
	for _, load := range s.Loads {
		rows, policies := s.planned()
		all, err := outcomes(load, policies)
		if err != nil {
			return err
		}
		for i := range rows {
			rows[i].Outcome = all[i]
		}
		s.rows = append(s.rows, rows...)
	}
	return nil
}

// simulated tells a study of days from one that only draws curves.
func (s *study) simulated() bool { return s.Speedup == nil && s.Sizes == nil }

// planned returns the rows of a load, still without outcomes, and their policies.
func (s *study) planned() (rows []row, policies []policy.Policy) {
	for _, one := range s.Strategies {
		values := []float64{math.NaN()}
		if s.Parameter != nil && strings.Contains(one.Text, "*") {
			values = s.Parameter.Values
		}
		for _, v := range values {
			if p, err := s.table.Parse(one.With(v)); err == nil { // every text was checked when it was read
				rows, policies = append(rows, row{Strategy: one, parameter: v}), append(policies, p)
			}
		}
	}
	return rows, policies
}

// workload returns the workload of the study at a load. It is the workload of Downey except where the study says otherwise.
func (s *study) workload(load float64) (days.Workload, error) {
	w, err := days.Downey(s.Nodes, load)
	if err == nil {
		if s.Jobs.Lifetimes != nil {
			w.Lifetimes = *s.Jobs.Lifetimes
		}
		if s.Jobs.Parallelism != nil {
			w.Parallelism = *s.Jobs.Parallelism
		}
		if s.Jobs.Sigma != nil {
			w.SigmaMin, w.SigmaMax = s.Jobs.Sigma[0], s.Jobs.Sigma[1]
		}
		w.Length = cmp.Or(s.Jobs.Length, w.Length)
		err = w.Check()
	}
	return w, s.blamed(err)
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

// readLog reads a log, and the number of nodes unless a flag tells it.
func (o *options) readLog(inv *cli.Invocation, path string, s *study) (swf.Log, error) {
	log, err := o.reading.ReadLog(inv, path)
	if err == nil && o.nodes == 0 {
		if s.Nodes = log.Header.Size(); s.Nodes == 0 {
			err = logflags.NoNodes(path, log.Jobs)
		}
	}
	return log, err
}

// addLifetimes gives a study lifetimes like those of the log that --like names, and tells how they are distributed.
func (o *options) addLifetimes(inv *cli.Invocation, s *study) error {
	log, err := o.readLog(inv, o.like, s)
	if err != nil {
		return err
	}
	w, f, err := days.Like(log.Jobs, o.stages, s.Nodes, 1)
	if err != nil {
		return &workload.DataError{File: o.like, Problem: cli.Plain(err)}
	}
	s.Jobs.Lifetimes = &w.Lifetimes
	for _, l := range w.Lifetimes.Stages() {
		inv.Notef("%s: lifetimes from %s to %s s: P(L ≤ t) = %s + %s·ln t (%s %% of %d jobs)", o.like, output.Round(l.Min, 3),
			output.Round(l.Max, 3), output.Round(l.Beta0, 3), output.Round(l.Beta1, 3), output.Round(100*l.Weight, 3), f.Values)
	}
	inv.Notef("the lines are off by %s, root mean square", output.Round(f.RMS, 2))
	return nil
}

// loggedJobs reads the jobs of the log.
func (o *options) loggedJobs(inv *cli.Invocation, s *study) ([]workload.Job, error) {
	log, err := o.readLog(inv, o.log, s)
	if err != nil {
		return nil, err
	}
	jobs, skipped, err := days.FromLog(log.Jobs, s.Nodes, 0, 2, des.Seed(o.seed))
	if err != nil {
		return nil, &workload.DataError{File: o.log, Problem: cli.Plain(err)}
	}
	if o.days > 0 && len(jobs) > 0 {
		until := jobs[0].Submit + 24*3600*float64(o.days)
		jobs = slices.DeleteFunc(jobs, func(j workload.Job) bool { return j.Submit >= until })
	}
	if err := o.reading.CheckLost(o.log, log.Jobs, s.Nodes, skipped); err != nil {
		return nil, err
	}
	logflags.WarnSkipped(inv, o.log, skipped)
	if len(jobs) < 2 || jobs[0].Submit == jobs[len(jobs)-1].Submit {
		return nil, &workload.DataError{File: o.log, Problem: fmt.Sprintf("%d jobs that ran, at one time, make no load", len(jobs))}
	}
	return jobs, nil
}
