package decide

import (
	"context"
	"errors"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
)

// OptimumGap is how far a rule is from the best policy.
type OptimumGap struct {
	Policy           policy.Policy
	MeanResponseTime float64 // by its chain; 0 if it is unstable
	// Gap is T/T* − 1, where T* is the mean response time of the optimum. It may be negative for a policy that the decision
	// process does not contain. For other policies it is not below the negative relative difference of the bounds of the optimum.
	Gap float64
	Err error // why the rule has no mean response time; other rules are evaluated all the same
}

// Gaps evaluates rules on the machine of the optimum, each by its own chain on as many jobs as may come. Rules are
// policies of [models.System.Chain]. Rules whose timers have a fixed length have no chain, and their Err wraps
// [models.ErrNoChain]. The error comes from ctx, or says that o is nil or the zero value.
func (o *Optimum) Gaps(ctx context.Context, s *models.System, rules []policy.Policy, st OptimumSettings) ([]OptimumGap, error) {
	if o == nil || o.MeanResponseTime == 0 {
		return nil, errors.New("decide: there is no optimum; Optimal finds it")
	}
	all := make([]OptimumGap, len(rules))
	for i, r := range rules {
		all[i] = OptimumGap{Policy: r}
		g := &all[i]
		m, err := measuresOf(ctx, s, r, st.Settings)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			g.Err = fmt.Errorf("decide: %w", err)
		case !m.Stable:
			g.Err = fmt.Errorf("decide: %s: %w", r, markov.ErrUnstable)
		default:
			g.MeanResponseTime, g.Gap = m.MeanResponseTime, o.Gap(m.MeanResponseTime)
		}
	}
	return all, nil
}

// GapsOfRule returns the gaps to the optimum of a resizing rule, dynamic partitioning and every static split, in this
// order; see [Optimum.Gaps]. A rule whose cooldown has a fixed length has no chain. It is evaluated with an exponential
// cooldown of the same mean. The error is a *[models.SystemError] if the system is wrong, or comes from Gaps or ctx.
func (o *Optimum) GapsOfRule(ctx context.Context, s *models.System, rule policy.Resize, st OptimumSettings) ([]OptimumGap, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if rule.Cooldown > 0 && rule.SCV == 0 {
		rule.SCV = 1
	}
	return o.Gaps(ctx, s, append([]policy.Policy{rule, policy.Dynamic{}}, policy.Statics(s.Machine())...), st)
}

// measuresOf solves the chain of a policy.
func measuresOf(ctx context.Context, s *models.System, p policy.Policy, st markov.Settings) (models.Measures, error) {
	chain, err := s.Chain(p)
	if err != nil {
		return models.Measures{}, err
	}
	return chain.Solve(ctx, st)
}

// freeRepartitions returns the system with repartitions that take no time.
func freeRepartitions(s *models.System) (*models.System, error) {
	return s.With(models.Changes{Shrink: models.Times(0), Expand: models.Times(0)})
}
