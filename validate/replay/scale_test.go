package replay

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/partwise/partwise/testdata/phtest"
)

// TestFallsToOne: where the values fall the line between two of them is followed; values that rise count with their mean; and an
// infinite value says that it is far from 1.
func TestFallsToOne(t *testing.T) {
	for _, c := range []struct {
		values       []float64
		place        float64
		below, above bool
	}{
		{[]float64{1.3, 1.1, 0.9, 0.7}, 1.5, true, true},
		{[]float64{1.3, 1.1, 0.8}, 1 + 1./3, true, false},
		{[]float64{1.1, 0.9, 0.8}, 0.5, false, true},
		{[]float64{1.4, 1.0, 1.2, 0.8, 1.0, 0.6}, 2.5, true, true}, // 1.4, 1.1, .9, .6
		{[]float64{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}, 1.5, true, true},
		{[]float64{1.2, 1.2, 1.2, 0.8}, 2.5, true, false}, // the end of a plateau counts, not its middle
		{[]float64{1.2, 1.2, 0.8, 0.8}, 1.5, true, true},
		{[]float64{0.9, 0.8}, 0, false, true},
		{[]float64{1.2, 1.1}, 1, true, false},
	} {
		if place, below, above := fallsToOne(c.values, indices); math.Abs(place-c.place) > 1e-12 || below != c.below || above != c.above {
			t.Errorf("%g: %g %t %t, not %g %t %t", c.values, place, below, above, c.place, c.below, c.above)
		}
	}
}

// TestFallsToOneByMeans: the place is that of the sequence whose value at i is the smallest, over all first indices up to i, of
// the largest mean from there to any index from i on.
func TestFallsToOneByMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0.5, 1.5), 2, 30).Draw(t, "values")
		levels := make([]float64, len(values))
		for i := range values {
			levels[i] = math.Inf(1)
			for from := 0; from <= i; from++ {
				largest := math.Inf(-1)
				for to := i; to < len(values); to++ {
					largest = max(largest, mean(values[from:to+1]))
				}
				levels[i] = min(levels[i], largest)
			}
		}
		place, _, _ := fallsToOne(values, indices)
		k := slices.IndexFunc(levels, func(v float64) bool { return v <= 1 })
		switch want := float64(k); {
		case k == -1:
			want = float64(len(values) - 1)
			fallthrough
		case k == 0:
			if place != want {
				t.Fatalf("place %g, not %g", place, want)
			}
			return
		}
		middle := func(i int) float64 {
			from, to := i, i
			for from > 0 && math.Abs(levels[from-1]-levels[i]) < 1e-12 {
				from--
			}
			for to < len(levels)-1 && math.Abs(levels[to+1]-levels[i]) < 1e-12 {
				to++
			}
			return float64(from+to) / 2
		}
		a, b := middle(k-1), middle(k)
		if want := a + (b-a)*(levels[k-1]-1)/(levels[k-1]-levels[k]); math.Abs(place-want) > 1e-6 {
			t.Fatalf("%g: place %g, not %g", values, place, want)
		}
	})
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// TestCostOfStep: the scale rises from 0 to the largest cost, in equal steps and then by equal factors.
func TestCostOfStep(t *testing.T) {
	for step, want := range map[int]float64{0: 0, 1: 2.5, 6: 15, 9: 15 * math.Sqrt2, 12: 30, 102: mostResizeCost} {
		if got := costOfStep(step); math.Abs(got-want) > 1e-12*want {
			t.Errorf("step %d: %g s, not %g", step, got, want)
		}
	}
}

// TestIntervalOfCrossings: an interval contains its mean, and its half width is infinite, not NaN, where no cost or number of
// nodes is the largest.
func TestIntervalOfCrossings(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ mean, low, high, wantLow, wantHigh, half float64 }{
		{50, 30, 90, 30, 90, 40},
		{50, 50.2, 90, 50, 90, 40},
		{50, 30, 49.9, 30, 50, 20},
		{0, 0, 0, 0, 0, 0},
		{50, 30, inf, 30, inf, inf},
		{inf, 30, inf, 30, inf, inf},
		{inf, inf, inf, inf, inf, inf},
	} {
		places := []float64{c.mean, c.low, c.high}
		e, err := intervalOfCrossings(3, func(k int) (float64, error) { return places[k], nil })
		if err != nil || e.Mean != c.mean || e.Low != c.wantLow || e.High != c.wantHigh || e.HalfWidth != c.half {
			t.Errorf("crossings at %g: %+v, %v", places, e, err)
		}
		if e, err = intervalOfCrossings(1, func(k int) (float64, error) { return places[k], nil }); err != nil || e.Mean != c.mean ||
			!math.IsInf(e.HalfWidth, 1) || !math.IsNaN(e.Low) || !math.IsNaN(e.High) {
			t.Errorf("crossing at %g, without ends: %+v, %v", c.mean, e, err)
		}
	}
	failed := errors.New("a replay failed")
	if _, err := intervalOfCrossings(3, func(int) (float64, error) { return 0, failed }); err != failed {
		t.Errorf("%v", err)
	}
}
