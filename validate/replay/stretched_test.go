package replay

import (
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
)

// Two jobs that offer a load of 0.75 come twice as far apart at half of it.
func TestStretched(t *testing.T) {
	jobs := []joblog.Job{{ID: 1, Run: 10, Processors: 1}, {ID: 2, Submit: 10, Run: 10, Processors: 2}}
	half, err := Stretched(jobs, 4, 0.375)
	if err != nil || len(half) != 2 || half[1].Submit != 20 || jobs[1].Submit != 10 {
		t.Errorf("%+v, %v", half, err)
	}
	if _, err := Stretched(jobs[:1], 4, 0.5); err == nil {
		t.Error("a single job has a load")
	}
}
