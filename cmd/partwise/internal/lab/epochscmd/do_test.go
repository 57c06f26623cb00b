package epochscmd

import (
	"cmp"
	"context"

	"github.com/partwise/partwise/models/policy"
)

// withDefaults fills in the options of the report, where tests name none.
func (o Options) withDefaults() Options {
	o.Draws, o.Replications, o.Jobs = cmp.Or(o.Draws, 20_000), cmp.Or(o.Replications, 20), cmp.Or(o.Jobs, 2000)
	o.Table = policy.Standard()
	return o
}

// Overheads draws problems of a case and schedules each under all policies.
func Overheads(ctx context.Context, c Case, policies []policy.Policy, o Options) ([]Result, error) {
	return OverheadExperiment.Do(ctx, Point{Case: c}, chosen(policies), o.withDefaults())
}

// Responses runs a case as a closed system under all policies.
func Responses(ctx context.Context, c Case, a Application, policies []policy.Policy, o Options) ([]Result, error) {
	return ResponseExperiment.Do(ctx, Point{Case: c, Application: a}, chosen(policies), o.withDefaults())
}

// Opens runs jobs of a case that arrive under all policies.
func Opens(ctx context.Context, p Point, policies []policy.Policy, o Options) ([]Result, error) {
	return OpenExperiment.Do(ctx, p, chosen(policies), o.withDefaults())
}

// chosen returns policies as choices.
func chosen(policies []policy.Policy) (all []Choice) {
	for _, p := range policies {
		all = append(all, Choice{Policy: p})
	}
	return all
}
