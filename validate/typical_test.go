package validate

import (
	"testing"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/machine"
)

// TestTypicalStretch: of a machine that is idle first, busy then and full at last the stretch in the middle is shown.
// In the mean there are 15.3 job-times in 11, 1.39 jobs; from 3 to 5 there are 1.5 and from 5 to 7 two.
func TestTypicalStretch(t *testing.T) {
	var records []machine.Record
	for i, stay := range []float64{0.1, 0.1, 0.1, 2, 2, 2, 2, 2, 2, 5, 5, 5} {
		records = append(records, machine.Record{Job: workload.Job{Submit: float64(i)}, Number: i, End: float64(i) + stay})
	}
	if from, to := typical(records, 4); from != 3 || to != 7 {
		t.Errorf("the typical stretch of four arrivals is %v to %v, want 3 to 7", from, to)
	}
	if from, to := typical(records[:3], 4); from != 0 || to != 2 {
		t.Errorf("the stretch of all three arrivals is %v to %v, want 0 to 2", from, to)
	}
	if from, to := typical(nil, 4); from != 0 || to != 0 {
		t.Errorf("the stretch of no arrivals is %v to %v", from, to)
	}
}
