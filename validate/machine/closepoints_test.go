package machine_test

import (
	"errors"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/machine"
)

// TestPointsCloserThanRoundingEnd: scheduling points whose distance is rounded to zero are refused, in place of a run that does not end.
func TestPointsCloserThanRoundingEnd(t *testing.T) {
	for _, points := range []machine.Points{{Every: []float64{1e-22}}, {Number: 1 << 60}} {
		// One decision shrinks some jobs and lets others grow, which wait for the nodes of the shrinking jobs and pass points.
		var jobs []workload.Job
		for i := range 60 {
			asked := 1 + i%8
			jobs = append(jobs, workload.Job{ID: i + 1, Submit: 40 * float64(i), Kind: workload.Malleable, Work: float64(asked * (60 + 7*i%500)),
				Speedup: workload.Linear{}, Min: (asked + 1) / 2, Max: 2 * asked})
		}
		c := machine.Config{Nodes: 16, Policy: policy.Dynamic{}, Jobs: machine.List(jobs), Points: points}
		if _, err := machine.Run(t.Context(), c, des.Seed(1)); !errors.As(err, new(*des.TooOftenError)) {
			t.Errorf("%+v: %v, want an error of too many points", points, err)
		}
	}
}
