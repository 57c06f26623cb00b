package validate

import (
	"context"
	"slices"

	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

// Policies returns the policies to simulate for a selection. If the selection has best-static, the exact chains choose the static
// policy with the least mean response time: best is its solution, and the policies are the named ones and this one. best is nil, and
// the policies are all static policies, where the chains cannot choose: for given jobs, whose demands are not those of the system,
// if a chain is too large, or if no static policy is stable. [WithBestStatic] then chooses among the simulations.
//
// The error comes from ctx.
func (s *Simulator) Policies(ctx context.Context, asked *policy.Selection) (all []policy.Policy, best *decide.Solved, err error) {
	switch {
	case s == nil || s.System == nil:
		return nil, nil, errNoSimulator
	case asked == nil:
		return nil, nil, nil
	case !asked.Best || s.Sample != nil || s.Replay != nil:
		return asked.Run, nil, nil
	}
	best, err = decide.BestStatic(ctx, s.System, s.Memory, s.Workers)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil || best == nil:
		return asked.Run, nil, nil // the simulation of each says why it is not stable
	case slices.Contains(asked.Named, best.Policy):
		return asked.Named, best, nil
	}
	return append(slices.Clone(asked.Named), best.Policy), best, nil
}
