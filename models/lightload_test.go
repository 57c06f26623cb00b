package models_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

// Where free repartitions and linear speedup make an M/M/1 of load ρ of the machine, E[waiting jobs] = ρ^(N+1)/(1−ρ):
// far below the roundings of the mean number of jobs, ρ/(1−ρ). It is right to the bound that is claimed of means.
func TestFewWaitingJobsAtLightLoad(t *testing.T) {
	const n = 8
	free := machine(n, poisson(1), must(phasetype.Exponential(1)), linear)
	for _, load := range []float64{.5, 1e-2, 1e-3, 1e-10} {
		s := must(free.WithLoad(load))
		for name, m := range map[string]models.Measures{
			"resized": dynamic(t, stopping(s, models.ResizedStop)),
			"rule":    chained(t, s, parsed(t, "resize")),
			"cap":     chained(t, s, parsed(t, "resize:cap=8")),
		} {
			want := math.Pow(load, n+1) / (1 - load)
			what := fmt.Sprintf("%s at load %g", name, load)
			near(t, what+": waiting jobs", m.MeanWaitingJobs, want, m.Diagnostics.ErrorBound)
			near(t, what+": waiting time", m.MeanWaitingTime, want/s.Arrivals.Rate(), 2*m.Diagnostics.ErrorBound)
			near(t, what+": P(wait)", m.ProbabilityWait, math.Pow(load, n), 2*m.Diagnostics.ErrorBound)
		}
	}
}

// Where jobs stop and minimum times last, waiting jobs are summed state by state as well: some are seen waiting for less
// than a rounding of the mean number of jobs, and all rules agree with the dense chain.
func TestWaitingAtLightLoadByLevels(t *testing.T) {
	needs.Concurrency(t)
	for _, load := range []float64{.3, 1e-2, 1e-4} {
		s := stopping(must(overheads(machine(4, poisson(1), must(phasetype.BalancedHyperexponential(1, 3)), linear),
			must(phasetype.Exponential(4))).WithLoad(load)), models.ResizedStop)
		m, dense := dynamic(t, s), must(must(s.StateChain(t.Context(), policy.Dynamic{}, nil)).QBD.Solve(t.Context(), markov.Settings{}))
		want := 0.0
		for l := 5; l < 400; l++ {
			want += float64(l-4) * dense.Probability(l)
		}
		near(t, fmt.Sprintf("resized jobs stop, load %g", load), m.MeanWaitingJobs, want, 1e-13)
		// A cap is the rule with this cap, and a rule that never divides anew is a static split.
		all := stopping(s, models.AllStop)
		all.Shrink = append([]phasetype.Dist{{}}, all.Shrink[1:]...) // as a launch under a static split is
		for rule, same := range map[string]string{"resize:cap=2": "capped:2", "resize:cap=4": "dynamic", "resize:floor=4": "static:4"} {
			near(t, fmt.Sprintf("%s, load %g", rule, load), chained(t, all, parsed(t, rule)).MeanWaitingJobs,
				chained(t, all, parsed(t, same)).MeanWaitingJobs, 1e-12)
		}
		if w := smoothed(t, all, "2").MeanWaitingJobs; !(w > 0) {
			t.Errorf("smoothing at load %g: %v jobs wait", load, w)
		}
	}
}

// The chain in which only resized jobs stop is solved at any load. Passages found for vectors, of levels of 100 phases
// and more, agree with those of whole blocks, which are right entry by entry.
func TestResizedAtVanishingLoads(t *testing.T) {
	example, err := modelfile.Load("../testdata/examples/malleable.yaml")
	if err != nil {
		t.Fatal(err)
	}
	bursty := must(phasetype.Renewal(must(phasetype.BalancedHyperexponential(1, 3))))
	power := func(n float64) float64 { return math.Pow(n, 0.7) }
	for name, s := range map[string]*models.System{
		"malleable.yaml": example.System,
		"64 partitions": overheads(machine(64, bursty, must(phasetype.BalancedHyperexponential(1, 4)), power),
			must(phasetype.Exponential(4))),
		"16 partitions": overheads(machine(16, bursty, must(phasetype.Erlang(2, 1)), power),
			must(phasetype.BalancedHyperexponential(1, 1e4))),
	} {
		for _, load := range []float64{1e-3, 3e-4, 1e-4, 7e-5, 1e-7, 1e-10} {
			if name == "64 partitions" && (load != 3e-4 || !needs.IsLong()) {
				continue // it takes a second
			}
			d := &models.DEP{System: stopping(must(s.WithLoad(load)), models.ResizedStop)}
			fast, err := d.Solve(t.Context(), markov.Settings{})
			if err != nil {
				t.Errorf("%s at load %g: %v", name, load, err)
				continue
			}
			slow := must(d.Solve(t.Context(), markov.Settings{Method: markov.SubtractionFree}))
			bound := fast.Diagnostics.ErrorBound + slow.Diagnostics.ErrorBound
			for _, q := range models.Table() {
				x, _ := fast.Of(q.Name)
				y, _ := slow.Of(q.Name)
				near(t, fmt.Sprintf("%s at load %g: %s", name, load, q.Name), x, y, 2*bound)
			}
		}
	}
}
