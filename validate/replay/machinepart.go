package replay

import (
	"cmp"
	"context"
	"iter"
	"math"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// part is a machine that runs jobs of the log: a pool with its number, from 0, or the whole machine with number 0.
type part struct {
	Pool
	number int
}

// wholeMachine returns the whole machine of run r as a part: all jobs of the log on r.Nodes nodes. The log may have
// another number of nodes; see Study.Nodes.
func (s *Study) wholeMachine(r *Run) part {
	return part{Pool: Pool{Nodes: r.Nodes, Jobs: s.Log.Offer.Jobs, NodeTime: s.Log.Offer.NodeTime}}
}

// poolPart returns the pool with the given number, from 0, as a part of the log: the jobs of the pool on its own nodes.
// The log must have pools.
func (s *Study) poolPart(number int) part {
	return part{Pool: s.Log.Pools.List[number], number: number}
}

// replayPart replays the jobs of one part of the log alone, on on.Nodes nodes, and sets Measures and Log of the run.
// [Study.WorthInNodes] calls it with other numbers of nodes; it needs mean response times alone, so the log is brief.
// s.Done and s.Ended are not called. The error comes from [Log.At] or [Study.runPart]; Measures are not set then.
func (s *Study) replayPart(ctx context.Context, r *Run, on part) error {
	offered, err := s.Log.At(r.Load)
	if err != nil {
		return err
	}
	r.Log = metric.NewBriefLog(metric.Machine{Nodes: on.Nodes})
	if _, err := s.runPart(ctx, 0, r, on, offered, r.Log.Add); err != nil {
		return err
	}
	r.Measures = r.Log.Measures()
	return nil
}

// runPart simulates the jobs of a part of the log, on on.Nodes nodes under the policy of run r, in one replication.
// offered holds the chosen jobs of the whole log, with their times at the load of r. done is called with the record of
// each job that ends, which is valid until done returns. Its Number counts among all chosen jobs of the log. The result
// has the course of the simulation, such as the most jobs at a time. r itself is not changed.
//
// The error is a *[SettingError] if the cost does not fit the machine, or a *[RunError] if the policy cannot run the
// jobs. It may also come from reading the log, or from ctx. The result beside an error may be nil.
func (s *Study) runPart(ctx context.Context, replication uint64, r *Run, on part, offered Offered,
	done func(*machine.Record)) (*validate.Course, error) {
	setting := r.Setting
	setting.Nodes = on.Nodes
	c, err := setting.Machine()
	if err != nil {
		return nil, err
	}
	jobs := s.jobSource(r, on, offered.Jobs())
	defer jobs.end()
	key := des.Seed(s.Seed)
	c.Jobs, c.KillAtEstimate, c.Most = machine.Once(jobs), s.KillAtEstimate, s.Present
	c.Done = func(record *machine.Record) {
		record.Number = jobs.numberInLog(record.Number)
		done(record)
	}
	if s.Estimates != nil {
		c.Estimates.New = s.Estimates
	}
	c.Estimates.Key = key.At(replication)
	c.Load = s.knownLoad(r, on, offered)
	keep := validate.Distributions{Responses: s.Percentiles && !r.searched, Waits: s.Percentiles && !r.searched}
	// the key of the first replication of [validate.Replay]
	course, err := validate.RunJobs(ctx, c, on.Jobs, keep, key.At(0).At(replication), nil)
	return course, runError(r.Policy, err)
}

// knownLoad returns the offered load of the part on of the log as policies know it. Some policies need it to choose
// sizes of jobs. It is the load of run r or, if r.Load is 0, the load of the offered jobs. It is scaled to the nodes
// and the node-time of the part. It is 0, which means unknown, if all jobs are submitted at once.
func (s *Study) knownLoad(r *Run, on part, offered Offered) float64 {
	load := cmp.Or(r.Load, offered.Load())
	if math.IsNaN(load) || math.IsInf(load, 0) {
		return 0
	}
	all := s.Log.Capacity() // to which the load is relative
	if on.Nodes == all && on.Jobs == s.Log.Offer.Jobs {
		return load
	}
	return load * float64(all) / float64(on.Nodes) * on.NodeTime / s.Log.Offer.NodeTime
}

// jobSource returns a source that gives the machine the jobs of a part of the log, in the shape that run r assumes.
// Whether a job is malleable depends on its number among all jobs of the log. So a job is the same in a pool and on the
// whole machine. The caller must call end of the result, to end the reading of the log.
func (s *Study) jobSource(r *Run, on part, log joblog.Jobs) *poolJobs {
	jobs := &poolJobs{shape: r.Shape(), on: on, log: s.Log}
	jobs.next, jobs.end = iter.Pull2(jobs.blocks(log))
	return jobs
}
