package fit

import (
	"math"
	"strings"
	"testing"

	"github.com/partwise/partwise/testdata/needs"
)

// censoredSample returns n times from draw, of which about the given share is censored by exponential times of a rate that
// is found by bisection.
func censoredSample(n int, share float64, exponential, draw func() float64) (s Sample) {
	times, bounds := make([]float64, n), make([]float64, n)
	for i := range times {
		times[i], bounds[i] = draw(), exponential()
	}
	censored := func(rate float64) (count int) {
		for i, x := range times {
			if bounds[i] < rate*x {
				count++
			}
		}
		return count
	}
	low, high := 0., 1e3
	for range 40 {
		if rate := (low + high) / 2; float64(censored(rate)) < share*float64(n) {
			low = rate
		} else {
			high = rate
		}
	}
	for i, x := range times {
		s.Values = append(s.Values, min(x, bounds[i]/low))
		s.Censored = append(s.Censored, bounds[i]/low < x)
	}
	return s
}

// TestTailOfCensoredSamples fits Erlang distributions of k phases with k phases. The sentence on the tail says of at most 3 %
// of such samples that the fit does not follow it, however many values are censored: 150 samples of probability .03 exceed
// 11 with probability .002, and 10 samples exceed 3 with probability .0001. The sentence notices nearly all samples of other
// distributions of 1000 times that are fitted with one phase. A lognormal distribution differs only beyond the median, where
// samples with more censoring say nothing.
func TestTailOfCensoredSamples(t *testing.T) {
	samples, most, sizes, phases, shares := 10, 3, []int{100, 1000}, []int{1, 4}, []float64{.3, .5}
	if needs.IsLong() {
		samples, most, sizes, phases, shares = 150, 11, []int{100, 300, 1000}, []int{1, 2, 4}, []float64{0, .3, .5, .7}
	}
	r := needs.Rand(7, 53)
	erlang := func(k int) func() float64 {
		return func() (x float64) {
			for range k {
				x += r.ExpFloat64() / float64(k)
			}
			return x
		}
	}
	lognormal := func() float64 { return math.Exp(1.5 * r.NormFloat64()) }
	for _, n := range sizes {
		for _, share := range shares {
			draw := func(law func() float64) func() Sample {
				return func() Sample { return censoredSample(n, share, r.ExpFloat64, law) }
			}
			for _, k := range phases {
				if got := missedTails(t, samples, k, draw(erlang(k))); got > most {
					t.Errorf("n %d, censored %g: the fit misses the tail of %d of %d samples of Erlang-%d, more than %d",
						n, share, got, samples, k, most)
				}
			}
			if n < 1000 {
				continue
			}
			if got := missedTails(t, 10, 1, draw(erlang(4))); share <= .5 && got < 9 {
				t.Errorf("n %d, censored %g: only %d of 10 samples of Erlang-4 miss the tail of 1 phase", n, share, got)
			}
			if got := missedTails(t, 10, 1, draw(lognormal)); share <= .3 && got < 8 {
				t.Errorf("n %d, censored %g: only %d of 10 lognormal samples miss the tail of 1 phase", n, share, got)
			}
		}
	}
}

// missedTails returns of how many samples the fit of k phases does not follow the tail, by the sentence on it.
func missedTails(t *testing.T, samples, k int, draw func() Sample) (n int) {
	t.Helper()
	for range samples {
		all, err := PhaseType(t.Context(), draw(), Options{MinPhases: k, MaxPhases: k})
		if err != nil {
			t.Fatal(err)
		}
		said := Summary(all, BIC)[0]
		if strings.Contains(said, "but not beyond") || strings.Contains(said, "not even match") {
			n++
		}
	}
	return n
}

// TestTailBeyondTheLastValue: the sentence names the quantile that no uncensored value reaches.
func TestTailBeyondTheLastValue(t *testing.T) {
	for bound, want := range map[float64]string{
		1:  "up to p50; the uncensored values are too few to judge p90.",
		.5: "the uncensored values are too few to judge the tail.",
	} {
		var s Sample
		for i := range 200 {
			x := -math.Log((float64(i) + .5) / 200)
			s.Values, s.Censored = append(s.Values, min(x, bound)), append(s.Censored, x > bound)
		}
		all, err := PhaseType(t.Context(), s, Options{MaxPhases: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := Summary(all, BIC)[0]; !strings.HasSuffix(got, want) {
			t.Errorf("censored at %g: %q, want %q at its end", bound, got, want)
		}
	}
}
