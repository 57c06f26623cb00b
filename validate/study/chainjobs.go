package study

import (
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// chainJobs are the jobs of a log as jobs of a chain: malleable, with the speedup of the assumptions. The list keeps only
// what differs between jobs, 32 bytes a job. As values of [workload.Job], a million jobs would take 136 MB.
type chainJobs struct {
	speedup workload.Speedup
	jobs    []chainJob
}

// chainJob is what differs between jobs. Times are in seconds.
type chainJob struct {
	submit, run, work float64
	nodes             int32 // that the job asked for
	most              int32 // nodes that the job can use; 0: all
}

// Len returns the number of jobs.
func (c *chainJobs) Len() int { return len(c.jobs) }

// Get overwrites j with job i, counted from 0.
func (c *chainJobs) Get(i int, j *workload.Job) {
	from := &c.jobs[i]
	*j = workload.Job{ID: i + 1, User: -1, Application: -1, Submit: from.submit, Kind: workload.Malleable, Nodes: int(from.nodes),
		Max: int(from.most), Work: from.work, Run: from.run, Speedup: c.speedup}
}

// newChainJobs returns jobs of a log, in the order of their submission, for a chain of system s. Jobs have the given speedup, and
// can use any number of nodes. If the system has classes, a job uses at most the factor most times the nodes that it asked for; see
// [replay.MaxNodes]. Jobs that the machine of the system cannot run are left out.
//
// The error comes from reading the log, or says that the speedup has no value for the nodes of a job.
func newChainJobs(log *joblog.List, s *models.System, speedup workload.Speedup, most float64) (*chainJobs, error) {
	all := &chainJobs{speedup: speedup, jobs: make([]chainJob, 0, log.Len())}
	shape := workload.WithSpeedup(workload.Malleable, speedup)
	for from, err := range new(joblog.Range).Choose(log.All(), s.Nodes, func(string, float64) {}) {
		if err != nil {
			return nil, err
		}
		j, err := shape.Job(len(all.jobs), from)
		if err != nil {
			return nil, err
		}
		one := chainJob{submit: j.Submit, run: j.Run, work: j.Work, nodes: int32(j.Nodes)}
		if len(s.Classes) > 0 {
			one.most = int32(replay.MaxNodes(j.Nodes, s.Machine(), most))
		}
		all.jobs = append(all.jobs, one)
	}
	return all, nil
}
