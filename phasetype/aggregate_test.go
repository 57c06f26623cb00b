package phasetype_test

import (
	"testing"

	"github.com/partwise/partwise/phasetype"
)

// TestAggregate: pairs of rates 1e-3 apart differ from their mean by about 1e-7 in the distribution function.
func TestAggregate(t *testing.T) {
	ok := must(t)
	near := ok(phasetype.Hyperexponential([]float64{1, 2, 3, 1}, []float64{1, 1.001, 1e3, 1.002e3}))
	canonical, err := near.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	cycle := ok(phasetype.FromRates([]float64{.25, .75, 0},
		dense([]float64{0, 1, 2}, []float64{1.0001, 0, 2}, []float64{2, 2, 0}), []float64{3, 3.0001, 1}))
	for _, c := range []struct {
		name   string
		d      phasetype.Dist
		tol    float64
		phases int
	}{
		{"pairs of exponentials", near, 1e-4, 2},
		{"the same in canonical form", canonical, 2e-4, 2},
		{"nothing allowed", near, 0, 4},
		{"anything allowed", near, 10, 1},
		{"nearly lumpable", cycle, 1e-3, 2},
		{"Erlang", ok(phasetype.Erlang(5, 1)), 1e-3, 5},
		{"zero", phasetype.Dist{}, 1e-3, 0},
	} {
		got, diff := c.d.Aggregate(c.tol)
		if got.Phases() != c.phases {
			t.Errorf("%s: %d phases, want %d", c.name, got.Phases(), c.phases)
		}
		if diff.CDF > c.tol+1e-12 || diff != phasetype.Compare(got, c.d) {
			t.Errorf("%s: %+v, said to be %+v", c.name, phasetype.Compare(got, c.d), diff)
		}
		approx(t, c.name+": mean", got.Mean(), c.d.Mean(), 1e-12)
	}
}
