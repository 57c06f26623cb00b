package fit

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/phasetype"
)

// TestQueues holds the queues against closed forms: M/M/1, and E2/M/1 and H2/M/1 by their quadratic and cubic
// equations.
func TestQueues(t *testing.T) {
	for name, c := range map[string]struct {
		d    phasetype.Dist
		want Queue
	}{
		"exponential": {phasetype.Must(phasetype.Exponential(3)), Queue{5, 5}},
		// mean 1 in its own unit, phases of rate 2, mu = 1.25: σ = (1.6/(1.6 + 1−σ))².
		"erlang": {phasetype.Must(phasetype.Erlang(2, 2)), Queue{1 + 4*.75, 1 / erlangRoot()}},
	} {
		got := queueOf(c.d)
		// Bisection to 35/2^60 and a solution of two equations.
		if math.Abs(got.MPH1-c.want.MPH1) > 1e-12 || math.Abs(got.PHM1-c.want.PHM1) > 1e-10 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// erlangRoot solves 1−y = (1.6/(1.6+y))² for y > 0: y² + 2.2y − (3.2 − 2.56) = 0 after division by y.
func erlangRoot() float64 {
	// (1−y)(1.6+y)² = 2.56  ⇔  −y³ − 2.2y² + .64y = 0.
	return -1.1 + math.Sqrt(1.21+.64)
}

// TestSummary: enough phases for a mixture of two, too few for a heavy tail.
func TestSummary(t *testing.T) {
	truth := ph([]float64{.9, .1}, -2, 0, 0, -.1)
	xs := make([]float64, 4000)
	for i := range xs {
		xs[i] = truth.Quantile((float64(i) + .5) / 4000)
	}
	for _, c := range []struct {
		xs   []float64
		most int
		want string
	}{
		{xs, 4, "2 phases are enough; the fit matches the tail within 1 % up to p99"},
		{slices.Repeat([]float64{3}, 100), 1, "the values are too alike to judge the tail"},
		{slices.Concat(xs[:1000], slices.Repeat([]float64{100}, 1000)), 1, "the values are too alike to judge the tail"},
		{[]float64{.5}, 10, "too few to tell the number of phases: 1, for the "},
		{[]float64{3, 3, 3}, 4, "too few to tell the number of phases: 3, for the "},
		{[]float64{.5}, 1, "Only 1 phase was tried"},
		{recipe("loguni", 1000), 2, "no more were tried"},
		{recipe("loguni", 1000), 2, "differs significantly"},
		{recipe("lnorm12", 100_000), 2, "but not beyond"},
	} {
		all, err := PhaseType(t.Context(), Sample{Values: c.xs}, Options{MaxPhases: c.most})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(Summary(all, BIC), " ")
		if !strings.Contains(got, c.want) {
			t.Errorf("got %q, want %q in it", got, c.want)
		}
		if slices.Reverse(all); strings.Join(Summary(all, BIC), " ") != got {
			t.Errorf("in another order: %q", Summary(all, BIC))
		}
		if byDefault := strings.Join(Summary(all, Options{}.Criterion), " "); byDefault != got {
			t.Errorf("by the default criterion: %q, by BIC: %q", byDefault, got)
		}
	}
}

// TestSummaryOfFewValues: what cannot tell the number of phases has no sentence on fewer phases. KS has the digits of tables.
func TestSummaryOfFewValues(t *testing.T) {
	for most, values := range map[int][]float64{10: {5}, 2: recipe("loguni", 1000)} {
		all, err := PhaseType(t.Context(), Sample{Values: values}, Options{MaxPhases: most})
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(Summary(all, BIC), " ")
		hasDigits := regexp.MustCompile(`KS is 0\.\d{4}, .* exceed 0\.\d{4}\.`).MatchString(said)
		if len(values) == 1 && strings.Contains(said, "At load") || len(values) > 1 && !hasDigits {
			t.Errorf("%d values: %s", len(values), said)
		}
	}
}

// TestTailInWords: a fit that misses a tail probability by more than a factor of two does not match it, however few observations
// are there.
func TestTailInWords(t *testing.T) {
	for _, c := range []struct {
		fit  float64
		want string
	}{
		{.4, "the fit matches the tail within 20 % up to p99.5"},
		{.506, "the fit matches the tail within 1.2 % up to p99.5"},
		{.00995, "the fit matches the tail within 99 % up to p99.5"},
		{.0129, "the fit matches the tail within 0 % up to p50, but not beyond"},
		{.0019, "the fit matches the tail within 0 % up to p50, but not beyond"},
	} {
		g := Goodness{Tail: []Pair{{1, .5, .5}, {2, .005, .005}}, TailErrors: []float64{math.Sqrt(.25 / 2000), math.Sqrt(.005 * .995 / 2000)}}
		if c.fit > .1 {
			g.Tail[0].Fit = c.fit
		} else {
			g.Tail[1].Fit = c.fit
		}
		if got := g.tailInWords(); got != c.want {
			t.Errorf("%g: %q, want %q", c.fit, got, c.want)
		}
	}
}

// TestCompare: quantiles of the data against those of their own distribution lie on the diagonal.
func TestCompare(t *testing.T) {
	truth := ph([]float64{.9, .1}, -2, 0, 0, -.1)
	const n = 5000
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = truth.Quantile((float64(i) + .5) / n)
	}
	c, err := Compare(t.Context(), Sample{Values: xs}, truth, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Survival) > 1000 || len(c.Quantiles) < 100 {
		t.Errorf("%d and %d points", len(c.Survival), len(c.Quantiles))
	}
	for _, q := range c.Quantiles {
		// The product-limit estimate is a product of up to n rounded factors.
		if d := math.Abs(q.Fit/q.Data - 1); d > 1e-7 {
			t.Errorf("p = %g: %g against %g", q.At, q.Data, q.Fit)
		}
	}
}
