package models_test

import (
	"cmp"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/phasetype"
)

func responseOf(t *testing.T, s *models.System) *models.Response {
	t.Helper()
	r, err := (&models.DEP{System: s}).ResponseTime(t.Context(), models.TaggedSettings{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// boundedBy checks want against bounds that differ by what was lost beyond the last level; the bounds themselves carry
// roundings of some thousand steps.
func boundedBy(t *testing.T, what string, low, high, want float64) {
	t.Helper()
	const rounding = 1e-9
	if !(low <= want*(1+rounding) && want <= high*(1+rounding)) {
		t.Errorf("%s: %.10g is not in [%.10g, %.10g]", what, want, low, high)
	}
}

func TestResponseTimeOfMM1(t *testing.T) {
	r := responseOf(t, machine(1, poisson(0.5), must(phasetype.Exponential(1)), linear))
	for _, p := range []float64{0.5, 0.95, 0.99} {
		low, high := r.Quantile(p)
		boundedBy(t, "quantile", low, high, -math.Log(1-p)/0.5)
	}
	for _, x := range []float64{0, 1, 10} {
		low, high := r.Survival(x)
		boundedBy(t, "survival", low, high, math.Exp(-0.5*x))
	}
}

// Jobs that are served at one speed whatever the division respond as under static partitioning, whose percentiles come
// from a matrix-exponential distribution.
func TestResponseTimeWhenSpeedIsConstant(t *testing.T) {
	b := must(phasetype.BalancedHyperexponential(1, 3))
	s := machine(3, must(phasetype.Renewal(must(phasetype.Erlang(2, 0.6)))), b, func(float64) float64 { return 1 })
	m := static(t, s, 3)
	_, response, err := m.Delays(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	r := responseOf(t, s)
	for _, p := range []float64{0.5, 0.9, 0.99} {
		low, high := r.Quantile(p)
		want, err := response.Quantile(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		boundedBy(t, "quantile", low, high, want)
	}
}

// Little's law holds the mean of the followed job to the mean number of jobs, for systems with everything in them: MAP
// arrivals, atoms, redrawn phases, repartitions of both kinds.
func TestResponseTimeObeysLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	refs := references(t)
	names := []string{"03_n2_allexp", "05_n3_map_atom", "06_n3_phi", "09_n4_mixed_null"}
	if *long {
		names = append(names, "13_W1_SP2_Aexp_Bcv_U30")
	}
	for _, name := range names {
		began := time.Now()
		s := refs[name].system(t)
		r := responseOf(t, s)
		want := dynamic(t, s).MeanResponseTime
		// what is missing: the lost, who stay a few means, and the tail beyond the last step
		missing := 20 * r.Lost()
		if got := r.Mean(); got > want*(1+1e-9) || got < want*(1-missing) {
			t.Errorf("%s: mean %.10g, Little says %.10g", name, got, want)
		}
		t.Logf("%s: %d states up to %d jobs, lost %.1g, %v", name, r.States, r.Jobs, r.Lost(), time.Since(began))
	}
}

func TestResponseTimeTooLarge(t *testing.T) {
	s := must(machine(8, poisson(1), must(phasetype.BalancedHyperexponential(1, 3)), linear).WithLoad(0.99))
	st := models.TaggedSettings{Memory: markov.NewMemory(1 << 20)}
	if _, err := (&models.DEP{System: s}).ResponseTime(t.Context(), st); !errors.Is(err, markov.ErrTooLarge) {
		t.Errorf("a chain of more than a mebibyte: %v", err)
	}
}

// Whatever error of probabilities is accepted is the most that the result claims, and the truth is within it: by steps and
// by the transform, whose error nothing makes smaller than some 1e-9.
func TestResponseTimesAreAsAccurateAsAsked(t *testing.T) {
	d := &models.DEP{System: machine(1, poisson(0.5), must(phasetype.Exponential(1)), linear)}
	for _, lost := range []float64{1e-3, 0, 1e-8, 1e-10, 1e-12} {
		r, err := d.ResponseTime(t.Context(), models.TaggedSettings{Lost: lost})
		if err != nil {
			t.Errorf("error %g: %v", lost, err)
			continue
		}
		if asked := cmp.Or(lost, 1e-6); r.Lost() > asked {
			t.Errorf("an error of %g was accepted, the result claims %g", asked, r.Lost())
		}
		for _, x := range []float64{0.5, 5, 30} {
			low, high := r.Survival(x)
			boundedBy(t, "survival", low, high, math.Exp(-0.5*x))
		}
	}
	for _, lost := range []float64{1e-7, 1e-12} {
		r, err := d.ResponseTime(t.Context(), models.TaggedSettings{Lost: lost, Work: 1})
		if (lost > 1e-9) == errors.Is(err, markov.ErrInaccurate) || err == nil && r.Lost() > lost {
			t.Errorf("the transform with an error of %g: %v", lost, err)
		}
	}
	for _, lost := range []float64{-1, math.NaN(), 1} {
		if _, err := d.ResponseTime(t.Context(), models.TaggedSettings{Lost: lost}); err == nil {
			t.Errorf("an error of %v is accepted", lost)
		}
	}
}
