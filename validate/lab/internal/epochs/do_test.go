package epochs_test

import (
	"cmp"
	"context"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/lab/internal/epochs"
)

// withDefaults fills in the options of the report, where tests name none.
func withDefaults(o epochs.Options) epochs.Options {
	o.Draws, o.Replications, o.Jobs = cmp.Or(o.Draws, 20_000), cmp.Or(o.Replications, 20), cmp.Or(o.Jobs, 2000)
	o.Table = policy.Standard()
	return o
}

// overheads draws problems of a case and schedules each under all policies.
func overheads(ctx context.Context, c epochs.Case, policies []policy.Policy, o epochs.Options) ([]epochs.Result, error) {
	return epochs.OverheadExperiment.Do(ctx, epochs.Point{Case: c}, chosen(policies), withDefaults(o))
}

// responses runs a case as a closed system under all policies.
func responses(ctx context.Context, c epochs.Case, a epochs.Application, policies []policy.Policy, o epochs.Options) ([]epochs.Result, error) {
	return epochs.ResponseExperiment.Do(ctx, epochs.Point{Case: c, Application: a}, chosen(policies), withDefaults(o))
}

// opens runs jobs of a case that arrive under all policies.
func opens(ctx context.Context, p epochs.Point, policies []policy.Policy, o epochs.Options) ([]epochs.Result, error) {
	return epochs.OpenExperiment.Do(ctx, p, chosen(policies), withDefaults(o))
}

// chosen returns policies as choices.
func chosen(policies []policy.Policy) (all []epochs.Choice) {
	for _, p := range policies {
		all = append(all, epochs.Choice{Policy: p})
	}
	return all
}
