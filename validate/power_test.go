package validate_test

import (
	"slices"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate"
)

// Solutions of a machine whose shrinking repartitions, or whose service times of a full machine, are 3 % too long are
// noticed by simulations of ten million jobs, whatever the seed.
func TestFaultsOfTheSolutionAreNoticed(t *testing.T) {
	needs.Study(t, "simulates 120 million jobs")
	for _, name := range []string{"w1-sp2", "w1-now"} {
		m, err := modelfile.Load("../testdata/ips96/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		shrink, err := m.System.With(models.Changes{Shrink: models.Times(1.03)})
		if err != nil {
			t.Fatal(err)
		}
		full := *m.System
		full.Service = slices.Clone(full.Service)
		last := len(full.Service) - 1
		if full.Service[last], err = full.Service[last].Scale(1.03); err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(6) {
			sim, err := validate.Simulate(t.Context(), m.System, policy.Dynamic{},
				validate.Options{MinJobs: 10_000_000, Seed: 1 + seed})
			if err != nil {
				t.Fatal(err)
			}
			for what, wrong := range map[string]*models.System{"shrink": shrink, "B_N": &full} {
				chain, err := wrong.Chain(policy.Dynamic{})
				if err != nil {
					t.Fatal(err)
				}
				measures, err := chain.Solve(t.Context(), markov.Settings{})
				if err != nil {
					t.Fatal(err)
				}
				c := validate.Compare(measures, sim, 0)
				worst := slices.MaxFunc(c.Rows, func(a, b validate.Row) int {
					switch {
					case a.P > b.P:
						return -1
					case a.P < b.P:
						return 1
					}
					return 0
				})
				t.Logf("%s, seed %d, %s: pass %v, %s z = %.1f, detectable %.2g", name, 1+seed, what, c.Pass, worst.Measure, worst.Z,
					worst.Detectable)
				if c.Pass {
					t.Errorf("%s, seed %d: %s 3 %% too long is not noticed", name, 1+seed, what)
				}
			}
		}
	}
}
