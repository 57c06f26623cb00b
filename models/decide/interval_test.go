package decide_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
)

// interval returns the interval of the mean response time of a queue M/M/1 whose mean response time is value, from samples
// with the given mean response times; those of samples that are unstable are infinite.
func interval(t *testing.T, value float64, samples []float64, confidence float64) decide.BootstrapMeasure {
	t.Helper()
	queue := func(response float64) *models.System {
		const lambda = 0.5
		if math.IsInf(response, 1) {
			return exponentials(t, lambda, 2/lambda)
		}
		return exponentials(t, lambda, response/(1+lambda*response))
	}
	solved, err := decide.Solve(t.Context(), queue(value), []policy.Policy{policy.Static{Partitions: 1}}, markov.Settings{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := decide.Bootstrap(t.Context(), &solved, func(i int) (*models.System, error) { return queue(samples[i]), nil },
		decide.BootstrapOptions{Samples: len(samples), Confidence: confidence})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Policies[0].Measures {
		if m.Name == measure.MeanResponseTime {
			return m
		}
	}
	t.Fatal("there is no mean response time")
	return decide.BootstrapMeasure{}
}

// Between values quantiles are interpolated; towards samples that are unstable they are infinite, and never NaN. Half of the
// samples are below the value, so that the interval is not corrected.
func TestQuantiles(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		value, confidence float64
		samples           []float64
		low, high         float64
	}{
		{2, 0.25, []float64{3, 1, 2}, 1.5, 2.5},
		{2, 0.98, []float64{1, 2, 3}, 1, 3},
		{2, 0.2, []float64{1, 2, inf}, 1.6, inf},
		{3, 0.5, []float64{1, 2, inf, inf}, 1.25, inf},
	} {
		got := interval(t, c.value, c.samples, c.confidence)
		near := func(got, want float64) bool { return got == want || math.Abs(got-want) < 1e-9 }
		if !near(got.Low, c.low) || !near(got.High, c.high) {
			t.Errorf("%v at %v: %v to %v, want %v to %v", c.samples, c.confidence, got.Low, got.High, c.low, c.high)
		}
	}
}

// Samples that lie symmetrically about the value need no correction; where most lie below it, the interval moves up.
func TestCorrected(t *testing.T) {
	samples := make([]float64, 999)
	for i := range samples {
		samples[i] = float64(i + 1)
	}
	if i := interval(t, 500, samples, 0.95); math.Abs(i.Low-25) > 1e-6 || math.Abs(i.High-975) > 1e-6 {
		t.Errorf("%+v", i)
	}
	if i := interval(t, 600.5, samples, 0.95); !(i.Low > 60 && i.High > 990) {
		t.Errorf("%+v", i)
	}
}
