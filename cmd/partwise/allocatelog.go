package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/partwise/partwise/models/spec"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/swf"
	"github.com/partwise/partwise/validate/batch"
	"github.com/partwise/partwise/validate/days"
	"github.com/partwise/partwise/validate/des"
)

// replay gives the jobs of a log to the strategies.
func (a *allotments) replay(inv *invocation, path string) error {
	study, err := inv.allocationOfFlags()
	if err != nil {
		return err
	}
	jobs, err := inv.loggedJobs(path, study)
	if err != nil {
		return err
	}
	if !inv.flags.IsSet("load") {
		study.Loads = []float64{days.Offered(jobs, study.Nodes)}
	}
	study.Title = path
	one := &allotment{study: study}
	for _, load := range study.Loads {
		scaled := slices.Clone(jobs)
		if inv.flags.IsSet("load") {
			if err := days.Rescale(scaled, study.Nodes, load); err != nil {
				return &workload.DataError{File: path, Problem: plain(err)}
			}
		}
		rows, strategies := one.planned()
		outcomes, err := days.Replay(inv.ctx, study.Nodes, scaled, strategies, days.Options{Workers: inv.workers,
			Confidence: a.confidence})
		if err != nil {
			return err
		}
		for i := range rows {
			rows[i].Outcome = outcomes[i]
		}
		one.rows = append(one.rows, rows...)
	}
	a.studies, a.log = []*allotment{one}, path
	return nil
}

// loggedJobs reads the jobs of a log, and the number of nodes unless a flag tells it.
func (inv *invocation) loggedJobs(path string, study *spec.Allocation) ([]batch.Request, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	log, err := swf.ReadLog(f, path)
	if err != nil {
		return nil, err
	}
	if !inv.flags.IsSet("nodes") {
		if study.Nodes = log.Header.Size(); study.Nodes == 0 {
			return nil, usage("for example --nodes 128", "%s does not tell how many nodes the machine has", path)
		}
	}
	jobs, skipped := days.FromLog(log.Jobs, 0, 2, des.Seed(inv.flags.Uint64("seed")))
	if inv.flags.IsSet("days") && len(jobs) > 0 {
		until := jobs[0].Submit + 24*3600*float64(inv.flags.Int("days"))
		jobs = slices.DeleteFunc(jobs, func(q batch.Request) bool { return q.Submit >= until })
	}
	for i := range jobs {
		jobs[i].Nodes = min(jobs[i].Nodes, study.Nodes)
	}
	inv.leftOut(path, skipped)
	if len(jobs) < 2 || jobs[0].Submit == jobs[len(jobs)-1].Submit {
		return nil, &workload.DataError{File: path, Problem: fmt.Sprintf("%d jobs that ran, at one time, make no load", len(jobs))}
	}
	return jobs, nil
}
