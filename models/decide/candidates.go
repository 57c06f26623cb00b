package decide

import (
	"context"
	"errors"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
)

// Candidates returns the policies that are compared on a system unless others are chosen: the policies of
// [policy.Candidates] that have an exact chain. If all jobs say how many nodes they ask for, fcfs is a candidate, too.
// missing are the policies that are left out. Their errors wrap [models.ErrNoChain], or come from [CheckSize] for fcfs.
//
// If set names a method, fcfs is neither a candidate nor missing, because the method may not solve its chain. Candidates
// does not report that a system is wrong. A solution reports it. Without a system there are no candidates.
func Candidates(ctx context.Context, s *models.System, set markov.Settings) (all []policy.Policy, missing []*SolveError) {
	if s == nil {
		return nil, nil
	}
	all, missing = haveChain(s)
	fcfs := policy.FCFS{}
	if chosen := set.Method != "" && set.Method != markov.Auto; chosen || !s.Rigid() {
		return all, missing
	}
	if err := CheckSize(ctx, s, fcfs, set); err != nil {
		return all, append(missing, &SolveError{fcfs, err})
	}
	return append(all, fcfs), missing
}

// haveChain returns the policies of [policy.Candidates] that have an exact chain, and for each of the others an error that wraps
// [models.ErrNoChain].
func haveChain(s *models.System) (all []policy.Policy, missing []*SolveError) {
	for _, p := range policy.Candidates(s.Machine()) {
		if _, err := s.Chain(p); errors.Is(err, models.ErrNoChain) {
			missing = append(missing, &SolveError{p, err})
		} else {
			all = append(all, p)
		}
	}
	return all, missing
}

// SplitByChain returns a copy of a selection of policies without the policies that have no exact chain on a system. It also returns
// the removed policies that are in asked.Named. A policy of the table without a chain on any system is removed, and a policy for which
// [models.System.Chain] returns [models.ErrNoChain]. asked stays unchanged; nil stands for no policies.
func SplitByChain(s *models.System, table policy.Table, asked *policy.Selection) (chains *policy.Selection, others []policy.Policy) {
	if s == nil || asked == nil {
		return new(policy.Selection), nil
	}
	chains, others = asked.Split(table, policy.Chain)
	hasNone := func(p policy.Policy) bool {
		_, err := s.Chain(p)
		return errors.Is(err, models.ErrNoChain)
	}
	for _, p := range chains.Named {
		if hasNone(p) {
			others = append(others, p)
		}
	}
	chains.Run, chains.Named = slices.DeleteFunc(chains.Run, hasNone), slices.DeleteFunc(chains.Named, hasNone)
	return chains, others
}
