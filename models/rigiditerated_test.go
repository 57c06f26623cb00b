package models_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
)

// TestRigidIterated: the iteration gives the results of dense blocks, within the bounds of both.
func TestRigidIterated(t *testing.T) {
	needs.Concurrency(t)
	for _, r := range rigidReferences(t).Instances {
		if len(r.Classes) < 2 || r.Nodes > 16 || r.Name == "three-sizes-1-4-16-h2" { // small ones
			continue
		}
		policies := []policy.Policy{policy.FCFS{}}
		if len(r.Classes) == 2 && r.Nodes > 4 {
			policies = append(policies, policy.FirstFit{Window: 2})
		}
		for _, p := range policies {
			t.Run(fmt.Sprintf("%s/%s", r.Name, p), func(t *testing.T) {
				model := must(r.system(t).Chain(p))
				dense := must(model.Solve(t.Context(), markov.Settings{}))
				m, err := models.SolveSparse(t.Context(), model, markov.Settings{})
				if err != nil {
					t.Fatal(err)
				}
				bound := dense.Diagnostics.ErrorBound + m.Diagnostics.ErrorBound
				near(t, "E[jobs]", m.MeanJobs, dense.MeanJobs, bound)
				near(t, "Var[jobs]", m.VarianceJobs, dense.VarianceJobs, 2*bound)
				near(t, "E[W]", m.MeanWaitingTime, dense.MeanWaitingTime, bound)
				near(t, "P(wait)", m.ProbabilityWait, dense.ProbabilityWait, bound)
				for k, c := range dense.Classes {
					near(t, "E[W] of a class", m.Classes[k].MeanWaitingTime, c.MeanWaitingTime, bound)
				}
				if off := math.Abs(m.ProbabilityEmpty/dense.ProbabilityEmpty - 1); off > bound {
					t.Errorf("P(empty) is off by %.2g, the bounds are %.2g", off, bound)
				}
			})
		}
	}
}
