package study

import (
	"context"
	"errors"

	"github.com/partwise/partwise/models/policy"
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

// Poolings lists all poolings.
func Poolings() []Pooling { return []Pooling{OneMachine, Partitions} }

// Machine is a candidate for the machine of the log.
type Machine struct {
	Pooling Pooling
	Log     *replay.Log // on this machine
	// Waits compares the waits under EASY on this machine with those of the log; nil if the log has no waits, or if the machine cannot run
	// the jobs.
	Waits  *logstats.Replayed
	Chosen bool
}

// ErrPools is why a part of a study is missing: the part is about one machine, but each partition is a machine of its own.
var ErrPools = errors.New("study: each partition is a machine of its own, with jobs of its own")

// machinesOf returns the candidates for the machine of a log, one of which is chosen. A pooling is the only candidate. Without a pooling,
// several partitions are a candidate beside the whole machine, if all can be divided into units. The log is replayed on each, as it was
// logged.
func machinesOf(ctx context.Context, log *replay.Log, unit int, s *Settings) ([]Machine, error) {
	var all []Machine
	if s.Pooling != Partitions {
		all = append(all, Machine{Pooling: OneMachine, Log: log})
	}
	if s.Pooling != OneMachine {
		in, err := log.InPools()
		switch {
		case err == nil && (s.Pooling == Partitions || len(in.Pools.List) > 1 && in.Pools.Divisible(unit)):
			all = append(all, Machine{Pooling: Partitions, Log: in})
		case s.Pooling == Partitions || err != nil && !errors.As(err, new(*replay.SettingError)):
			return nil, err
		}
	}
	for i := range all {
		var err error
		if all[i].Waits, err = waitsOn(ctx, all[i].Log, s); err != nil {
			return nil, err
		}
	}
	all[closest(all)].Chosen = true
	return all, nil
}

// waitsOn replays a log under EASY at the times of the log, and compares the waits.
func waitsOn(ctx context.Context, log *replay.Log, s *Settings) (*logstats.Replayed, error) {
	asLogged := *log
	asLogged.Stretch = 0
	one := replay.Study{Log: &asLogged, Table: s.Table, Policies: []policy.Policy{policy.EASY{}}, Assumptions: replay.Usual(), Seed: seed,
		Present: s.present()}
	runs, err := one.Run(ctx, s.Workers)
	if errors.As(err, new(*replay.RunError)) {
		_, err = missing(ctx, err)
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	return runs[0].Waits, nil
}

// closest returns the number of the machine that reproduces the waits of the log, otherwise of the machine whose mean wait is closest to
// that of the log. Of several that reproduce the waits, the one with the closest mean wait counts. Without waits it is the first.
func closest(all []Machine) (best int) {
	for i := range all {
		class, distance := rank(all[i].Waits)
		leastClass, least := rank(all[best].Waits)
		if class < leastClass || class == leastClass && distance < least {
			best = i
		}
	}
	return best
}

// rank returns how good a replay is: its class, 0 being the best, and the distance within the class.
func rank(w *logstats.Replayed) (class int, distance float64) {
	switch {
	case w == nil:
		return 2, 0
	case !w.Reproduced:
		return 1, w.Distance()
	}
	return 0, w.Distance()
}
