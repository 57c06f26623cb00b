package logstats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Autocorrelations of values in several blocks are those of their definition, for whole numbers and for others, and NaN of equal
// values.
func TestAutocorrelations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	lags := []int{1, 2, 5, 700, 1000}
	for _, n := range []int{1001, deviationsAtOnce, 2*deviationsAtOnce + 77} {
		for _, unit := range []float64{1, 0.3} {
			x, sum := make([]float64, n), 0.0
			for i := range x {
				x[i] = unit * float64(r.IntN(1000)+i%7)
				sum += x[i]
			}
			mean, squares := sum/float64(n), 0.0
			for _, v := range x {
				squares += (v - mean) * (v - mean)
			}
			s := seriesOf(valuesOf(x))
			for l, got := range s.autocorrelations(lags) {
				want := 0.0
				for i := lags[l]; i < n; i++ {
					want += (x[i] - mean) * (x[i-lags[l]] - mean) / squares
				}
				if math.Abs(got-want) > 1e-12 {
					t.Errorf("%d values of unit %g, lag %d: %v, want %v", n, unit, lags[l], got, want)
				}
			}
		}
	}
	s := seriesOf(valuesOf([]float64{0.1, 0.1, 0.1, 0.1}))
	if got := s.autocorrelations([]int{1, 2}); !math.IsNaN(got[0]) || !math.IsNaN(got[1]) {
		t.Errorf("of equal values: %v, want NaN", got)
	}
}
