package sched

import (
	"fmt"

	"github.com/partwise/partwise/models/policy"
)

// NewEpochPolicy returns what makes the schedules of a policy of the table. BUDDY is BUDDY* there, which takes any number of jobs.
func NewEpochPolicy(p policy.Epochs) (EpochPolicy, error) {
	switch p.Rule {
	case policy.Buddy:
		return &BuddyStar{}, nil
	case policy.Hybrid:
		return &Hybrid{K: p.Spread}, nil
	case policy.EquiEpoch:
		return &Equi{}, nil
	case policy.OptEpoch:
		return &Opt{K: p.Spread}, nil
	case policy.HeuristicEpoch:
		return &Heuristic{K: p.Spread}, nil
	}
	return nil, fmt.Errorf("sched: there is no rule %q", string(p.Rule))
}
