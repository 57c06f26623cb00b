package advise_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/metric"
)

// randomSystem draws a machine: 4 to 16 nodes, exponential to very variable demands, speedups from bad to good, repartitions
// of a thousandth of a run time to a half of it, and loads of .3 to .85.
func randomSystem(t *testing.T, r *rand.Rand) (*models.System, string) {
	nodes := 4 + 2*r.IntN(7)
	cost := []float64{0.001, 0.01, 0.05, 0.2, 0.5}[r.IntN(5)] / float64(nodes)
	list := strings.TrimSuffix(strings.Repeat(fmt.Sprint(cost)+",", nodes-1), ",")
	text := fmt.Sprintf(`version: 1
machine: {nodes: %d}
arrivals: {interarrival: {moments: {mean: 1, scv: %.2f}}, load: %.2f}
jobs: {demand: {moments: {mean: 1, scv: %.2f}}, speedup: {power: {exponent: %.2f}}}
dynamic: {stops: %s, shrink: {means: [null, %s]}, expand: {means: [%s]}}
`, nodes, 0.5+2*r.Float64(), 0.3+0.55*r.Float64(), 1+5*r.Float64(), 0.5+0.5*r.Float64(), []string{"all", "resized"}[r.IntN(2)],
		list, list)
	m, err := modelfile.Parse("random", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m.System, fmt.Sprintf("%d nodes, cost %.2g, load %.2f, stops %s", nodes, cost, m.System.Load(), m.System.Stops)
}

// simulated returns the mean response time under a policy, at a precision.
func simulated(t *testing.T, sys *models.System, p policy.Policy, precision float64) metric.Interval {
	s, err := validate.Simulate(t.Context(), sys, p, validate.Options{Fidelity: validate.MachineFidelity, Precision: precision, Seed: 99})
	if err != nil {
		t.Fatal(err)
	}
	e, _ := s.Measure(measure.MeanResponseTime)
	return e.Interval
}

// searched returns the rule with the least mean response time of a grid of 400 points: all of them are simulated for 60,000
// jobs, the same for all, and those at 1 % that are within 4 % of the best then.
func searched(t *testing.T, sys *models.System, gap float64) (best policy.Resize, least metric.Interval) {
	var rules []policy.Resize
	var rough []float64
	n := sys.Partitions()
	for _, cap := range []int{0, 7 * n / 8, 3 * n / 4, n / 2, n / 4} {
		for _, hysteresis := range []float64{0, 1.2, 1.4, 1.7, 2, 2.5, 3.2, 4} {
			for _, cooldown := range []float64{0, 0.3, 0.6, 1, 1.7, 3, 5, 8, 13, 20} {
				rules = append(rules, policy.Resize{Cooldown: cooldown * gap, Cap: cap, Hysteresis: hysteresis})
				if r := rules[len(rules)-1]; keepsUp(sys, r) {
					rough = append(rough, quickly(t, sys, r))
				} else {
					rules = rules[:len(rules)-1]
				}
			}
		}
	}
	for i, r := range rules {
		if rough[i] > 1.04*slices.Min(rough) { // jobs are common: differences are known far better than means
			continue
		}
		if v := simulated(t, sys, r, 0.01); best == (policy.Resize{}) || v.Mean < least.Mean {
			best, least = r, v
		}
	}
	return best, least
}

// quickly returns the mean response time of a fixed number of jobs.
func quickly(t *testing.T, sys *models.System, p policy.Policy) float64 {
	o := validate.Options{Fidelity: validate.MachineFidelity, Precision: 1, Replications: 6, MaxJobs: 60_000, Seed: 98}
	s, err := validate.Simulate(t.Context(), sys, p, o)
	if err != nil {
		t.Fatal(err)
	}
	e, _ := s.Measure(measure.MeanResponseTime)
	return e.Mean
}

func keepsUp(sys *models.System, r policy.Resize) bool {
	_, err := validate.WholeNodes(sys, r, validate.Options{})
	return err == nil
}

// TestAdviceIsNearTheBestOfALargeGrid: on random models the advised rule is within 3 % of the best of a search of 400 points.
// How many models are looked at is up to -models.
func TestAdviceIsNearTheBestOfALargeGrid(t *testing.T) {
	needs.Study(t, "searches a large grid for each model")
	r := rand.New(rand.NewPCG(18, 18))
	for i := range *searches {
		sys, name := randomSystem(t, r)
		q := advise.OfSystem(sys, validate.Options{}, 1)
		over := []advise.Parameter{q.Usual("cooldown"), q.Usual("cap"), q.Usual("hysteresis")}
		a, err := q.Advise(t.Context(), over, advise.Options{Seed: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		best, least := searched(t, sys, q.Gap)
		v := simulated(t, sys, a.Rule, 0.01)
		t.Logf("%d, %s: advised %v %.4g, best of the grid %v %.4g, ratio %.4f", i, name, a.Rule, v.Mean, best, least.Mean, v.Mean/least.Mean)
		if v.Mean > 1.03*least.Mean {
			t.Errorf("%s: %v takes %.4g, %v only %.4g", name, a.Rule, v.Mean, best, least.Mean)
		}
	}
}
