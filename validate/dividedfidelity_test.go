package validate_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate"
)

// demanding is a machine of n nodes whose jobs have exponential demands.
func demanding(tb testing.TB, n int, rate float64, speedup workload.Speedup) *models.System {
	tb.Helper()
	s, err := models.NewSystem(n, 1, poisson(tb, rate), exponential(1), speedup)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// Divided nodes and average nodes are simulated by two programs that share nothing but the drawing of times. With common random
// numbers both live through the same events, so that all measures are the same but for the rounding of some thousand additions. Of
// more than 16 jobs shares are rounded by less than 20/2²⁰ of them; times then differ by no more.
func TestDividedNodesAreAverageNodes(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	const rounding, roundedShares = 1e-10, 20. / (1 << 20)
	systems := map[string]*models.System{"many jobs": demanding(t, 20, 8, workload.Amdahl{Serial: .1})}
	for name, r := range references(t) {
		systems[name] = r.system(t)
	}
	for seed := range uint64(9) {
		systems[fmt.Sprint("classes ", seed)] = randomClasses(t, seed)
	}
	compared := 0
	for name, s := range systems {
		within := rounding
		if s.Partitions() > 16 {
			within = roundedShares
		}
		for _, p := range []policy.Policy{dynamic, policy.Capped{Jobs: 3}, static(1)} {
			o := validate.Options{Seed: 1, MaxJobs: 4000, Replications: 2}
			if needs.IsStudy() {
				o.MaxJobs = 20_000
			}
			want, err := validate.Simulate(ctx, s, p, o)
			if err != nil || validate.Comparable(s, p) != nil {
				continue
			}
			o.Fidelity = validate.DividedFidelity
			got := simulate(t, s, p, o)
			compared++
			for _, w := range want.Measures {
				e, ok := got.Measure(w.Name)
				if away := math.Abs(e.Mean - w.Mean); ok && !(away <= within*w.Mean) && !strings.HasPrefix(w.Name, "response_time_p") {
					t.Errorf("%s, %s: %s %v on divided nodes, %v on average nodes", name, p, w.Name, e.Mean, w.Mean)
				}
			}
		}
	}
	if compared < 50 {
		t.Errorf("only %d simulations were compared", compared)
	}
}

// What has another meaning on whole nodes, however small their parts are, is told with the reason.
func TestWhatIsNotComparable(t *testing.T) {
	costly := demanding(t, 4, .5, workload.Linear{})
	costly.Shrink, costly.Expand = repeated(4), repeated(3)
	free := demanding(t, 4, .5, workload.Linear{})
	parse := func(text string) policy.Policy {
		p, err := policy.Standard().Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	shapes := references(t)["06_n3_phi"].system(t)
	split, err := workload.NewSpeedup("dowdy-static", 100, 20)
	if err != nil {
		t.Fatal(err)
	}
	steps := demanding(t, 20, .5, split)
	floor := mixed(t, 4, 1, .5, twoClasses(2)...)
	for _, c := range []struct {
		s      *models.System
		policy string
		why    string
	}{
		{costly, "dynamic", ""},
		{stopping(free, models.ResizedStop), "dynamic", ""},
		{stopping(costly, models.ResizedStop), "dynamic", "depends on whole nodes"},
		{stopping(costly, models.ResizedStop), "static:2", ""},
		{shapes, "dynamic", "one demand"},
		{shapes, "static:3", ""},
		{steps, "dynamic", "has steps"},
		{steps, "capped:10", ""},
		{costly, "smoothing:1", "all free nodes"},
		{costly, "resize:wait=2", "all free nodes"},
		{costly, "resize:floor=2", ""},
		{floor, "resize:floor=2", "of classes"},
		{floor, "resize:cap=3", ""},
		{costly, "folding", "has no chain"},
	} {
		err := validate.Comparable(c.s, parse(c.policy))
		if (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v, want %q", c.policy, err, c.why)
		}
	}
}
