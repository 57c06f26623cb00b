package logstats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// TestValues: numbers are kept as they are, whole or not, wherever the first number stands that is not whole. Their mean and variance are
// equal to gonum's, and their quantiles are the quantiles of the sorted numbers.
func TestValues(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, odd := range []float64{0, math.MaxUint32, 0.5, -1, 1 << 32, 1e30} {
		x := make([]float64, 101)
		for i := range x {
			x[i] = float64(random.IntN(1000))
		}
		x[50] = odd
		set, added := valuesOf(x), values{}
		for _, v := range x {
			added.add(v)
		}
		for i, v := range x {
			if set.at(i) != v || added.at(i) != v {
				t.Errorf("with %g, value %d is %g and %g, want %g", odd, i, set.at(i), added.at(i), v)
			}
		}
		if isWhole := odd == 0 || odd == math.MaxUint32; (set.any == nil) != isWhole || (added.any == nil) != isWhole {
			t.Errorf("with %g, numbers are whole: %v, %v, want %v", odd, set.any == nil, added.any == nil, isWhole)
		}
		mean, variance := set.meanVariance()
		if wantMean, wantVariance := stat.MeanVariance(x, nil); mean != wantMean || variance != wantVariance {
			t.Errorf("with %g, mean %g and variance %g, want %g and %g", odd, mean, variance, wantMean, wantVariance)
		}
		part, sorted := set.between(20, 80), slices.Sorted(slices.Values(x[20:80]))
		if got, want := part.quantile(0.9), quantile(sorted, 0.9); got != want {
			t.Errorf("with %g, nine of ten numbers are at most %g, want %g", odd, got, want)
		}
	}
}
