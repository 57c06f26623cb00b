package replay

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// replay simulates run r, once for each replication, and sets its results. [Run.addReplication], [Run.addPools] and
// [Run.addGroups] set most of them. The others are the comparison with the logged waits, and the number of months. The
// function logged returns the logged waits, or nil for a log without waits; it is called if they are needed. replay
// calls s.Done for the jobs that end in the first replication, and s.Ended for the jobs of all replications. A step of
// a search, r.searched, records response times alone.
//
// The error is a *[RunError] if the policy cannot run the jobs, or a *[SettingError] if the cost does not fit. It may
// also come from [Log.At], from reading the log, or from ctx. An internal error says that the policy broke the starts
// that it promised. It is errSlower if the replay is given up; see [Run.watchRival]. Some results may be set beside an
// error.
func (s *Study) replay(ctx context.Context, r *Run, logged func() *loggedWaits) error {
	offered, err := s.Log.At(r.Load)
	if err != nil {
		return err
	}
	compared := r.compareWith(offered, logged)
	groupings := s.Groupings
	if r.searched {
		groupings = nil
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	for i := range max(1, s.Replications) {
		newLog := func(nodes int) *metric.Log {
			if r.searched {
				return metric.NewBriefLog(metric.Machine{Nodes: nodes})
			}
			log := metric.NewLog(metric.Machine{Nodes: nodes}, offered.Date())
			log.Deadline = cmp.Or(r.deadline, s.Deadline)
			return log
		}
		log, pools, groups := newLog(s.capacity(r)), s.poolLogs(newLog), newGroupLogs(groupings)
		watch := r.watchRival(giveUp)
		done := func(record *machine.Record) {
			log.Add(record)
			watch(record.Response())
			groups.add(record)
			if pools != nil {
				pools[s.Log.poolOf(record.Number)].Add(record)
			}
			compared.add(record)
			if s.Done != nil && i == 0 {
				s.Done(r, record)
			}
			if s.Ended != nil {
				s.Ended()
			}
		}
		if err := s.replayOnce(ctx, uint64(i), r, offered, done); err != nil {
			if context.Cause(ctx) == errSlower {
				return errSlower
			}
			return err
		}
		r.addReplication(i+1, log)
		r.addPools(i+1, s.Log, pools)
		r.addGroups(i+1, groups.result())
	}
	r.of = s.Log
	r.Waits, r.WaitCurves = compared.result()
	for p := range r.Pools {
		r.Pools[p].Waits = compared.resultOf(func(job int) bool { return s.Log.poolOf(job) == p })
	}
	r.months = int((s.Log.Offer.Last - s.Log.Offer.First) / month)
	if _, broken := r.Log.Promises(); broken > 0 {
		return fmt.Errorf("internal error: policy %s broke promises", r.Policy)
	}
	return nil
}

// replayWith replays the jobs of run of with another setting, and returns the new run, which has the baseline of run of.
// s.Ended is called for its jobs; s.Done is not, and the new run has no groups. The error comes from [Study.replay]; the
// run beside it is incomplete.
func (s *Study) replayWith(ctx context.Context, of *Run, setting Setting) (*Run, error) {
	quiet := *s
	quiet.Done, quiet.Groupings = nil, nil
	run := &Run{Setting: setting, Load: of.Load, Baseline: of.Baseline, replications: of.replications}
	return run, quiet.replay(ctx, run, quiet.loggedWaits)
}

// addReplication adds the results of replication n, counted from 1, to the run. The log of the replication becomes
// r.Log, in place of the log of the replication before. Measures, and the values of the months and of the classes of
// sizes, become means over n replications. Jobs, and the dates and numbers of jobs of the months, come from the first
// replication. Replications differ in estimates of run times alone, and have the same jobs.
func (r *Run) addReplication(n int, log *metric.Log) {
	r.Log = log
	months, sizes := log.Months(), log.Sizes()
	if n == 1 {
		r.Jobs, r.Measures, r.Months, r.Sizes = log.Jobs(), log.Measures(), months, sizes
		return
	}
	for i := range r.Sizes {
		r.Sizes[i].Merge(&sizes[i], n)
	}
	r.Measures.Merge(log.Measures(), n)
	for i := range r.Months {
		r.Months[i].Values.Merge(months[i].Values, n)
	}
}

// addGroups adds the groups of replication n, counted from 1, to r.Groups. last holds the results of this replication
// alone, for each grouping. Its mean times are overwritten by the means over n replications, and it becomes r.Groups.
// So Log is the log of the last replication.
func (r *Run) addGroups(n int, last []GroupsRun) {
	for k := range r.Groups {
		for i := range r.Groups[k].Groups {
			before, g := &r.Groups[k].Groups[i], &last[k].Groups[i]
			g.MeanResponseTime = before.MeanResponseTime + (g.MeanResponseTime-before.MeanResponseTime)/float64(n)
			g.MeanWaitingTime = before.MeanWaitingTime + (g.MeanWaitingTime-before.MeanWaitingTime)/float64(n)
		}
	}
	r.Groups = last
}

// capacity returns the number of nodes that the jobs of run r can use, to which utilization is relative. It is r.Nodes
// or, for a log in pools, the sum of the nodes of all pools.
func (s *Study) capacity(r *Run) int {
	if s.Log.Pools == nil {
		return r.Nodes
	}
	return s.Log.Pools.Nodes()
}

// poolLogs returns an empty log for each pool of the study's log, to which a replication adds the jobs of the pool.
// Each is made by newLog, which gets the number of nodes of the pool. The result is nil without pools.
func (s *Study) poolLogs(newLog func(nodes int) *metric.Log) (logs []*metric.Log) {
	if s.Log.Pools == nil {
		return nil
	}
	for _, p := range s.Log.Pools.List {
		logs = append(logs, newLog(p.Nodes))
	}
	return logs
}

// addPools adds the results of replication n, counted from 1, to r.Pools, given the log of each pool. The first
// replication appends a PoolRun for each pool of the log of, so that r.Pools must be empty before. Measures become
// means over n replications. Log becomes the log of the last replication. Without logs it does nothing.
func (r *Run) addPools(n int, of *Log, logs []*metric.Log) {
	for p, log := range logs {
		if n == 1 {
			r.Pools = append(r.Pools, PoolRun{Pool: of.Pools.List[p], Measures: log.Measures()})
		} else {
			r.Pools[p].Measures.Merge(log.Measures(), n)
		}
		r.Pools[p].Log = log
	}
}

// replayOnce makes one replication of run r: it simulates the jobs of the machine, or of each pool on its own machine.
// replication counts from 0, and selects the random estimates. done is called for each job that ends. It sets
// r.MostJobs, the sum over the pools, and r.course, which a log in pools lacks. It adds the time of computing to
// r.Seconds, also if it fails. The error comes from [Study.runPart].
func (s *Study) replayOnce(ctx context.Context, replication uint64, r *Run, offered Offered, done func(*machine.Record)) error {
	begin := time.Now()
	defer func() { r.Seconds += time.Since(begin).Seconds() }()
	if s.Log.Pools == nil {
		course, err := s.runPart(ctx, replication, r, s.wholeMachine(r), offered, done)
		if err == nil {
			r.course, r.MostJobs = course, course.MostJobs
		}
		return err
	}
	r.MostJobs = 0
	for p := range s.Log.Pools.List {
		course, err := s.runPart(ctx, replication, r, s.poolPart(p), offered, done)
		if err != nil {
			return err
		}
		r.MostJobs += course.MostJobs
	}
	return nil
}
