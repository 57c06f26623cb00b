package models

import (
	"errors"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
)

// newSmoothed returns the chain of dynamic equi-partitioning with a minimum time between the starts of repartitions.
//
//   - During the minimum time the machine keeps its q partitions of P/q nodes. An arriving job takes a partition that a
//     departure has left idle, or waits. A departure gives its partition to the job that has waited longest.
//   - When the minimum time is over, the nodes are divided among all jobs, at most N, if that changes the division.
//     Otherwise the next arrival or departure that changes the division repartitions at once.
//   - A repartition under way is not cut short.
//   - A job that arrives at the empty machine gets all of it after C_1, whether the minimum time is over or not, and
//     begins no minimum time.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, JSSPP 1996, LNCS 1162, section 7.
func newSmoothed(s *System, minimum phasetype.Dist) (*ruleChain, error) {
	if minimum.IsZero() || minimum.Atom() > 0 {
		return nil, errors.New("models: smoothed partitioning: the minimum time between repartitions must not be zero")
	}
	return (&ruleChain{what: "smoothed partitioning", patient: true, cooldown: minimum}).of(s)
}

// spacedChain returns the chain of a policy with a minimum time between repartitions. The error wraps [ErrNoChain] if only resized
// jobs stop.
func spacedChain(s *System, p policy.Spacing) (Model, error) {
	if err := s.stopsAll("smoothed partitioning"); err != nil {
		return nil, err
	}
	minimum, err := p.MinimumTime()
	if err != nil {
		return nil, err
	}
	return newSmoothed(s, minimum)
}
