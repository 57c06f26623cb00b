package replay

import (
	"context"
	"errors"

	"github.com/partwise/partwise/markov/parallel"
)

// OneWay replays the jobs of a run again with malleable jobs that are resized one way only. The jobs of the run growing
// never have fewer nodes than they asked for, and those of shrinking never more. Their baseline is that of the given
// run: [Run.Ratio] is the gain of one way alone. Both are nil if jobs of the run are resized one way anyway.
//
// workers replays run at a time, one for each processor if it is 0. s.Done is not called; s.Ended is. The error is that
// of [Study.Check], that the run is missing, or another error of [Study.Run]; both runs are nil then.
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
	err = parallel.Each(ctx, len(bounds), workers, func(i int) error {
		quiet := *s
		quiet.Done, quiet.Groupings = nil, nil
		quiet.Least, quiet.Most = bounds[i].least, bounds[i].most
		runs[i] = &Run{Setting: of.Setting, Load: of.Load, Baseline: of.Baseline, replications: of.replications}
		runs[i].Least, runs[i].Most = bounds[i].least, bounds[i].most
		return quiet.replay(ctx, runs[i], quiet.loggedWaits)
	})
	if err != nil {
		return nil, nil, err
	}
	return runs[0], runs[1], nil
}
