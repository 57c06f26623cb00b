package fit

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/partwise/partwise/testdata/needs"
)

// observing returns a sample of 500 times from draw, as an observer sees them.
type observing func(r *rand.Rand, draw func() float64) Sample

// observers are ways to observe times of mean 7.
func observers() map[string]observing {
	const n = 500
	exponential := func(mean float64) func(r *rand.Rand) float64 {
		return func(r *rand.Rand) float64 { return mean * r.ExpFloat64() }
	}
	uniform := func(r *rand.Rand) float64 { return 10 * r.Float64() }
	one := func(*rand.Rand) float64 { return 1 }
	// from returns the observer of times that end after a time of truncation and before the time of censoring, both random.
	from := func(truncation, censoring func(r *rand.Rand) float64, resolution float64) observing {
		return func(r *rand.Rand, draw func() float64) Sample {
			s := Sample{Resolution: resolution}
			for len(s.Values) < n {
				x, began, bound := draw(), 0., math.Inf(1)
				if truncation != nil {
					began = truncation(r)
					if resolution > 0 { // where a rounded value may begin
						began = resolution * (math.Floor(began/resolution) + .5)
					}
				}
				if censoring != nil {
					bound = began + censoring(r)
				}
				if x <= began {
					continue
				}
				censored := bound < x
				x = min(x, bound)
				if resolution > 0 && !censored {
					x = resolution * math.Round(x/resolution)
				}
				s.Values, s.Censored = append(s.Values, x), append(s.Censored, censored)
				s.Truncated = append(s.Truncated, began)
			}
			return s
		}
	}
	weighted := func(weight func(r *rand.Rand) float64) observing {
		return func(r *rand.Rand, draw func() float64) Sample {
			s := from(nil, nil, 0)(r, draw)
			for range s.Values {
				s.Weights = append(s.Weights, weight(r))
			}
			return s
		}
	}
	// overlapping intervals of random widths contain the times.
	overlapping := func(r *rand.Rand, draw func() float64) Sample {
		s := from(nil, nil, 0)(r, draw)
		for i, x := range s.Values {
			width := 2 * r.Float64()
			s.Values[i] = max(0, x-width*r.Float64())
			s.Upper = append(s.Upper, s.Values[i]+width)
		}
		return s
	}
	return map[string]observing{
		"exact":                     from(nil, nil, 0),
		"lightly censored":          from(nil, exponential(50), 0),
		"heavily censored":          from(nil, exponential(2), 0),
		"truncated at 1":            from(one, nil, 0),
		"truncated at random":       from(uniform, nil, 0),
		"truncated and censored":    from(uniform, exponential(5), 0),
		"rounded":                   from(nil, nil, 1),
		"rounded and censored":      from(nil, exponential(10), 1),
		"rounded and truncated":     from(uniform, nil, .1),
		"weighted unequally":        weighted(exponential(1)),
		"counted":                   weighted(one),
		"in intervals that overlap": overlapping,
	}
}

// TestSignificance fits one phase to times that are exponential, and to times that are not. At most 5 % of the exponential
// samples differ significantly: 600 samples of probability .05 exceed 47 with probability .0009, and 40 exceed 7 with
// probability .0007. Nearly all other samples differ. Heavy censoring leaves 40 to 60 ends of 500, which tell less.
func TestSignificance(t *testing.T) {
	samples, most := 40, 7
	if needs.IsLong() {
		samples, most = 600, 47
	}
	for name, observe := range observers() {
		t.Run(name, func(t *testing.T) {
			r := needs.Rand(7, 41)
			share := .9
			if name == "heavily censored" {
				share = .3
			}
			exponential := func() float64 { return 7 * r.ExpFloat64() }
			erlang := func() float64 { return (exponential() + exponential() + exponential() + exponential()) / 4 }
			lognormal := func() float64 { return 7 * math.Exp(.5*r.NormFloat64()-.125) }
			if got := differing(t, samples, func() Sample { return observe(r, exponential) }); got > most {
				t.Errorf("%d of %d exponential samples differ significantly, more than %d", got, samples, most)
			}
			for law, draw := range map[string]func() float64{"Erlang": erlang, "lognormal": lognormal} {
				if got := differing(t, 40, func() Sample { return observe(r, draw) }); float64(got) < share*40 {
					t.Errorf("%d of 40 %s samples differ significantly, less than %.0f %%", got, law, 100*share)
				}
			}
		})
	}
}

// differing returns how many samples differ significantly from their fits of one phase.
func differing(t *testing.T, samples int, draw func() Sample) (n int) {
	t.Helper()
	for range samples {
		all, err := PhaseType(t.Context(), draw(), Options{MaxPhases: 1})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.Join(Summary(all, BIC), " "), "differs significantly") {
			n++
		}
	}
	return n
}

// TestGapsInTheRiskSet: a time that ends before others begin says nothing of them, and does not change their fit's KS.
func TestGapsInTheRiskSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s := Sample{}
	for range 400 {
		s.Values, s.Truncated = append(s.Values, 1+7*r.ExpFloat64()), append(s.Truncated, 1)
	}
	s.Values, s.Truncated = append(s.Values, .5), append(s.Truncated, .25)
	all, err := PhaseType(t.Context(), s, Options{MaxPhases: 1})
	if err != nil {
		t.Fatal(err)
	}
	if ks := all[0].KS; ks > .07 {
		t.Errorf("KS %g with a time before the others, want at most the critical value .068", ks)
	}
}
