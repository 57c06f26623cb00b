package advisecmd

import (
	"context"

	"github.com/partwise/partwise/cmd/partwise/internal/logview"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

// solveBound solves for the best policy of a system, see [decide.Optimal], and evaluates a rule by its chain. A fixed cooldown has
// none: an exponential one of the same mean takes its place.
func solveBound(ctx context.Context, sys *models.System, r policy.Resize, st decide.OptimumSettings) (*logview.Bound, error) {
	o, err := decide.Optimal(ctx, sys, st)
	if err != nil {
		return nil, err
	}
	if r.Cooldown > 0 && r.SCV == 0 {
		r.SCV = 1
	}
	m := sys.Machine()
	gaps, err := o.Gaps(ctx, sys, append([]policy.Policy{r, policy.Dynamic{}}, policy.Statics(m)...), st)
	return &logview.Bound{Optimum: o, Gaps: gaps}, err
}
