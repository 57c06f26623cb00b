package fit_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/phasetype"
)

// Refit finds, from the fit to one sample, the maximum that all starts find for another of the same distribution.
func TestRefit(t *testing.T) {
	first, second := mixed(0), mixed(1)
	from, err := fit.PhaseType(t.Context(), fit.Sample{Values: first}, fit.Options{MinPhases: 3, MaxPhases: 3})
	if err != nil {
		t.Fatal(err)
	}
	want, err := fit.PhaseType(t.Context(), fit.Sample{Values: second}, fit.Options{MinPhases: 3, MaxPhases: 3})
	if err != nil {
		t.Fatal(err)
	}
	got, converged, err := fit.Refit(t.Context(), fit.Sample{Values: second}, from[0].Dist, fit.Options{})
	if err != nil || !converged {
		t.Fatalf("converged %v: %v", converged, err)
	}
	law, mean := phasetype.NewLaw(got), 0.
	for _, x := range second {
		mean += law.LogProb(x) / float64(len(second))
	}
	if off := mean - want[0].MeanLogLikelihood; math.Abs(off) > 1e-6 { // a likelihood to 1e-6 a value
		t.Errorf("mean log-likelihood %v, by all starts %v", mean, want[0].MeanLogLikelihood)
	}
	if m := want[0].Dist.Mean(); math.Abs(got.Mean()/m-1) > 1e-4 {
		t.Errorf("mean %v, by all starts %v", got.Mean(), m)
	}
	if _, _, err := fit.Refit(t.Context(), fit.Sample{}, from[0].Dist, fit.Options{}); err == nil {
		t.Error("an empty sample is accepted")
	}
	if _, _, err := fit.Refit(t.Context(), fit.Sample{Values: second}, phasetype.Dist{}, fit.Options{}); err == nil {
		t.Error("a distribution without phases is accepted")
	}
}

// mixed returns quantiles of a mixture of two exponentials, shifted by a fraction of their distance for each k.
func mixed(k int) []float64 {
	var all []float64
	for i := range 400 {
		u := (float64(i) + 0.3 + 0.2*float64(k)) / 400
		all = append(all, -math.Log(1-u)*math.Pow(10, float64((i*7)%3)))
	}
	return all
}
