package replay

import (
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
)

// The first two of three jobs offer (1·10 + 2·10)/(4·10) = 0.75 on four nodes, as long as the jobs are counted up to the last
// submission; at half that load, the gap between them is twice as long.
func TestFirst(t *testing.T) {
	jobs := []joblog.Job{{ID: 1, Submit: 0, Run: 10, Processors: 1}, {ID: 2, Submit: 10, Run: 10, Processors: 2},
		{ID: 3, Submit: 50, Run: 10, Processors: 1}}
	some, err := FromJobs(jobs, 4).First(2, 0)
	if err != nil || len(some) != 2 || some[1].Submit != 10 {
		t.Fatalf("%v, %v", some, err)
	}
	if some, err = FromJobs(jobs, 4).First(9, 0); err != nil || len(some) != 3 {
		t.Fatalf("%v, %v", some, err)
	}
	twice, err := FromJobs(jobs, 4).First(2, 0.375)
	if err != nil || len(twice) != 2 || twice[1].Submit != 20 {
		t.Errorf("%v, %v", twice, err)
	}
}
