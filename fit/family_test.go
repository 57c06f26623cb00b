package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/stat"
)

// erlangs are Erlang distributions of any order, fitted by their mean, which is the maximum of the likelihood.
func erlangs(most int) Entry {
	return Entry{
		Name: "erlang", MinPhases: 1, MaxPhases: most, Parameters: func(phasetype.Dist) int { return 1 },
		Fit: func(_ context.Context, s Sample, phases int) (phasetype.Dist, bool, error) {
			d, err := phasetype.Erlang(phases, stat.Mean(s.Values, s.Weights))
			return d, true, err
		},
	}
}

// twoMoments has the mean and the variance of the data, with as many phases as they need.
func twoMoments() Entry {
	return Entry{
		Name: "two-moment", Parameters: func(phasetype.Dist) int { return 2 },
		Fit: func(_ context.Context, s Sample, most int) (phasetype.Dist, bool, error) {
			mean, variance := stat.PopMeanVariance(s.Values, s.Weights)
			d, err := phasetype.TwoMoments(mean, max(variance/(mean*mean), 1/float64(most)))
			return d, true, err
		},
	}
}

// erlangSample are quantiles of an Erlang distribution of three phases.
func erlangSample(n int) Sample {
	law := phasetype.NewLaw(phasetype.Must(phasetype.Erlang(3, 6)))
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = law.Quantile((float64(i) + .5) / float64(n))
	}
	return Sample{Values: xs}
}

// TestOwnFamilies: candidates of the caller's families have the scores of [Score] with their number of parameters, the
// goodness and the queues of the distribution itself, and their place in the ranking. Erlang data need one parameter.
func TestOwnFamilies(t *testing.T) {
	s := erlangSample(500)
	for _, by := range []Criterion{BIC, AIC} {
		o := Options{Families: []Family{CF1, Hyperexponential}, Own: []Entry{erlangs(MaxPhases), twoMoments()}, MaxPhases: 4, Criterion: by}
		all, err := PhaseType(t.Context(), s, o)
		if err != nil {
			t.Fatal(err)
		}
		count := map[Family]int{}
		for _, c := range all {
			count[c.Family]++
		}
		if count["erlang"] != 4 || count["two-moment"] != 1 || count[CF1] != 4 || count[Hyperexponential] != 4 {
			t.Errorf("%s: candidates %v", by, count)
		}
		if by == BIC && (all[0].Family != "erlang" || all[0].Phases != 3) {
			t.Errorf("the best by BIC is %s with %d phases", all[0].Family, all[0].Phases)
		}
		for _, c := range all {
			if c.Family != "erlang" && c.Family != "two-moment" {
				continue
			}
			want, err := Score(t.Context(), s, c.Dist)
			if err != nil {
				t.Fatal(err)
			}
			parameters := map[Family]int{"erlang": 1, "two-moment": 2}[c.Family]
			bic := float64(parameters)*math.Log(500) - 2*want.LogLikelihood
			if c.DegreesOfFreedom != parameters || c.BIC != bic || c.KS != want.KS || !c.Converged || len(c.Warnings) > 0 {
				t.Errorf("%s with %d phases: %+v, want BIC %g", c.Family, c.Phases, c.Fitted, bic)
			}
			if c.Queue != queueOf(c.Dist) || len(c.Goodness.Moments) != 3 || len(c.Goodness.Tail) == 0 || c.Goodness.KS != c.KS {
				t.Errorf("%s with %d phases: %+v, %+v", c.Family, c.Phases, c.Queue, c.Goodness)
			}
			// The mean is that of the data, up to the roundings of 500 terms.
			if m := c.Goodness.Moments[0]; math.Abs(m.Fit/m.Data-1) > 1e-12 {
				t.Errorf("%s with %d phases: mean %g, that of the data %g", c.Family, c.Phases, m.Fit, m.Data)
			}
		}
	}
}

