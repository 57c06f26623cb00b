package replay

import (
	"context"
	"errors"
	"math"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/sched"
)

// Limits say how a system applies a policy less promptly than the policy decides. The zero value has no limits. Times
// are in seconds.
type Limits struct {
	// from one look at the queue to the next, between which no job is started or resized; 0: the queue is looked at whenever it changes
	Poll float64
	// Shrink and Expand are the shortest times for which a job stops that is made smaller, or larger.
	Shrink, Expand float64
}

// check returns a *[SettingError] if a time is negative, infinite or NaN.
func (l *Limits) check() error {
	for _, time := range []float64{l.Poll, l.Shrink, l.Expand} {
		if !(time >= 0) || math.IsInf(time, 1) {
			return &SettingError{"limits", "times of limits must be finite, from 0 s on"}
		}
	}
	return nil
}

// polled is a policy that looks at the queue only every so many seconds.
type polled struct {
	policy.Policy
	every float64 // seconds from one look to the next
}

// Scheduler returns the scheduler of the policy for one run; the scheduler decides at polls only. The error comes from
// [sched.New].
func (p polled) Scheduler() (sched.Policy, error) {
	of, err := sched.New(p.Policy)
	if err != nil {
		return nil, err
	}
	return sched.NewPolled(of, p.every), nil
}

// CarriedOut replays the jobs of a run again as systems would apply its policy, once for each of the given limits. The
// results are in the order of limits. They have the baseline of the given run, so that [Run.Ratio] is what is left of
// its gain. A result is nil if the policy cannot run the jobs under its limits, such as when the waiting jobs do not
// fit into memory.
//
// workers replays run at a time, one for each processor if it is 0. s.Done is not called; s.Ended is. The error comes
// from [Study.Check], is a *[SettingError] for limits that are not valid, or says that the run is missing. It may also
// be another error of [Study.Run], but no *[RunError]. The result is nil beside an error.
func (s *Study) CarriedOut(ctx context.Context, workers int, of *Run, limits []Limits) ([]*Run, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if of == nil || of.Policy == nil {
		return nil, errors.New("replay: a run is missing")
	}
	runs := make([]*Run, len(limits))
	err := parallel.Each(ctx, len(limits), workers, func(i int) error {
		if err := limits[i].check(); err != nil {
			return err
		}
		setting := of.Setting
		setting.Limits = limits[i]
		run, err := s.replayWith(ctx, of, setting)
		if err == nil {
			runs[i] = run
		}
		if errors.As(err, new(*RunError)) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return runs, nil
}
