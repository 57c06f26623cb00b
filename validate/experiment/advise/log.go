package advise

import (
	"fmt"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/swf"
	"github.com/partwise/partwise/validate/machine"
)

// leastJobsOfLog is two for every block: fewer say nothing.
const leastJobsOfLog = 2 * blocksOfLog

// OfLog returns the problem of logged jobs, in the order of their submission, in seconds. Under policies for rigid jobs they
// run on the nodes that they ask for; otherwise they have a speedup, and those that are resized pay the costs, unless these
// are nil. Policies plan with the run times that users requested.
func OfLog(m policy.Machine, log []swf.Job, speedup workload.Speedup, costs machine.Costs, points machine.Points) (Problem, error) {
	if len(log) < leastJobsOfLog {
		return Problem{}, fmt.Errorf("advise: %d jobs are too few to compare rules on; at least %d are needed", len(log),
			leastJobsOfLog)
	}
	jobs := map[workload.Kind]machine.List{}
	for _, kind := range []workload.Kind{workload.Rigid, workload.Moldable, workload.Malleable} {
		list, err := workload.AllJobs(workload.FromLog(swf.Jobs(log), workload.WithSpeedup(kind, speedup)))
		if err != nil {
			return Problem{}, err
		}
		jobs[kind] = list
	}
	first, last := log[0].Submit, log[len(log)-1].Submit
	table := policy.Standard()
	config := func(p policy.Policy) (machine.Config, error) {
		e, known := table.Named(p.Name())
		if !known {
			e.Jobs = workload.Malleable
		}
		c := machine.Config{Nodes: m.Nodes, Unit: 1, Policy: p, Jobs: jobs[e.Jobs],
			Estimates: &machine.Estimates{New: func() workload.Estimator { return workload.Logged{} }}}
		if e.Jobs != workload.Rigid {
			c.Unit = m.Unit
		}
		if e.Jobs == workload.Malleable {
			c.Costs, c.Points = costs, points
		}
		return c, p.Check(m)
	}
	return Problem{Machine: m, Gap: (last - first) / float64(len(log)-1), Hour: 3600, Jobs: len(log), Config: config}, nil
}
