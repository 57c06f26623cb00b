package validate_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate"
)

// The chains of rules that resize are those of average shares, and a machine of two nodes has no others: there whole
// nodes, simulated without a generator, have the same mean response time.
func TestRulesOfTwoNodes(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	precision, replications := 0.05, 8
	if needs.IsStudy() {
		precision, replications = 0.004, 32
	}
	s := stopping(cluster(t, 2, .6), models.AllStop)
	for i, text := range []string{"resize:hysteresis=1.5", "resize:wait=2", "resize:on=departures", "resize:batch=2",
		"resize:batch=3,wait=2", "resize:batch=2,on=departures", "resize:cooldown=.4,scv=1", "resize:cooldown=1,scv=.5,wait=2"} {
		p, err := policy.Standard().Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		o := validate.Options{Fidelity: validate.MachineFidelity, Precision: precision, Replications: replications, Seed: 7, Point: uint64(i)}
		e, _ := simulate(t, s, p, o).Measure("mean_response_time")
		want := solved(t, s, p).MeanResponseTime
		t.Logf("%-32s %.4f ± %.4f by simulation, %.4f by its chain", text, e.Mean, e.HalfWidth, want)
		// Twice the half width of 95 %: one of two thousand intervals is further off.
		if math.Abs(e.Mean-want) > 2*e.HalfWidth {
			t.Errorf("%s: %v ± %v by simulation, %v by its chain", text, e.Mean, e.HalfWidth, want)
		}
	}
}
