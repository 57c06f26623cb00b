package replay

import (
	"context"
	"slices"

	"github.com/partwise/partwise/models/workload/joblog"
)

// WithApart returns a log that also holds the jobs l.Apart, whose times cannot be right. Jobs that [ChooseList] leaves
// out, such as jobs larger than the machine, stay out. taken is the number of jobs of l.Apart that the log holds; the
// log is nil if it is 0. If some of them were submitted before the log begins, all times count from the earlier begin.
// The log holds its jobs in memory. l is not changed.
//
// The error comes from [ChooseList] or [Log.InPools], or wraps [joblog.ErrTooMany] if there are more jobs than l.Most.
// The log is nil beside an error.
func (l *Log) WithApart() (with *Log, taken int, err error) {
	if err := l.check(); err != nil || len(l.Apart) == 0 {
		return nil, 0, err
	}
	jobs := l.kept
	if jobs == nil {
		if jobs, err = joblog.Keep(l.all, l.Name, l.Most); err != nil {
			return nil, 0, err
		}
	}
	all, moved := (&joblog.Log{Apart: l.Apart}).WithApart(jobs)
	c := l.Choice
	c.Apart, c.MostLost = nil, 0
	if c.Header.Dated() { // the log begins earlier
		c.Header.UnixStartTime -= int64(moved)
	}
	for _, end := range []*float64{&c.Range.From, &c.Range.To} {
		if *end != 0 { // 0 is no end
			*end += moved
		}
	}
	if with, err = ChooseList(all, c); err != nil {
		return nil, 0, err
	}
	if taken = with.Offer.Jobs - l.Offer.Jobs; taken == 0 {
		return nil, 0, nil
	}
	if l.Pools != nil {
		with, err = with.InPools()
	}
	return with, taken, err
}

// RunWithApart replays all runs of [Study.Runs] once more, with the jobs that were set apart. It returns them in the
// same order, and the number of further jobs; no runs if no such job can be run. The result shows how much depends on
// the jobs whose times cannot be right. workers replays run at a time, one for each processor if it is 0. s.Done and
// s.Ended are not called, and runs have no groups. The error comes from [Study.Run] or [Log.WithApart]; the runs are
// nil then.
func (s *Study) RunWithApart(ctx context.Context, workers int) (runs []*Run, taken int, err error) {
	if err := s.Check(); err != nil {
		return nil, 0, err
	}
	with := *s
	if with.Log, taken, err = s.Log.WithApart(); err != nil || taken == 0 {
		return nil, 0, err
	}
	with.Done, with.Ended, with.Groupings = nil, nil, nil
	runs, err = with.Run(ctx, workers)
	return runs, taken, err
}

// Like returns the first of others with the policy, load, number of nodes, share of malleable jobs and resize cost of
// r. Costs are the same if they have the same name. The result is nil if none of others agrees in all five.
func (r *Run) Like(others []*Run) *Run {
	i := slices.IndexFunc(others, func(o *Run) bool {
		return o != nil && r.Policy == o.Policy && r.Load == o.Load && r.Nodes == o.Nodes && r.Share == o.Share &&
			r.Cost.Name == o.Cost.Name
	})
	if i < 0 {
		return nil
	}
	return others[i]
}

// apartInCPUs returns copies of jobs that were set apart, with their sizes in CPUs instead of nodes.
func apartInCPUs(jobs []joblog.Job) (all []joblog.Job) {
	for j := range joblog.InUnitOfCPUs(joblog.ListOf(jobs).All()) {
		all = append(all, *j)
	}
	return slices.Clip(all)
}
