package sweep_test

import (
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/sweep"
)

// ratios are points at loads .1, .2, … with ratios; 0 is a point at which a policy is unstable.
func ratios(rs ...float64) []decide.Point {
	var points []decide.Point
	solved := []decide.Solved{{Policy: policy.Dynamic{}}}
	for i, r := range rs {
		points = append(points, decide.Point{Load: float64(i+1) / 10, Decision: decide.Decision{Results: solved, Ratio: r}})
	}
	return points
}

func TestCrossings(t *testing.T) {
	for _, c := range []struct {
		ratios []float64
		want   string
	}{
		{[]float64{0.9, 0.95, 1.05, 1.1}, "dynamic partitioning pays from load 0.3 to 0.4, of the loads that were solved"},
		{[]float64{1.1, 1.1}, "dynamic partitioning pays at all loads from 0.1 to 0.2"},
		{[]float64{0.9, 0.8}, "dynamic partitioning pays at no load from 0.1 to 0.2"},
		{[]float64{1.2, 0.8}, "dynamic partitioning pays at load 0.1, of the loads that were solved"},
		{[]float64{0.9, 1.1, 1.2, 0.9}, "dynamic partitioning pays from load 0.2 to 0.3, of the loads that were solved"},
		{[]float64{1.1, 0.9, 1.1, 1.1},
			"dynamic partitioning pays at load 0.1 and from load 0.3 to 0.4, of the loads that were solved"},
		{[]float64{0.9, 1.1, 0, 0}, "dynamic partitioning pays at load 0.2, of the loads that were solved"},
		{[]float64{1.25, 0}, "at load 0.1, the only one at which both ways are stable, the ratio is 1.250"},
		{[]float64{1.01, 0}, "at load 0.1, the only one at which both ways are stable, the ratio is 1.010, which is no practical " +
			"difference (less than 2.0 %)"},
		{[]float64{1.01, 0.99}, "there is no practical difference between dynamic and static partitioning at any load from 0.1 to 0.2"},
		{[]float64{0.9, 1.01}, "dynamic partitioning pays at load 0.2, of the loads that were solved, which is no practical " +
			"difference (less than 2.0 %)"},
		{[]float64{0, 0}, "no load at which both ways are stable"},
	} {
		if got := sweep.Crossings(ratios(c.ratios...)); got != c.want {
			t.Errorf("ratios %v: %q, want %q", c.ratios, got, c.want)
		}
	}
}

// Rigid jobs saturate where their traffic intensity is 1, whichever point is the first at which they are unstable.
func TestRigidSaturation(t *testing.T) {
	of := func(load float64) decide.Point {
		m := models.Measures{Stable: load < 0.5, TrafficIntensity: load / 0.5}
		return decide.Point{Load: load, Decision: decide.NewDecision([]decide.Solved{{Policy: policy.FCFS{}, Measures: m}})}
	}
	const want = "rigid jobs in their order (fcfs) saturate at load 0.500"
	if got := sweep.RigidSaturation([]decide.Point{of(0.3), of(0.6), of(0.9)}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := sweep.RigidSaturation([]decide.Point{of(0.3), {Load: 0.9}}); got != "" {
		t.Errorf("%q of stable rigid jobs", got)
	}
}
