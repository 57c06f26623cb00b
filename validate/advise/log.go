package advise

import (
	"fmt"
	"io"
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
		return Problem{}, fmt.Errorf("advise: at least %d jobs are needed to compare rules on, not %d", leastJobsOfLog, log.Len())
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
			jobs, offer, err := shapedJobs(log, s.Shape())
			if err != nil {
				return c, err
			}
			of.Jobs = jobs
			if load := offer.Load(m.Nodes); !math.IsNaN(load) && !math.IsInf(load, 1) {
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

// mostShaped is the largest number of jobs of a log that are kept as jobs of the machine, which take about ten times the
// memory of jobs of a log. Jobs of a longer log are shaped in each run again, which takes about a tenth of the run.
const mostShaped = 200_000

// shapedJobs returns the jobs of a log in a shape, and what they offer. The error comes from [workload.Shape.Job].
func shapedJobs(log *joblog.List, shape workload.Shape) (machine.Workload, workload.Offer, error) {
	if log.Len() <= mostShaped {
		jobs, err := workload.FromLog(log, shape)
		return machine.List(jobs), workload.OfferOf(jobs), err
	}
	offer := workload.Offer{Jobs: log.Len(), First: log.At(0).Submit, Last: log.At(log.Len() - 1).Submit}
	i := 0
	for from, err := range log.All() {
		if err != nil {
			return nil, offer, err
		}
		j, err := shape.Job(i, from)
		if err != nil {
			return nil, offer, err
		}
		offer.NodeTime += j.Offered()
		i++
	}
	return longLog{log, shape}, offer, nil
}

// longLog is a workload of the jobs of a long log, which are shaped one by one.
type longLog struct {
	log   *joblog.List
	shape workload.Shape
}

// Jobs returns the jobs of the log in their order, whatever the key. An error of the source comes from
// [workload.Shape.Set].
func (l longLog) Jobs(des.Key) workload.Source {
	next := 0
	return workload.SourceFunc(func(j *workload.Job) error {
		if next == l.log.Len() {
			return io.EOF
		}
		from := l.log.At(next)
		err := l.shape.Set(j, next, &from)
		if err == nil {
			next++
		}
		return err
	})
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
