package machine_test

import (
	"context"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/machine"
)

// Estimates: where the machine kills it does so at what the user asked for, or at the estimate itself; where it does
// not, no job outlives what policies plan with.
func TestEstimates(t *testing.T) {
	jobs := []workload.Job{{ID: 1, Nodes: 1, Work: 100, Run: 100, Requested: 60}, {ID: 2, Nodes: 1, Requested: 60}}
	for _, c := range []struct {
		estimates      string
		kill           bool
		end, planned   float64 // of the first
		plannedNothing float64 // of the second, which takes no time
	}{
		{"logged", false, 100, 100, 60},
		{"logged", true, 60, 100, 1},
		{"times:2", false, 100, 120, 120},
		{"times:2", true, 60, 120, 1},
		{"actual", true, 100, 100, 1},
		{"actual", false, 100, 100, 1},
	} {
		e, err := workload.ParseEstimator(c.estimates)
		if err != nil {
			t.Fatal(err)
		}
		var got []machine.Record
		config := machine.Config{Nodes: 2, Jobs: machine.List(jobs), Policy: policy.FCFS{}, KillAtEstimate: c.kill,
			Estimates: &machine.Estimates{New: e, Key: des.Seed(1)},
			Done:      func(r *machine.Record) { got = append(got, *r) }}
		if _, err := machine.Run(context.Background(), config, des.Seed(1)); err != nil {
			t.Fatal(err)
		}
		second, first := got[0], got[1]
		if first.End != c.end || first.Estimate != c.planned || first.Killed != (c.end < 100) ||
			second.Estimate != c.plannedNothing {
			t.Errorf("%s, kill %v: %+v", c.estimates, c.kill, got)
		}
	}
}
