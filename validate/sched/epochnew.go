package sched

import (
	"fmt"

	"github.com/partwise/partwise/models/policy"
)

// NewEpochPolicy returns what makes the schedules of a policy of the table. BUDDY is BUDDY* there, which takes any number of jobs.
func NewEpochPolicy(p policy.Epochs) (EpochPolicy, error) {
	switch p.Rule {
	case policy.Buddy:
		return &buddyStar{}, nil
	case policy.Hybrid:
		return &hybrid{K: p.Spread}, nil
	case policy.EquiEpoch:
		return &equi{}, nil
	case policy.OptEpoch:
		return &opt{K: p.Spread}, nil
	case policy.HeuristicEpoch:
		return &heuristic{K: p.Spread}, nil
	}
	return nil, fmt.Errorf("sched: there is no rule %q", string(p.Rule))
}
