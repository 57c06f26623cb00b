package epochs_test

import (
	"testing"

	"github.com/partwise/partwise/validate/lab/internal/epochs"
	"github.com/partwise/partwise/validate/metric"
)

// An experiment takes all combinations of what it varies, and nothing that makes no difference to it.
func TestPointsOfExperiments(t *testing.T) {
	both := []epochs.Application{epochs.Static, epochs.Dynamic}
	for e, want := range map[epochs.Experiment]int{epochs.OverheadExperiment: 2, epochs.ResponseExperiment: 4, epochs.OpenExperiment: 12} {
		all, err := e.Points(128, both, []float64{1}, []int{8, 16}, []float64{0.3, 0.5, 0.7})
		if err != nil || len(all) != want {
			t.Errorf("%s: %d points, %v; want %d", e, len(all), err, want)
		}
	}
	if _, err := epochs.OverheadExperiment.Points(8, both, []float64{1}, []int{100}, nil); err == nil {
		t.Error("100 jobs need a node each of 8")
	}
}

func TestPrincipalMeasure(t *testing.T) {
	result := func(series string, k int, overhead float64) epochs.Result {
		return epochs.Result{Choice: epochs.Choice{Series: series, K: k}, Values: map[string]metric.Interval{
			epochs.NormalizedOverhead: {Mean: overhead}, epochs.RelativeResponse: {Mean: 2 * overhead}}}
	}
	results := []epochs.Result{result("equi", -1, 1), result("opt", 0, 3), result("opt", 4, 5)}
	for _, c := range []struct {
		e      epochs.Experiment
		series string
		k      int
		want   float64
		ok     bool
	}{{epochs.OverheadExperiment, "equi", 4, 1, true}, {epochs.OverheadExperiment, "opt", 4, 5, true}, {epochs.ResponseExperiment, "opt", 0, 6, true},
		{epochs.OpenExperiment, "opt", 2, 0, false}, {epochs.OpenExperiment, "buddy", 0, 0, false}} {
		if v, ok := c.e.Principal(results, c.series, c.k); v.Mean != c.want || ok != c.ok {
			t.Errorf("%s, %s with K=%d: %v, %v", c.e, c.series, c.k, v.Mean, ok)
		}
	}
	grows, steady := epochs.Result{Growth: 2.9}, epochs.Result{Growth: 1.1}
	if !grows.FallsBehind() || steady.FallsBehind() {
		t.Error("a policy falls behind if its jobs become more and more")
	}
}
