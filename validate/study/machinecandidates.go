package study

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/replay"
)

// Pooling says how the nodes of a machine are divided among the jobs of the log.
type Pooling string

// The poolings.
const (
	OneMachine Pooling = "machine"   // all jobs share all nodes
	Partitions Pooling = "partition" // each partition is a machine of its own
)

// Poolings returns all ways to divide the nodes among the jobs, for flags and their completion.
func Poolings() []Pooling { return []Pooling{OneMachine, Partitions} }

// Machine is a candidate for the machine of the log.
type Machine struct {
	Unit    joblog.Unit // what its nodes and the sizes of jobs count
	Pooling Pooling
	Log     *replay.Log // on this machine
	// Waits compares the waits under EASY on this machine with those of the log; nil if the log has no waits, or if the machine cannot run
	// the jobs.
	Waits  *logstats.Replayed
	Chosen bool
	// Runs are the log with the shares of malleable jobs of [replay.ForecastShares], ascending, on the candidate that differs from the chosen
	// one in its unit alone: they say what the other unit would say. Other candidates have none.
	Runs []*replay.Run
}

// ErrPools is why a part of a study is missing: the part is about one machine, but each partition is a machine of its own.
var ErrPools = errors.New("study: each partition is a machine of its own, with jobs of its own")

// ErrStartWindow is why a part of a study is missing: the part is about policies that do not keep to a start window.
var ErrStartWindow = errors.New("study: the other policies do not keep to the start window")

// The nodes on which each job ran are no candidate, although the log names them. A job that waits for its own nodes waits much as it was logged,
// because its nodes are a result of that schedule: one more number of each job would be fitted. Malleable jobs on other nodes have no such nodes.

// machinesOf returns the candidates for the machine of a log: each unit of sizes with each pooling. One candidate is
// chosen: the one on which EASY reproduces the logged waits best, see [closest]. The settings may fix the unit and the
// pooling. Policies allocate multiples of allocation nodes or CPUs; 0 means any number. The log is replayed on each
// candidate, as it was logged. The error is that of the log, or of settings that do not fit it.
func machinesOf(ctx context.Context, log *replay.Log, allocation int, a replay.Assumptions, s *Settings) ([]Machine, error) {
	logs, err := candidatesByUnit(log, allocation, s.Unit)
	if err != nil {
		return nil, err
	}
	var all []Machine
	for _, of := range logs {
		machines, err := candidatesByPooling(of, allocation, s.Pooling)
		if err != nil {
			return nil, err
		}
		all = append(all, machines...)
	}
	for i := range all {
		if all[i].Waits, err = waitsOn(ctx, all[i].Log, a, s); err != nil {
			return nil, err
		}
	}
	all[closest(all)].Chosen = true
	return all, nil
}

// candidatesByUnit returns the log with sizes in each unit that is a candidate: nodes or CPUs. If the settings fix the
// unit, the only candidate is the log in the fixed unit. Otherwise fixed is "", and the first candidate is the log as
// it is. The log in CPUs is the second one under two conditions. Most jobs of one node use part of a node, and the CPUs
// of the machine are a multiple of allocation. Policies allocate multiples of allocation CPUs; 0 means any number. The
// error is a *[replay.SettingError] if the log does not tell its sizes in the fixed unit, or that of
// [replay.Log.InCPUs].
func candidatesByUnit(log *replay.Log, allocation int, fixed joblog.Unit) ([]*replay.Log, error) {
	if fixed == log.SizesIn() {
		return []*replay.Log{log}, nil
	}
	in, shared, err := log.InCPUs()
	none := errors.As(err, new(*replay.SettingError)) // the log tells one unit alone
	switch {
	case fixed == joblog.InCPUs:
		return []*replay.Log{in}, err
	case fixed != "":
		return nil, &replay.SettingError{Setting: "unit_of_allocation", Problem: fmt.Sprintf("sizes of %s count %s, not %s", log.Name, log.SizesIn(), fixed)}
	case none, err == nil && (in == log || !shared || in.Nodes%max(1, allocation) != 0):
		return []*replay.Log{log}, nil
	}
	return []*replay.Log{log, in}, err
}

