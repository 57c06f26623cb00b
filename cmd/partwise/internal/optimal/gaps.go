package optimal

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
)

// Gap is how far a rule is from the best policy.
type Gap struct {
	Policy           policy.Policy
	MeanResponseTime float64 // by its chain; 0 if it is unstable
	// Gap is by how much that exceeds the optimum's, in proportion. It may be negative for a policy that does what the
	// decision process does not, by no more than the bounds of the optimum differ for one that is a rule of its kind.
	Gap float64
	Err error // why there is no chain; others are then evaluated all the same
}

// Gaps evaluates rules on the machine of the optimum, each by its own chain on as many jobs as may come. Rules are
// policies of [models.System.Chain]; those whose timers are of fixed length have none, and their Err wraps
// [models.ErrNoChain]. The error is that of ctx.
func (o *Optimum) Gaps(ctx context.Context, s *models.System, rules []policy.Policy, st Settings) ([]Gap, error) {
	all := make([]Gap, len(rules))
	for i, r := range rules {
		all[i] = Gap{Policy: r}
		g := &all[i]
		m, err := measures(ctx, s, r, st.Settings)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			g.Err = fmt.Errorf("optimal: %w", err)
		case !m.Stable:
			g.Err = fmt.Errorf("optimal: %s: %w", r, markov.ErrUnstable)
		default:
			g.MeanResponseTime, g.Gap = m.MeanResponseTime, o.Gap(m.MeanResponseTime)
		}
	}
	return all, nil
}

// measures solves the chain of a policy.
func measures(ctx context.Context, s *models.System, p policy.Policy, st markov.Settings) (models.Measures, error) {
	chain, err := s.Chain(p)
	if err != nil {
		return models.Measures{}, err
	}
	return chain.Solve(ctx, st)
}

// free returns the system with repartitions that take no time.
func free(s *models.System) (*models.System, error) {
	return s.With(models.Changes{Shrink: models.Times(0), Expand: models.Times(0)})
}
