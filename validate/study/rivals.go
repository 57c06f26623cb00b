package study

import (
	"context"
	"errors"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/replay"
)

// Rivals is the log under policies for rigid and for malleable jobs, which resize all jobs or none: first come first
// served, EASY, dynamic partitioning and the best static split.
type Rivals struct {
	Unit int // in nodes, of the partitions of these policies
	// Runs are of all jobs. Of a log in pools they have no static split: splits are of one machine.
	Runs []*replay.Run
	// InPool are all these policies with the jobs of the Pool of the answer, whose nodes are divided into units of
	// UnitInPool. There are none if all jobs share one machine.
	InPool     []*replay.Run
	UnitInPool int
	Missing    error // why there are no runs; nil: there are
}

// Of returns the first run of all jobs under the policy with a name; nil without such a run. The name is Name of a
// [policy.Policy], such as dynamic. Runs with the jobs of a pool alone are not searched.
func (r *Rivals) Of(name string) *replay.Run {
	return runOf(r.Runs, name)
}

// runOf returns the first of the given runs whose policy has the given name; nil without such a run.
func runOf(runs []*replay.Run, name string) *replay.Run {
	for _, run := range runs {
		if run.Policy.Name() == name {
			return run
		}
	}
	return nil
}

// onOneMachine returns the runs with which chains and static splits are compared, because these are about one machine.
// They are the runs in the pool of the answer or, without a pool, the runs of all jobs.
func (r *Rivals) onOneMachine() []*replay.Run {
	if r.InPool != nil {
		return r.InPool
	}
	return r.Runs
}

// runUnder returns the first of the runs whose policy has the name of p. Parameters do not count: policy.Static{} finds
// a split into any number of partitions. The result is nil without such a run.
func runUnder(runs []*replay.Run, p policy.Policy) *replay.Run { return runOf(runs, p.Name()) }

// replayRivals makes the step [ReplayingRivals]. It replays the log under FCFS and EASY, with rigid jobs. It also
// replays it under dynamic partitioning and the best static split, which choose the nodes of all jobs. It sets Unit and
// Runs of w.Rivals. For an answer with a pool it also replays the jobs of the pool alone, and sets UnitInPool and
// InPool.
//
// If replays fail, Rivals.Missing says why, the runs that failed stay nil, and the study goes on. The failure is
// returned as an error only if ctx has ended.
func (w *work) replayRivals(ctx context.Context) error {
	w.Rivals.Unit = w.unitOn(w.log)
	var problem error
	w.Rivals.Runs, problem = w.runRivals(ctx, w.log, w.Rivals.Unit)
	if problem == nil && w.Pool != nil {
		w.Rivals.UnitInPool = w.unitOn(w.oneMachine)
		w.Rivals.InPool, problem = w.runRivals(ctx, w.oneMachine, w.Rivals.UnitInPool)
	}
	var err error
	w.Rivals.Missing, err = reasonOrError(ctx, problem)
	return err
}

// unitOn returns the number of nodes of which rivals that divide the machine of a log allocate multiples. It is the unit
// that the caller asked for, or the unit of [DivisionOf]. If the load is too high in all units of DivisionOf, it is the
// largest smaller unit. It is 1 if the machine cannot be divided evenly, or if the log has pools.
func (w *work) unitOn(log *replay.Log) int {
	if w.askedUnit > 0 || log.Pools != nil {
		return max(1, w.askedUnit)
	}
	d, err := w.divisionOf(log)
	if failed := (*DivisionError)(nil); errors.As(err, &failed) {
		return max(1, failed.Stable)
	}
	return max(1, d.Unit)
}

// divisionOf returns how the chain of the jobs of a log divides its nodes: in the unit that the caller asked for, or as
// [DivisionOf]. The error comes from reading the log or from DivisionOf.
func (w *work) divisionOf(log *replay.Log) (Division, error) {
	if w.askedUnit > 0 {
		return Division{Nodes: log.Nodes, Unit: w.askedUnit}, nil
	}
	jobs, err := w.jobsOf(log)
	if err != nil {
		return Division{Nodes: log.Nodes}, err
	}
	return DivisionOf(jobs.All(), log.Nodes, w.Assumptions.Speedup)
}

// runRivals returns the replays of a log under FCFS, EASY, dynamic partitioning and the best static split. The policies
// that divide the machine allocate multiples of unit nodes. The best static split is the one with the least mean
// response time among all that are replayed. A log in pools has no static split, because a split divides one machine.
// The observer is told how many replays are made, and which fraction is done.
//
// The error is [ErrStartWindow] if the assumptions have a start window, or comes from [policy.Table.Select] or
// [replay.Study.RunAsked]. The runs are then nil.
func (w *work) runRivals(ctx context.Context, log *replay.Log, unit int) ([]*replay.Run, error) {
	if w.Assumptions.StartWindow != nil {
		return nil, ErrStartWindow
	}
	m := policy.Machine{Nodes: log.Nodes, Unit: unit}
	names := []string{policy.FCFS{}.Name(), policy.EASY{}.Name(), policy.Dynamic{}.Name()}
	if log.Pools == nil {
		names = append(names, policy.BestStatic)
	}
	asked, err := w.Table.Select(m, policy.WholeNodes, names...)
	if err != nil {
		return nil, err
	}
	w.Observer.planned(ReplayingRivals, len(asked.Run))
	study := w.observedReplays(ReplayingRivals, len(asked.Run))
	study.Log, study.Unit, study.Shares = log, m.Unit, nil
	return study.RunAsked(ctx, w.Workers, asked)
}
