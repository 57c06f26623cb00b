package advise

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/replay"
)

// leastJobsOfLog is two for every block: fewer say nothing.
const leastJobsOfLog = 2 * blocksOfLog

// OfLog returns the problem of logged jobs, which are in the order of their submission; times are in seconds. Each
// policy runs them as a replay does. Under policies for rigid jobs, jobs run on the nodes that they ask for, otherwise
// as assume says. Policies plan with the run times that users requested. The list is kept and must not be changed.
//
// The error says that there are fewer than 64 jobs, or that the assumptions do not fit the machine. It may also say
// that the speedup has no value for the nodes of a job.
func OfLog(m policy.Machine, log *joblog.List, assume replay.Assumptions) (Problem, error) {
	if log.Len() < leastJobsOfLog {
		return Problem{}, fmt.Errorf("advise: %d jobs are too few to compare rules on; at least %d are needed", log.Len(),
			leastJobsOfLog)
	}
	known := map[[2]bool]machine.Config{} // with the jobs, by the assumptions other than the kind of the jobs
	config := func(p policy.Policy) (machine.Config, error) {
		s := replay.Setting{Policy: p, Nodes: m.Nodes, Unit: m.Unit, Assumptions: assume}
		c, err := s.Machine()
		if err != nil {
			return c, err
		}
		form := [2]bool{s.Molds(), s.Bounded()}
		of, ok := known[form]
		if !ok {
			jobs, err := workload.FromLog(log, s.Shape())
			if err != nil {
				return c, err
			}
			of.Jobs = machine.List(jobs)
			if load := workload.OfferOf(jobs).Load(m.Nodes); !math.IsNaN(load) && !math.IsInf(load, 1) {
				of.Load = load
			}
			known[form] = of
		}
		c.Jobs, c.Load = of.Jobs, of.Load
		if !s.Bounded() { // otherwise each job has a kind of its own
			c.Jobs = ofKind{of.Jobs, s.Kind()}
		}
		return c, p.Check(m)
	}
	if _, err := config(policy.Dynamic{}); err != nil { // what does not fit the machine, before anything runs
		return Problem{}, err
	}
	first, last := log.At(0).Submit, log.At(log.Len()-1).Submit
	return Problem{Machine: m, Gap: (last - first) / float64(log.Len()-1), Hour: 3600, Jobs: log.Len(), Config: config,
		Rigid: []policy.Policy{policy.EASY{}}}, nil
}

// ofKind is a workload whose jobs are all of one kind: rigid, moldable or malleable. Policies for which jobs differ in
// their kind alone share the list of the jobs.
type ofKind struct {
	machine.Workload
	kind workload.Kind
}

// Jobs returns the jobs of the underlying workload for a run with the given key, each with w.kind in place of its own
// kind.
func (w ofKind) Jobs(key des.Key) workload.Source {
	source := w.Workload.Jobs(key)
	return workload.SourceFunc(func(j *workload.Job) error {
		err := source.Next(j)
		j.Kind = w.kind
		return err
	})
}
