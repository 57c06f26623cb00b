package replay

import (
	"slices"
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
)

// The first two of three jobs offer (1·10 + 2·10)/(4·10) = 0.75 on four nodes, as long as the jobs are counted up to the last
// submission; at half that load, the gap between them is twice as long.
func TestFirst(t *testing.T) {
	jobs := []joblog.Job{{ID: 1, Submit: 0, Run: 10, Processors: 1}, {ID: 2, Submit: 10, Run: 10, Processors: 2},
		{ID: 3, Submit: 50, Run: 10, Processors: 1}}
	log, err := FromJobs(jobs, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		first int
		load  float64
		want  []float64 // submissions
	}{{2, 0, []float64{0, 10}}, {9, 0, []float64{0, 10, 50}}, {2, 0.375, []float64{0, 20}}} {
		some, err := log.First(c.first)
		if err != nil {
			t.Fatal(err)
		}
		at, err := some.At(c.load)
		if err != nil {
			t.Fatal(err)
		}
		var submits []float64
		for j, err := range at.Jobs() {
			if err != nil {
				t.Fatal(err)
			}
			submits = append(submits, j.Submit)
		}
		if !slices.Equal(submits, c.want) {
			t.Errorf("the first %d at load %g come at %g, not at %g", c.first, c.load, submits, c.want)
		}
	}
	log.Unit, log.Range.Names.Users = joblog.InCPUs, []string{"ann"}
	if some, err := log.First(2); err != nil || some.SizesIn() != joblog.InCPUs || !slices.Equal(some.Range.Names.Users, log.Range.Names.Users) {
		t.Errorf("the first jobs of a log in CPUs, with names: %+v, %v", some, err)
	}
}
