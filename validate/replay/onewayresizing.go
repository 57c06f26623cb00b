package replay

import (
	"context"
	"errors"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/validate/metric"
)

// OneWay replays the jobs of a run again with malleable jobs that are resized one way only. In the run growing, jobs
// never have fewer nodes than they asked for; in the run shrinking, never more. Both have the baseline of the given
// run, so that [Run.Ratio] is the gain of one way alone. Both are nil if jobs of the run are resized one way anyway.
// Under a policy whose jobs are not [Setting.Bounded], both have the results of the given run.
//
// workers replays run at a time, one for each processor if it is 0. s.Done is not called; s.Ended is. The error comes
// from [Study.Check], says that the run is missing, or is another error of [Study.Run]; both runs are nil then.
func (s *Study) OneWay(ctx context.Context, workers int, of *Run) (growing, shrinking *Run, err error) {
	if err := s.Check(); err != nil {
		return nil, nil, err
	}
	if of == nil || of.Policy == nil {
		return nil, nil, errors.New("replay: a run is missing")
	}
	if of.Least == 1 || of.Most == 1 {
		return nil, nil, nil
	}
	bounds := [...]struct{ least, most float64 }{{1, of.Most}, {of.Least, 1}}
	var runs [len(bounds)]*Run
	err = parallel.Each(ctx, len(bounds), workers, func(i int) (err error) {
		setting := of.Setting
		setting.Least, setting.Most = bounds[i].least, bounds[i].most
		runs[i], err = s.replayWith(ctx, of, setting)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return runs[0], runs[1], nil
}

// Saved returns 1 − 1/[Run.Ratio], with its interval: the share of the mean response time under EASY that the run
// saves. It is negative if jobs take more time than under EASY. If the ratio has no interval, the half width is
// infinite, and Low and High have no meaning.
func (r *Run) Saved() metric.Interval {
	ratio := r.Ratio()
	e := metric.Interval{Mean: 1 - 1/ratio.Mean, Low: 1 - 1/ratio.Low, High: 1 - 1/ratio.High, HalfWidth: ratio.HalfWidth}
	if ratio.IsKnown() {
		e.HalfWidth = (e.High - e.Low) / 2
	}
	return e
}

// Better returns which of two runs of the same jobs has the significantly shorter mean response time, and the other
// run. [Study.OneWay] makes two such runs. Both results are nil if a or b is nil, or if the two runs do not differ
// significantly. They are also nil if the better run does not take significantly less time than EASY.
func Better(a, b *Run) (better, other *Run) {
	if a == nil || b == nil {
		return nil, nil
	}
	ratio := a.ratioTo(b) // above 1: a takes less time
	better, other = a, b
	switch {
	case !ratio.IsKnown() || ratio.Low <= 1 && 1 <= ratio.High:
		return nil, nil
	case ratio.High < 1:
		better, other = b, a
	}
	if !(better.Saved().Low > 0) {
		return nil, nil
	}
	return better, other
}
