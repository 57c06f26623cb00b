package study

import (
	"context"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/replay"
)

// Rivals is the log under policies for rigid and for malleable jobs, which resize all jobs or none: first come first served, EASY,
// dynamic partitioning and the best static split.
type Rivals struct {
	Unit    int // in nodes, of the partitions of these policies
	Runs    []*replay.Run
	Missing error // why there are none; nil: there are
}

// Of returns the run of the policy of a name such as dynamic; nil if there is none.
func (r *Rivals) Of(name string) *replay.Run {
	for _, run := range r.Runs {
		if run.Policy.Name() == name {
			return run
		}
	}
	return nil
}

// replayRivals sets the part Rivals of the answer.
func (w *work) replayRivals(ctx context.Context) error {
	unit := max(1, w.asked)
	if w.asked == 0 && w.log.Pools == nil {
		var err error
		if unit, err = DivisionUnit(w.Nodes); err != nil {
			unit = 1 // the machine cannot be divided evenly
		}
	}
	w.Rivals.Unit = unit
	runs, problem := w.runRivals(ctx, policy.Machine{Nodes: w.Nodes, Unit: unit})
	var err error
	w.Rivals.Runs = runs
	w.Rivals.Missing, err = missing(ctx, problem)
	return err
}

// runRivals replays the log under the policies. Of the static splits it returns the best, but none of a log in pools: the splits are of one
// machine.
func (w *work) runRivals(ctx context.Context, m policy.Machine) ([]*replay.Run, error) {
	if w.Assumptions.StartWindow != nil {
		return nil, ErrStartWindow
	}
	names := []string{policy.FCFS{}.Name(), policy.EASY{}.Name(), policy.Dynamic{}.Name()}
	if w.log.Pools == nil {
		names = append(names, policy.BestStatic)
	}
	asked, err := w.Table.Select(m, policy.WholeNodes, names...)
	if err != nil {
		return nil, err
	}
	w.Observer.planned(ReplayingRivals, len(asked.Run))
	study := w.counted(ReplayingRivals, len(asked.Run))
	study.Unit, study.Policies, study.Shares = m.Unit, asked.Run, nil
	runs, err := study.Run(ctx, w.Workers)
	return replay.Asked(runs, asked), err
}
