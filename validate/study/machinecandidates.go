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

// Poolings returns both ways to divide the nodes among the jobs, for flags and their completion: [OneMachine], then
// [Partitions].
func Poolings() []Pooling { return []Pooling{OneMachine, Partitions} }

// Machine is a candidate for the machine of the log.
type Machine struct {
	Unit    joblog.Unit // what its nodes and the sizes of jobs count
	Pooling Pooling
	Log     *replay.Log // on this machine
	// Waits compares the waits under EASY on this machine with the waits of the log. It is nil if the log has no waits,
	// or if the machine cannot run the jobs.
	Waits  *logstats.Replayed
	Chosen bool
	// Runs are the replays with the shares of malleable jobs of [replay.ForecastShares], ascending. Only the candidate
	// that differs from the chosen one in its unit alone has them: they say what the other unit would say.
	Runs []*replay.Run
}

// ErrPools is why a part of a study is missing: the part is about one machine, but each partition is a machine of its
// own.
var ErrPools = errors.New("study: each partition is a machine of its own, with jobs of its own")

// ErrStartWindow is why a part of a study is missing: the part is about policies that do not keep to a start window.
var ErrStartWindow = errors.New("study: the other policies do not keep to the start window")

// The nodes on which each job ran are no candidate, although the log names them. A job that waits for its own nodes
// waits much as it was logged, because its nodes are a result of that schedule: one more number of each job would be
// fitted. Malleable jobs on other nodes have no such nodes.

// machinesOf returns the candidates for the machine of a log: sizes in nodes or in CPUs, with all jobs on one machine
// or each partition on its own. Settings may fix the unit and the pooling. Policies allocate multiples of allocation
// nodes or CPUs; 0 means any number.
//
// If there are several candidates, the log is replayed under EASY on each of them at the logged times, and Waits are set.
// Chosen is set for the candidate on which EASY reproduces the logged waits best; see [closest]. If the number of nodes is
// stated, a candidate in the other unit is not chosen, because the number says nothing of that unit. The only candidate is
// chosen without a replay; see [work.waitsOnOnly].
//
// The error is a *[replay.SettingError] if a setting does not fit the log. It may also come from reading the log, from
// ctx, or from [replay.Study.Run], but never says that EASY cannot run the jobs.
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
	if len(all) == 1 {
		all[0].Chosen = true
		return all, nil
	}
	for i := range all {
		if all[i].Waits, err = waitsOn(ctx, all[i].Log, a, s); err != nil {
			return nil, err
		}
	}
	eligible := all
	if s.NodesStated {
		eligible = inUnit(all, all[0].Unit)
	}
	eligible[closest(eligible)].Chosen = true
	return all, nil
}

// inUnit returns the candidates at the beginning of the list all whose sizes count the given unit. Candidates of one
// unit stand together. The result is a part of the list, not a copy; it is empty if the first candidate counts another
// unit.
func inUnit(all []Machine, unit joblog.Unit) []Machine {
	other := slices.IndexFunc(all, func(m Machine) bool { return m.Unit != unit })
	if other < 0 {
		return all
	}
	return all[:other]
}

// candidatesByUnit returns the log in each unit of sizes, nodes or CPUs, that may be the right one. If fixed names a
// unit, the only candidate is the log in this unit. If fixed is "", the first candidate is the log as it is. The log in
// CPUs follows under two conditions: most jobs of one node use part of a node, and its number of CPUs is a multiple of
// allocation. 0 is no condition.
//
// The error is a *[replay.SettingError] if the log does not record its sizes in the fixed unit. It may also come from
// reading the log, or be another error of [replay.Log.InCPUs]. The list beside an error has no meaning.
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
		return nil, &replay.SettingError{Setting: "unit_of_allocation",
			Problem: fmt.Sprintf("sizes of %s count %s, not %s", log.Name, log.SizesIn(), fixed)}
	case none, err == nil && (in == log || !shared || in.Nodes%max(1, allocation) != 0):
		return []*replay.Log{log}, nil
	}
	return []*replay.Log{log, in}, err
}

// candidatesByPooling returns a log as one machine that all jobs share, and as a machine for each partition. If fixed
// names a pooling, it is the only candidate. If fixed is "", the partitions are left out if the log records fewer than
// two, or not their nodes. They are also left out unless the nodes of each are a multiple of allocation; 0 is no
// condition.
//
// The error comes from reading the log. If the partitions are fixed, it is any error of [replay.Log.InPools].
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

// waitsOn replays a log under EASY at the logged times, with the assumptions a and the table, the memory and the
// workers of s. It returns how well the waits agree with the logged ones. [machinesOf] chooses among candidates by it.
// The result is nil if the log has no waits, or if EASY cannot run the jobs.
//
// The error comes from reading the log or from ctx, or is a *[replay.SettingError] if the assumptions do not fit the
// log.
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

// waitsOnOnly sets Waits of the only candidate for the machine of the log. They are the waits of Gains.EASY, a replay of the
// same jobs at the logged times. The log is replayed again if the study has other times, or if the gains could not be
// replayed. Nothing happens if there are several candidates. The error comes from [waitsOn].
func (w *work) waitsOnOnly(ctx context.Context) (err error) {
	only := w.Machine()
	switch {
	case len(w.Machines) > 1:
		return nil
	case w.Gains.EASY != nil && w.log == only.Log && only.Log.Stretch == 0:
		only.Waits = w.Gains.EASY.Waits
		return nil
	}
	only.Waits, err = waitsOn(ctx, only.Log, w.Assumptions, &w.Settings)
	return err
}

// replayOtherUnit replays the candidate that differs from the chosen one in its unit alone: in CPUs, if the chosen one
// counts nodes. It sets Runs of this candidate: malleable jobs under EASY at the load of the study, with each of the
// shares of [replay.ForecastShares]. So a reader sees whether the unit changes the answer.
//
// Nothing happens without such a candidate, or if Gains.Impossible is set. A candidate that cannot run the jobs, or
// that does not fit a setting, has no runs. The error comes from [replay.Log.AtLoad], from reading the log, or from
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
