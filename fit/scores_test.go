package fit

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/stat/distuv"
)

// bare hides all methods of a distribution but those that Score asks for.
type bare struct{ Distribution }

// TestScoreOfCandidates: Score returns the scores of a candidate for its distribution, and by its log-density and
// survival function alone nearly the same.
func TestScoreOfCandidates(t *testing.T) {
	samples := kinds()
	xs := recipe("weib07", 200)
	incomplete := Sample{Values: xs, Upper: make([]float64, len(xs)), Truncated: make([]float64, len(xs))}
	for i, x := range xs {
		incomplete.Upper[i] = x * (1 + float64(i%3)/2)
		incomplete.Truncated[i] = x / 3 * float64(i%2)
	}
	samples["incomplete"] = incomplete
	for name, s := range samples {
		c := best(t, s, Options{MinPhases: 3, MaxPhases: 3})[3]
		got, err := Score(t.Context(), s, c.Dist)
		if err != nil || got != c.Scores {
			t.Errorf("%s: %+v (%v), the candidate has %+v", name, got, err, c.Scores)
		}
		law := phasetype.NewLaw(c.Dist)
		for d, parameters := range map[Distribution]int{law: c.DegreesOfFreedom, bare{law}: 0} {
			direct, err := Score(t.Context(), s, d)
			// The grid for scoring interpolates with an error of 1e-12; differences of survival functions near 1 lose four
			// digits. KS is read from a cubic through 64 points per octave.
			if math.Abs(direct.MeanLogLikelihood-got.MeanLogLikelihood) > 1e-10 || math.Abs(direct.KS-got.KS) > 1e-6 ||
				err != nil {
				t.Errorf("%s: %+v (%v), the candidate has %+v", name, direct, err, got)
			}
			if direct.DegreesOfFreedom != parameters || direct.AIC != 2*float64(parameters)-2*direct.LogLikelihood {
				t.Errorf("%s: %d free parameters, AIC %g", name, direct.DegreesOfFreedom, direct.AIC)
			}
		}
	}
}

// TestScoreOfOthers compares with closed forms: the exponential distribution at its maximum, which is a candidate, and
// a Weibull distribution at the quantiles of its own.
func TestScoreOfOthers(t *testing.T) {
	s := Sample{Values: recipe("weib07", 1000)}
	one := best(t, s, Options{MaxPhases: 1})[1]
	mean := one.Dist.Mean()
	exponential, err := Score(t.Context(), s, distuv.Exponential{Rate: 1 / mean})
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]float64{
		{exponential.LogLikelihood, one.LogLikelihood}, {exponential.BIC, one.BIC}, {exponential.AIC, one.AIC},
		{exponential.KS, one.KS},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-6 { // KS is the coarsest, as above
			t.Errorf("exponential: %+v, the candidate has %+v", exponential, one.Scores)
		}
	}
	weibull, err := Score(t.Context(), s, distuv.Weibull{K: 0.7, Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	if weibull.DegreesOfFreedom != 2 || math.Abs(weibull.KS-0.5e-3) > 1e-9 || weibull.BIC >= one.BIC {
		t.Errorf("Weibull: %+v", weibull)
	}
	atom := phasetype.Must(phasetype.Mixture([]float64{1, 1}, []phasetype.Dist{{}, one.Dist}))
	// Half of the density, and a free parameter for the atom.
	if got, err := Score(t.Context(), s, atom); err != nil ||
		math.Abs(got.MeanLogLikelihood-(one.MeanLogLikelihood-math.Ln2)) > 1e-12 || got.DegreesOfFreedom != 2 {
		t.Errorf("with an atom: %+v, %v", got, err)
	}
}

// unusable returns what is no log-density.
type unusable struct{ value float64 }

func (u unusable) LogProb(float64) float64  { return u.value }
func (u unusable) Survival(float64) float64 { return u.value }

// TestWrongArguments: nil, zero and wrong arguments of all exported functions are errors of a type that says so, or do
// nothing, and the prefix of a message occurs once.
func TestWrongArguments(t *testing.T) {
	var none context.Context
	some := Sample{Values: []float64{1, 2, 3}}
	inf := math.Inf(1)
	one := phasetype.Must(phasetype.Exponential(1))
	err := func(_ any, err error) error { return err }
	var sample *SampleError
	var option *OptionError
	for _, c := range []struct {
		name string
		err  error
		as   any
	}{
		{"phase-type without context", err(PhaseType(none, some, Options{})), &option},
		{"arrivals without context", err(Arrivals(none, some, Options{})), &option},
		{"score without context", err(Score(none, some, one)), &option},
		{"compare without context", err(Compare(none, some, one, 0)), &option},
		{"phase-type of nothing", err(PhaseType(t.Context(), Sample{}, Options{})), &sample},
		{"arrivals of nothing", err(Arrivals(t.Context(), Sample{}, Options{})), &sample},
		{"score of nothing", err(Score(t.Context(), Sample{}, one)), &sample},
		{"compare of nothing", err(Compare(t.Context(), Sample{}, one, 0)), &sample},
		{"score of no distribution", err(Score(t.Context(), some, nil)), &option},
		{"score of no density", err(Score(t.Context(), some, unusable{math.NaN()})), &option},
		{"score of infinite density", err(Score(t.Context(), some, unusable{inf})), &option},
		{"map as a family", err(PhaseType(t.Context(), some, Options{Families: []Family{MAP}})), &option},
		{"bad value", new(Sketch).Add(-1, 1, false), &sample},
		{"bad weight", new(Sketch).Add(1, inf, false), &sample},
		{"value for a nil sketch", (*Sketch)(nil).Add(1, 1, false), &sample},
		{"phase-type of a nil sketch", err(PhaseType(t.Context(), (*Sketch)(nil).Sample(), Options{})), &sample},
	} {
		if c.err == nil || !errors.As(c.err, c.as) {
			t.Errorf("%s: %v", c.name, c.err)
			continue
		}
		if text := c.err.Error(); !strings.HasPrefix(text, "fit: ") || strings.Count(text, "fit: ") != 1 {
			t.Errorf("%s: %q", c.name, text)
		}
	}
	if _, err := Score(t.Context(), some, unusable{math.Inf(-1)}); !errors.Is(err, ErrImpossible) {
		t.Errorf("impossible: %v", err)
	}
	if _, err := Score(t.Context(), some, phasetype.Dist{}); !errors.Is(err, ErrImpossible) {
		t.Errorf("zero: %v", err)
	}
	truncated := Sample{Values: []float64{1, 2}, Truncated: []float64{0.5, 0.5}}
	for _, s := range []Sample{some, truncated} {
		if _, err := Compare(t.Context(), s, phasetype.Dist{}, 0); err != nil {
			t.Errorf("compare with zero: %v", err)
		}
	}
	if got := Summary(nil, BIC); got != nil {
		t.Errorf("summary of nothing: %q", got)
	}
	if got := Summary([]Candidate{{}}, ""); len(got) == 0 {
		t.Error("no summary of a zero candidate")
	}
}
