package models_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

func responseOf(t *testing.T, s *models.System) *models.Response {
	t.Helper()
	began := time.Now()
	r, err := (&models.DEP{System: s}).ResponseTime(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d states, error %.1g, %v", r.States(), r.Off(), time.Since(began))
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

// quantileBounds returns a lower and an upper bound on the p-quantile of a response time.
func quantileBounds(t *testing.T, r *models.Response, p float64) (low, high float64) {
	t.Helper()
	low, err := r.Quantile(t.Context(), 1-p, false)
	if err == nil {
		high, err = r.Quantile(t.Context(), 1-p, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	return low, high
}

// transformTol is the error that the transform may claim of a probability; it is held to what it claims.
const transformTol = 1e-6

func TestResponseTimeOfMM1(t *testing.T) {
	for _, load := range []float64{0.5, 0.9} {
		r := responseOf(t, machine(1, poisson(load), must(phasetype.Exponential(1)), linear))
		for _, p := range []float64{0.5, 0.95, 0.99} {
			low, high := quantileBounds(t, r, p)
			boundedBy(t, "quantile", low, high, -math.Log(1-p)/(1-load))
		}
		for _, x := range []float64{0.2, 1, 10} {
			low, high := r.At(x / (1 - load))
			boundedBy(t, "survival", low, high, math.Exp(-x))
		}
		if r.Off() > transformTol {
			t.Errorf("load %v: error %.1g", load, r.Off())
		}
	}
}

// Jobs that are served at one speed whatever the division respond as under static partitioning, whose percentiles come
// from a matrix-exponential distribution.
func TestResponseTimeWhenSpeedIsConstant(t *testing.T) {
	b := must(phasetype.BalancedHyperexponential(1, 3))
	s := machine(3, must(phasetype.Renewal(must(phasetype.Erlang(2, 0.6)))), b, func(float64) float64 { return 1 })
	_, response, err := (&models.SP{System: s, Partitions: 3}).Delays(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	r := responseOf(t, s)
	for _, p := range []float64{0.5, 0.9, 0.99} {
		low, high := quantileBounds(t, r, p)
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
	names := []string{"03_n2_allexp", "09_n4_mixed_null"}
	if needs.IsStudy() {
		names = append(names, "05_n3_map_atom", "06_n3_phi", "13_W1_SP2_Aexp_Bcv_U30")
	}
	for _, name := range names {
		s := refs[name].system(t)
		got, err := responseOf(t, s).Mean(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := dynamic(t, s).MeanResponseTime
		near(t, name+": mean of response times", got, want, 1e-6) // of a job that stays long, more than 1e-8 of the mean is left out
	}
}

func TestResponseTimeTooLarge(t *testing.T) {
	s := must(machine(8, poisson(1), must(phasetype.BalancedHyperexponential(1, 3)), linear).WithLoad(0.99))
	if _, err := (&models.DEP{System: s}).ResponseTime(t.Context(), "", markov.NewMemory(1<<20)); !errors.Is(err, markov.ErrTooLarge) {
		t.Errorf("a chain of more than a mebibyte: %v", err)
	}
}

// TestMemoryOfAJobInService: the memory for all states of a job in service is checked. The machine has four times as many
// states as the tagged job begins in. The last chain that is tried has about twice as many states as the chain that is kept.
func TestMemoryOfAJobInService(t *testing.T) {
	s := must(machine(3, poisson(1), must(phasetype.Erlang(4, 4)), linear).WithLoad(0.9))
	overhead := must(phasetype.Exponential(3))
	s.Shrink, s.Expand = []phasetype.Dist{overhead, overhead, overhead}, []phasetype.Dist{overhead, overhead}
	r := must((&models.DEP{System: s}).ResponseTime(t.Context(), "", nil))
	memory := markov.NewMemory(int64(models.TaggedBytes * r.States()))
	if _, err := (&models.DEP{System: s}).ResponseTime(t.Context(), "", memory); !errors.Is(err, markov.ErrTooLarge) {
		t.Errorf("the memory for %d states: %v", r.States(), err)
	}
}

// The transform and the chain followed step by step agree to what each claims, for systems with everything in them.
func TestTransformAgainstSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	refs := references(t)
	names := []string{"03_n2_allexp", "13_W1_SP2_Aexp_Bcv_U30"}
	if needs.IsStudy() {
		names = append(names, "05_n3_map_atom", "06_n3_phi", "09_n4_mixed_null")
	}
	for _, name := range names {
		s := refs[name].system(t)
		steps, err := (&models.DEP{System: s}).Steps(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		r := responseOf(t, s)
		mean := dynamic(t, s).MeanResponseTime
		for _, x := range []float64{0.1, 0.5, 1, 3} {
			low, high := steps.Survival(x * mean)
			least, most := r.At(x * mean)
			if least > high || most < low {
				t.Errorf("%s: P(T > %g means) in [%.10g, %.10g] by steps, [%.10g, %.10g] by transform", name, x, low, high, least, most)
			}
		}
		if r.Off() > transformTol {
			t.Errorf("%s: error %.1g", name, r.Off())
		}
	}
}

// TestResponseTimeUnderACap: with at most two jobs on four nodes, repartitions into two shares count, and repartitions
// into four shares never happen. Many jobs arrive during a long repartition into two shares.
func TestResponseTimeUnderACap(t *testing.T) {
	s := machine(4, poisson(0.2), must(phasetype.Exponential(1)), linear)
	long := must(phasetype.Exponential(0.1))
	s.Shrink = []phasetype.Dist{long, long, {}, {}}
	capped := &models.DEP{System: s, Cap: 2}
	r := must(capped.ResponseTime(t.Context(), "", nil))
	steps := must(capped.Steps(t.Context(), ""))
	for _, x := range []float64{5, 20, 60, 120} {
		low, high := steps.Survival(x)
		least, most := r.At(x)
		if least > high || most < low {
			t.Errorf("P(T > %g) in [%.10g, %.10g] by steps, [%.10g, %.10g] by transform", x, low, high, least, most)
		}
	}
}

// TestRestOfChanges: the changes of a limit whose error is .9^B, from B to 2B, sum to no more than the bound.
func TestRestOfChanges(t *testing.T) {
	off := func(b float64) float64 { return math.Pow(.9, b) }
	change := func(b float64) float64 { return off(b/2) - off(b) }
	for _, b := range []float64{64, 128, 256} {
		got := models.RestOfChanges(change(b), change(b/2), change(b/2)/change(b/4))
		if !(got >= off(b)) || got > 2*off(b/2) {
			t.Errorf("B = %v: rest %.3g, the error is %.3g", b, got, off(b))
		}
	}
	if got := models.RestOfChanges(1e-8, 1.5e-8, 1); !math.IsInf(got, 1) {
		t.Errorf("a slow decay: %v", got)
	}
	if got := models.RestOfChanges(1e-9, 1e-8, 0.01); !math.IsInf(got, 1) {
		t.Errorf("a ratio that grows: %v", got)
	}
}
