package logstats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// TestValues: numbers are kept as they are, whole or not, wherever the first number stands that is not whole. Their mean and
// variance are equal to gonum's, and their quantiles are the quantiles of the sorted numbers.
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

// TestRanksOfManyValues: ranks of long lists, which are sorted by digits, are those that counting smaller and equal values gives.
// Equal values share the mean of their ranks, also where ranks take the memory of the values.
func TestRanksOfManyValues(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	for _, draw := range []func() float64{
		func() float64 { return float64(random.IntN(300)) }, // counted
		func() float64 { return float64(random.Uint32N(4000)) * 1e6 },
		func() float64 { return random.NormFloat64() },
		func() float64 { return math.Round(random.NormFloat64()) },
		func() float64 { return 7.5 },
	} {
		x := make([]float64, 2*leastOfRadix)
		for i := range x {
			x[i] = draw()
		}
		sorted := slices.Sorted(slices.Values(x))
		twice := twiceRanks(valuesOf(x))
		for i, got := range ranks(x) {
			below, _ := slices.BinarySearch(sorted, x[i])
			upTo, _ := slices.BinarySearch(sorted, math.Nextafter(x[i], math.Inf(1)))
			if want := float64(below+upTo+1) / 2; got != want || twice.at(i) != 2*want {
				t.Fatalf("rank of %g is %g and half of %g, want %g", x[i], got, twice.at(i), want)
			}
		}
	}
}