// TestOwnFamiliesLikeThoseOfThePackage: exponential distributions by the mean are canonical form 1 with one phase, whether the
// order is fixed or left to the family. A family that is named twice is fitted once.
func TestOwnFamiliesLikeThoseOfThePackage(t *testing.T) {
	fixed, chosen := erlangs(1), erlangs(1)
	byMean := fixed.Fit
	chosen.Name, chosen.MinPhases, chosen.MaxPhases = "chosen", 0, 0
	chosen.Fit = func(ctx context.Context, s Sample, _ int) (phasetype.Dist, bool, error) { return byMean(ctx, s, 1) }
	o := Options{Families: []Family{CF1, CF1}, Own: []Entry{fixed, chosen}, MaxPhases: 2}
	all, err := PhaseType(t.Context(), erlangSample(200), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 4 {
		t.Errorf("%d candidates, expected 2 of cf1 and one of each other family", len(all))
	}
	var values []float64
	for _, c := range all {
		if c.Phases == 1 {
			values = append(values, c.MeanLogLikelihood)
		}
	}
	for _, v := range values {
		// canonical form 1 ascends until a step gains less than 1e-10
		if math.Abs(v-values[0]) > 1e-9 || v > 0 {
			t.Errorf("mean log-likelihoods %v", values)
		}
	}
}

// TestOwnFamiliesAlone: without names of families those of the caller are fitted alone, at the orders that they have.
func TestOwnFamiliesAlone(t *testing.T) {
	s := erlangSample(50)
	for _, c := range []struct {
		most int
		o    Options
		want []int
	}{
		{MaxPhases, Options{MinPhases: 2, MaxPhases: 4}, []int{2, 3, 4}},
		{3, Options{MinPhases: 2, MaxPhases: 6}, []int{2, 3}},
		{2, Options{}, []int{1, 2}},
	} {
		c.o.Own = []Entry{erlangs(c.most)}
		all, err := PhaseType(t.Context(), s, c.o)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, a := range all {
			got = append(got, a.Phases)
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("orders %v, want %v", got, c.want)
		}
	}
}

// TestOwnFamilyRefusals: an entry that is incomplete is an error of the options, and one that fails a candidate's.
func TestOwnFamilyRefusals(t *testing.T) {
	s := erlangSample(50)
	erlang := erlangs(3)
	change := func(f func(*Entry)) []Entry {
		e := erlang
		f(&e)
		return []Entry{e}
	}
	var option *OptionError
	for name, o := range map[string]Options{
		"no name":          {Own: change(func(e *Entry) { e.Name = "" })},
		"built-in name":    {Own: change(func(e *Entry) { e.Name = CF1 })},
		"same name":        {Own: []Entry{erlang, erlang}},
		"no function":      {Own: change(func(e *Entry) { e.Fit = nil })},
		"range":            {Own: change(func(e *Entry) { e.MinPhases = 4 })},
		"too large":        {Own: change(func(e *Entry) { e.MaxPhases = MaxPhases + 1 })},
		"no common orders": {Own: []Entry{erlang}, MinPhases: 4, MaxPhases: 5},
	} {
		if _, err := PhaseType(t.Context(), s, o); !errors.As(err, &option) {
			t.Errorf("%s: %v", name, err)
		}
	}
	failure := errors.New("fails")
	atom := phasetype.Must(phasetype.New([]float64{0.5}, phasetype.Must(phasetype.Exponential(1)).T()))
	for name, d := range map[string]phasetype.Dist{
		"none": {}, "other order": phasetype.Must(phasetype.Erlang(2, 1)), "atom": atom, "failure": phasetype.Must(phasetype.Exponential(1)),
	} {
		fit := func(context.Context, Sample, int) (phasetype.Dist, bool, error) {
			if name == "failure" {
				return d, false, failure
			}
			return d, true, nil
		}
		_, err := PhaseType(t.Context(), s, Options{Own: change(func(e *Entry) { e.Fit = fit })})
		var candidate *CandidateError
		if !errors.As(err, &candidate) || candidate.Family != "erlang" || name == "failure" && !errors.Is(err, failure) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := PhaseType(ctx, s, Options{Own: change(func(e *Entry) {
		e.Fit = func(context.Context, Sample, int) (phasetype.Dist, bool, error) {
			cancel()
			return phasetype.Dist{}, false, errors.New("interrupted")
		}
	})})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// TestOwnFamilyWithoutConvergence: the candidate says so.
func TestOwnFamilyWithoutConvergence(t *testing.T) {
	e := erlangs(1)
	byMean := e.Fit
	e.Fit = func(ctx context.Context, s Sample, phases int) (phasetype.Dist, bool, error) {
		d, _, err := byMean(ctx, s, phases)
		return d, false, err
	}
	all, err := PhaseType(t.Context(), erlangSample(50), Options{Own: []Entry{e}})
	if err != nil {
		t.Fatal(err)
	}
	if w := all[0].Warnings; all[0].Converged || len(w) != 1 || !errors.Is(w[0], ErrNoConvergence) ||
		fmt.Sprint(w[0]) != "fit: erlang with 1 phase: did not converge" {
		t.Errorf("%v, warnings %v", all[0].Converged, w)
	}
}

// TestSummaryOfOwnFamily: the orders that were tried are those of all families where the best one has fewer.
func TestSummaryOfOwnFamily(t *testing.T) {
	s := erlangSample(500)
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Families: []Family{CF1}, Own: []Entry{twoMoments()}, MaxPhases: 3},
			"two-moment with 3 phases is the best by BIC of candidates with 1 to 3 phases;"},
		{Options{Families: []Family{CF1}, Own: []Entry{erlangs(3)}, MaxPhases: 4},
			"erlang with 3 phases is the best by BIC of candidates with 1 to 4 phases;"},
		{Options{Own: []Entry{erlangs(3)}, MaxPhases: 4}, "3 phases are the best by BIC, and no more were tried"},
		{Options{Own: []Entry{erlangs(4)}, MaxPhases: 4}, "3 phases are enough"},
		// the extremes are missing among 500 quantiles, so that their variance is below that of three phases
		{Options{Own: []Entry{twoMoments()}}, "Only 4 phases were tried"},
	} {
		all, err := PhaseType(t.Context(), s, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(Summary(all, BIC), " "); !strings.HasPrefix(got, c.want) {
			t.Errorf("got %q, want %q before all else", got, c.want)
		}
	}
}

// TestFamilyThatDoesNotApply: its candidates are left out, the others say so, and without others that is the error.
func TestFamilyThatDoesNotApply(t *testing.T) {
	s := erlangSample(50)
	erlang := erlangs(3)
	picky, never := erlang, erlang
	picky.Name = "picky"
	picky.Fit = func(ctx context.Context, s Sample, phases int) (phasetype.Dist, bool, error) {
		if phases == 2 {
			return phasetype.Dist{}, false, fmt.Errorf("%w: two phases are too few", ErrNotApplicable)
		}
		return erlang.Fit(ctx, s, phases)
	}
	never.Name = "never"
	never.MinPhases, never.MaxPhases = 0, 0
	never.Fit = func(context.Context, Sample, int) (phasetype.Dist, bool, error) {
		return phasetype.Dist{}, false, ErrNotApplicable
	}
	degenerate := erlang // as a Coxian distribution whose second phase no job enters
	degenerate.Name = "degenerate"
	degenerate.Fit = func(ctx context.Context, s Sample, _ int) (phasetype.Dist, bool, error) { return erlang.Fit(ctx, s, 1) }
	for _, by := range []Criterion{BIC, AIC} {
		all, err := PhaseType(t.Context(), s, Options{Families: []Family{CF1}, Own: []Entry{picky, never, degenerate}, MaxPhases: 3, Criterion: by})
		if err != nil {
			t.Fatal(err)
		}
		count := map[Family]int{}
		for _, c := range all {
			count[c.Family]++
			if got := fmt.Sprint(c.Warnings); !errors.Is(errors.Join(c.Warnings...), ErrNotApplicable) || got != "[fit: picky with 2 phases: "+
				"the family does not apply to the data: two phases are too few fit: never with 3 phases: the family does not apply to the data "+
				"fit: degenerate with 2 phases: the distribution of Fit has 1 phase: the family does not apply to the data "+
				"fit: degenerate with 3 phases: the distribution of Fit has 1 phase: the family does not apply to the data]" {
				t.Errorf("%s: warnings of %s: %s", by, c.Family, got)
			}
		}
		if count[CF1] != 3 || count["picky"] != 2 || count["degenerate"] != 1 || len(all) != 6 {
			t.Errorf("%s: candidates %v", by, count)
		}
		var candidate *CandidateError
		_, err = PhaseType(t.Context(), s, Options{Own: []Entry{never}, MaxPhases: 3, Criterion: by})
		if !errors.As(err, &candidate) || candidate.Family != "never" || !errors.Is(err, ErrNotApplicable) {
			t.Errorf("%s: %v", by, err)
		}
	}
}
