package epochscmd_test

import (
	"cmp"
	"context"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/epochscmd"
	"github.com/partwise/partwise/models/policy"
)

// withDefaults fills in the options of the report, where tests name none.
func withDefaults(o epochscmd.Options) epochscmd.Options {
	o.Draws, o.Replications, o.Jobs = cmp.Or(o.Draws, 20_000), cmp.Or(o.Replications, 20), cmp.Or(o.Jobs, 2000)
	o.Table = policy.Standard()
	return o
}

// overheads draws problems of a case and schedules each under all policies.
func overheads(ctx context.Context, c epochscmd.Case, policies []policy.Policy, o epochscmd.Options) ([]epochscmd.Result, error) {
	return epochscmd.OverheadExperiment.Do(ctx, epochscmd.Point{Case: c}, chosen(policies), withDefaults(o))
}

// responses runs a case as a closed system under all policies.
func responses(ctx context.Context, c epochscmd.Case, a epochscmd.Application, policies []policy.Policy, o epochscmd.Options) ([]epochscmd.Result, error) {
	return epochscmd.ResponseExperiment.Do(ctx, epochscmd.Point{Case: c, Application: a}, chosen(policies), withDefaults(o))
}

// opens runs jobs of a case that arrive under all policies.
func opens(ctx context.Context, p epochscmd.Point, policies []policy.Policy, o epochscmd.Options) ([]epochscmd.Result, error) {
	return epochscmd.OpenExperiment.Do(ctx, p, chosen(policies), withDefaults(o))
}

// chosen returns policies as choices.
func chosen(policies []policy.Policy) (all []epochscmd.Choice) {
	for _, p := range policies {
		all = append(all, epochscmd.Choice{Policy: p})
	}
	return all
}
