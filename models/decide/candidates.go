package decide

import (
	"context"
	"errors"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
)

// Candidates returns the policies that are compared on a system unless others are chosen: those of [policy.Candidates] that have
// an exact chain and, if all jobs say how many nodes they ask for, fcfs. missing are the others, with the reason: their errors
// wrap [models.ErrNoChain], or come from [CheckSize] for fcfs.
//
// If set names a method, fcfs is neither a candidate nor missing, because the method may not solve its chain. Candidates
// does not tell that a system is wrong; the solution does.
func Candidates(ctx context.Context, s *models.System, set markov.Settings) (all []policy.Policy, missing []*SolveError) {
	for _, p := range policy.Candidates(s.Machine()) {
		if _, err := s.Chain(p); errors.Is(err, models.ErrNoChain) {
			missing = append(missing, &SolveError{p, err})
		} else {
			all = append(all, p)
		}
	}
	fcfs := policy.FCFS{}
	if chosen := set.Method != "" && set.Method != markov.Auto; chosen || !s.Rigid() {
		return all, missing
	}
	if err := CheckSize(ctx, s, fcfs, set); err != nil {
		return all, append(missing, &SolveError{fcfs, err})
	}
	return append(all, fcfs), missing
}
