package models_test

import (
	"math"
	"testing"
	"time"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/phasetype"
)

// transformOf returns the distribution by its transform: no work is allowed for following a job step by step.
func transformOf(t *testing.T, s *models.System) *models.Response {
	t.Helper()
	began := time.Now()
	r, err := (&models.DEP{System: s}).ResponseTime(t.Context(), models.TaggedSettings{Work: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d states up to %d jobs, error %.1g, %v", r.States, r.Jobs, r.Lost(), time.Since(began))
	return r
}

// transformTol is the error that the transform may claim of a probability; it is held to what it claims.
const transformTol = 1e-6

func TestTransformOfMM1(t *testing.T) {
	for _, load := range []float64{0.5, 0.9} {
		r := transformOf(t, machine(1, poisson(load), must(phasetype.Exponential(1)), linear))
		for _, p := range []float64{0.5, 0.95, 0.99} {
			low, high := r.Quantile(p)
			boundedBy(t, "quantile", low, high, -math.Log(1-p)/(1-load))
		}
		for _, x := range []float64{0.2, 1, 10} {
			low, high := r.Survival(x / (1 - load))
			boundedBy(t, "survival", low, high, math.Exp(-x))
		}
		if r.Lost() > transformTol {
			t.Errorf("load %v: error %.1g", load, r.Lost())
		}
	}
}

// The transform and the chain followed step by step agree to what each claims, for systems with everything in them.
func TestTransformAgainstSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	refs := references(t)
	for _, name := range []string{"03_n2_allexp", "13_W1_SP2_Aexp_Bcv_U30"} {
		s := refs[name].system(t)
		steps, r := responseOf(t, s), transformOf(t, s)
		mean := r.Mean()
		for _, x := range []float64{0.1, 0.5, 1, 3} {
			low, high := steps.Survival(x * mean)
			least, most := r.Survival(x * mean)
			if least > high || most < low {
				t.Errorf("%s: P(T > %g means) in [%.10g, %.10g] by steps, [%.10g, %.10g] by transform", name, x, low, high, least, most)
			}
		}
		if r.Lost() > transformTol {
			t.Errorf("%s: error %.1g", name, r.Lost())
		}
	}
}
