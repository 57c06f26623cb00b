package fit

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/refs"
)

// TestReferenceLikelihoods compares with the best likelihoods known for data sets that recipes define, of up to 5 phases, with
// -long up to 10.
func TestReferenceLikelihoods(t *testing.T) {
	needs.Concurrency(t)
	var reference struct {
		Targets map[string]map[string]struct {
			LL float64 `json:"best_cf1_ll"`
		}
	}
	b, err := refs.Files.ReadFile("fit.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &reference); err != nil {
		t.Fatal(err)
	}
	most := 5
	if needs.IsLong() {
		most = 10
	}
	for name, orders := range reference.Targets {
		recipeName, size, _ := strings.Cut(name, "_")
		n, _ := strconv.Atoi(size)
		t.Run(name, func(t *testing.T) {
			all, err := PhaseType(t.Context(), Sample{Values: recipe(recipeName, n)}, Options{MaxPhases: most})
			if err != nil {
				t.Fatal(err)
			}
			best := map[int]Candidate{}
			for _, c := range all {
				best[c.Phases] = c
			}
			last := math.Inf(-1)
			for m := 1; m <= most; m++ {
				c := best[m]
				gap := math.NaN()
				if want, ok := orders[strconv.Itoa(m)]; ok {
					gap = c.MeanLogLikelihood - want.LL
				}
				t.Logf("%d phases: %.10f, %.3g above, converged %v in %d iterations, %.1f ms, KS %.4f",
					m, c.MeanLogLikelihood, gap, c.Converged, c.Iterations, c.Seconds*1000, c.KS)
				// 1e-7 is the accuracy the reference values are given to.
				if gap < -1e-7 {
					t.Errorf("%d phases: mean log-likelihood %.10f, %g less than known", m, c.MeanLogLikelihood, -gap)
				}
				if c.MeanLogLikelihood < last {
					t.Errorf("%d phases are worse than %d by %g", m, m-1, last-c.MeanLogLikelihood)
				}
				last = c.MeanLogLikelihood
			}
		})
	}
}
