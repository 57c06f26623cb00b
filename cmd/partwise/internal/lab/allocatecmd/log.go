package allocatecmd

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/joblog"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/quantity"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/swf"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/experiment/days"
	"github.com/partwise/partwise/validate/machine"
)

// replay gives the jobs of a log to the policies.
func (a *results) replay(inv *cli.Invocation, flags *allocateOptions) error {
	path := flags.log
	study, err := studyOfFlags(inv, flags)
	if err != nil {
		return err
	}
	jobs, err := loggedJobs(inv, flags, study)
	if err != nil {
		return err
	}
	asLogged := flags.loads == nil
	if asLogged {
		study.Loads = []float64{workload.OfferOf(jobs).Load(study.Nodes)}
	}
	study.Title = path
	one := &studyResult{policies: flags.table, study: study}
	costs, err := one.costs(flags)
	if err != nil {
		return err
	}
	for _, load := range study.Loads {
		scaled := slices.Clone(jobs)
		if !asLogged {
			if err := workload.Rescale(scaled, study.Nodes, load); err != nil {
				return &workload.DataError{File: path, Problem: cli.Plain(err)}
			}
		}
		rows, policies := one.planned()
		outcomes, err := days.Replay(inv.Context, study.Nodes, scaled, policies, days.Options{Workers: inv.Workers,
			Confidence: a.confidence, Rigid: one.takesAsLogged, Costs: costs})
		if err != nil {
			return err
		}
		for i := range rows {
			rows[i].Outcome = outcomes[i]
		}
		one.rows = append(one.rows, rows...)
	}
	a.studies, a.log = []*studyResult{one}, path
	return nil
}

// costs returns what resizing costs under the policies that resize jobs.
func (s *studyResult) costs(flags *allocateOptions) (func(policy.Policy) machine.Costs, error) {
	if len(flags.costs) == 0 {
		return nil, nil
	}
	costs, err := flags.costs[0].On(policy.Machine{Nodes: s.study.Nodes, Unit: 1}, quantity.Second)
	return func(p policy.Policy) machine.Costs {
		if e, ok := s.policies.Named(p.Name()); !ok || e.Jobs != workload.Malleable {
			return nil
		}
		return costs
	}, err
}

// takesAsLogged reports whether a policy takes jobs of a log as they are, as it does in a replay.
func (s *studyResult) takesAsLogged(p policy.Policy) bool {
	e, ok := s.policies.Named(p.Name())
	return ok && e.Jobs == workload.Rigid
}

// readLog reads a log, and the number of nodes unless a flag tells it.
func readLog(inv *cli.Invocation, path string, o *allocateOptions, study *modelfile.Allocation) (swf.Log, error) {
	log, err := o.reading.ReadLog(inv, path)
	if err != nil {
		return swf.Log{}, err
	}
	if o.nodes == 0 {
		if study.Nodes = log.Header.Size(); study.Nodes == 0 {
			return swf.Log{}, cli.Usagef("for example --nodes 128", "%s does not tell how many nodes the machine has", path)
		}
	}
	return log, nil
}

// addLifetimes gives a study lifetimes like those of the log that --like names, and tells how they are distributed.
func addLifetimes(inv *cli.Invocation, o *allocateOptions, study *modelfile.Allocation) error {
	path := o.like
	log, err := readLog(inv, path, o, study)
	if err != nil {
		return err
	}
	w, f, err := days.Like(log.Jobs, cmp.Or(o.stages, defaultStages), study.Nodes, 1)
	if err != nil {
		return &workload.DataError{File: path, Problem: cli.Plain(err)}
	}
	study.Jobs.Lifetimes = &w.Lifetimes
	for _, s := range w.Lifetimes.Stages() {
		inv.Notef("%s: lifetimes from %s to %s s: P(L ≤ t) = %s + %s·ln t (%s %% of %d jobs)", path, output.Round(s.Min, 3),
			output.Round(s.Max, 3), output.Round(s.Beta0, 3), output.Round(s.Beta1, 3), output.Round(100*s.Weight, 3), f.Values)
	}
	inv.Notef("the lines are off by %s, root mean square", output.Round(f.RMS, 2))
	return nil
}

// loggedJobs reads the jobs of a log.
func loggedJobs(inv *cli.Invocation, o *allocateOptions, study *modelfile.Allocation) ([]workload.Job, error) {
	path := o.log
	log, err := readLog(inv, path, o, study)
	if err != nil {
		return nil, err
	}
	jobs, skipped, err := days.FromLog(log.Jobs, study.Nodes, 0, 2, des.Seed(o.seed))
	if err != nil {
		return nil, &workload.DataError{File: path, Problem: cli.Plain(err)}
	}
	if o.days > 0 && len(jobs) > 0 {
		until := jobs[0].Submit + 24*3600*float64(o.days)
		jobs = slices.DeleteFunc(jobs, func(j workload.Job) bool { return j.Submit >= until })
	}
	joblog.WarnSkipped(inv, path, skipped)
	if len(jobs) < 2 || jobs[0].Submit == jobs[len(jobs)-1].Submit {
		return nil, &workload.DataError{File: path, Problem: fmt.Sprintf("%d jobs that ran, at one time, make no load",
			len(jobs))}
	}
	return jobs, nil
}
