package phasetype

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestQuantileTable compares the interpolated quantiles with those of the law, for the same random numbers.
func TestQuantileTable(t *testing.T) {
	cycle := func(atom, exit float64) Dist {
		return Must(fromRates([]float64{1 - atom, 0, 0}, []float64{0, 2, 1, 3, 0, 1, 1e-3, 2, 0}, []float64{0, 0, exit}))
	}
	for name, d := range map[string]Dist{
		"slow":      cycle(0, 1e-3),
		"atom":      cycle(0.3, 1e-3),
		"very slow": cycle(0, 1e-9),
		"erlang":    Must(Erlang(7, 3)), // the density is 0 at 0
		"spread":    Must(Hyperexponential([]float64{1, 1, 1e-3}, []float64{1e-6, 1, 1e6})),
		"steep":     Must(Erlang(30, 1)),
		// Fast turns, then one of two slow ways out, 8 decades apart.
		"two scales": Must(fromRates([]float64{0.5, 0.2, 0, 0},
			[]float64{0, 1e6, 0, 1, 3e6, 0, 1, 0, 0, 2, 0, 2e5, 1e-4, 0, 1e3, 0}, []float64{0, 1e-2, 1e-6, 1e-6})),
	} {
		v := newQuantileTable(NewLaw(d))
		a, b := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
		var worst float64
		for range 1000 {
			got, want := v.draw(a), v.law.InverseSurvival(1-b.Float64())
			if want > 0 || got > 0 { // beyond the rounding of the probability
				noise := 0x1p-50 * (1 + v.law.LogSurvival(want)*-1) * v.law.Survival(want) / v.law.PDF(want)
				worst = math.Max(worst, (math.Abs(got-want)-noise)/want)
			}
		}
		t.Logf("%s: %d pieces, largest relative error %.2g", name, len(v.pieces), worst)
		// Halving stops when the middle of a piece is good to 1e-9; the worst of a cubic's error is near there.
		if !(worst < 2e-9) {
			t.Errorf("%s: relative error %g", name, worst)
		}
	}
}