// candidatesByPooling returns a log whose unit is chosen as a candidate with each pooling. If the settings fix the
// pooling, the only candidate has the fixed pooling. Otherwise fixed is "", and the first candidate is the whole
// machine. The partitions are the second one if there are several, each of a multiple of allocation nodes. The error
// says why the log cannot be divided by its partitions.
func candidatesByPooling(log *replay.Log, allocation int, fixed Pooling) (all []Machine, err error) {
	if fixed != Partitions {
		all = append(all, Machine{Unit: log.SizesIn(), Pooling: OneMachine, Log: log})
	}
	if fixed == OneMachine {
		return all, nil
	}
	in, err := log.InPools()
	switch {
	case err == nil && (fixed == Partitions || len(in.Pools.List) > 1 && in.Pools.Divisible(allocation)):
		all = append(all, Machine{Unit: log.SizesIn(), Pooling: Partitions, Log: in})
	case fixed == Partitions || err != nil && !errors.As(err, new(*replay.SettingError)):
		return nil, err
	}
	return all, nil
}

// waitsOn replays a log under EASY at the times of the log, and compares the waits with the logged ones. The result is
// nil if the log has no waits, or if EASY cannot run the jobs. [closest] chooses the machine by it. The error is that
// of the log or of ctx.
func waitsOn(ctx context.Context, log *replay.Log, a replay.Assumptions, s *Settings) (*logstats.Replayed, error) {
	asLogged := *log
	asLogged.Stretch = 0
	one := replay.Study{Log: &asLogged, Table: s.Table, Policies: []policy.Policy{policy.EASY{}}, Assumptions: a, Seed: seed,
		Present: s.mostPresent()}
	runs, err := one.Run(ctx, s.Workers)
	if errors.As(err, new(*replay.RunError)) {
		_, err = reasonOrError(ctx, err)
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	return runs[0].Waits, nil
}

// replayOtherUnit sets Runs of the candidate that differs from the chosen one in its unit alone, so that a reader sees
// what the other unit would say. A candidate that cannot run the jobs keeps none. The error is that of the log or of
// ctx.
func (w *work) replayOtherUnit(ctx context.Context) error {
	for i := range w.Machines {
		m := &w.Machines[i]
		if m.Chosen || m.Pooling != w.Machine().Pooling || w.Gains.Impossible != nil {
			continue
		}
		log, err := m.Log, error(nil)
		if w.Settings.Load != 0 {
			log, err = m.Log.AtLoad(w.Settings.Load)
		}
		if err != nil {
			return err
		}
		study := w.replays
		study.Log, study.Policies, study.Shares = log, []policy.Policy{policy.EASYMalleable{}}, replay.ForecastShares()
		runs, err := study.Run(ctx, w.Workers)
		if errors.As(err, new(*replay.RunError)) || errors.As(err, new(*replay.SettingError)) {
			if _, err = reasonOrError(ctx, err); err == nil {
				continue
			}
		}
		if err != nil {
			return err
		}
		m.Runs = slices.DeleteFunc(runs, func(run *replay.Run) bool { return !run.Resizes() })
	}
	return nil
}

// closest returns the index of the candidate whose replay reproduces the waits of the log. If several do, or none does,
// it is the candidate whose mean wait is closest to that of the log. Without waits it is the first.
func closest(all []Machine) (best int) {
	for i := range all {
		class, distance := rankOf(all[i].Waits)
		leastClass, least := rankOf(all[best].Waits)
		if class < leastClass || class == leastClass && distance < least {
			best = i
		}
	}
	return best
}

// rankOf returns how well a replay agrees with the logged waits, so that candidates can be compared. class is 0 if it
// reproduces them, 1 if not, 2 without waits. distance is that of the mean waits; it decides within a class, and less
// is better.
func rankOf(w *logstats.Replayed) (class int, distance float64) {
	switch {
	case w == nil:
		return 2, 0
	case !w.Reproduced:
		return 1, w.Distance()
	}
	return 0, w.Distance()
}
