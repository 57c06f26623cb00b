package replay

import (
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

// SystemJobs returns the jobs of a log as malleable jobs on the machine of system s, in the order of their submission.
// Their times are in unit; the times of the log are seconds. Each job has the given speedup. If the system has classes,
// a job runs on at most the factor most times the nodes that it asked for, see [MaxNodes]. The map counts the jobs that
// were left out, by reason.
//
// The error comes from reading the log, or says that s is nil. It may also say that the speedup has no value for the
// nodes of a job. The other results are nil then.
func SystemJobs(log *joblog.List, s *models.System, speedup workload.Speedup, most float64, unit measure.TimeUnit) (
	[]workload.Job, map[string]int, error) {
	if s == nil {
		return nil, nil, s.Check()
	}
	jobs, skipped, err := workload.OnMachine(log, s.Nodes, workload.WithSpeedup(workload.Malleable, speedup))
	if err != nil {
		return nil, nil, err
	}
	for i := range jobs {
		j := &jobs[i]
		if len(s.Classes) > 0 {
			j.Max = MaxNodes(j.Nodes, s.Machine(), most)
		}
		for _, t := range []*float64{&j.Submit, &j.Run, &j.Work, &j.Requested, &j.Estimate} {
			*t = measure.Second().Convert(*t, unit)
		}
	}
	return jobs, skipped, nil
}
