package replay

import (
	"context"
	"slices"

	"github.com/partwise/partwise/models/workload/joblog"
)

// WithApart returns the log with the jobs that were set apart, because their times cannot be right, as far as they can be run. It also
// returns the number of these jobs that it took. The log is nil if the number is 0.
func (l *Log) WithApart() (with *Log, taken int, err error) {
	if err := l.check(); err != nil || len(l.Apart) == 0 {
		return nil, 0, err
	}
	earliest := 0.0
	for i := range l.Apart {
		earliest = min(earliest, l.Apart[i].Submit)
	}
	c := l.Choice
	c.Apart, c.MostLost = nil, 0
	if c.Header.UnixStartTime > 0 { // the log begins when the first job was submitted
		c.Header.UnixStartTime += int64(earliest)
	}
	c.Range.From -= earliest
	if c.Range.To != 0 {
		c.Range.To -= earliest
	}
	list := new(joblog.List)
	add := func(j joblog.Job) {
		j.Submit -= earliest
		list.Add(&j)
	}
	for j, err := range l.all {
		if err != nil {
			return nil, 0, err
		}
		add(*j)
	}
	for _, j := range l.Apart {
		add(j)
	}
	if with, err = ChooseList(list, c); err != nil {
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

// RunWithApart replays all runs of [Study.Runs] once more, with the jobs that were set apart. It returns them in the same order, and the
// number of further jobs; no runs if there are no such jobs. The result shows how much depends on the jobs whose times cannot be right. Its
// errors are those of [Study.Run].
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

// apartInCPUs returns jobs that were set apart with their sizes in CPUs.
func apartInCPUs(jobs []joblog.Job) (all []joblog.Job) {
	for j := range joblog.InUnitOfCPUs(joblog.ListOf(jobs).All()) {
		all = append(all, *j)
	}
	return slices.Clip(all)
}
