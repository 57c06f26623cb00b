package replay_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// Jobs of a log are malleable jobs of a system, in its time unit. Where the system has classes, the factor bounds their nodes. A
// job that asks for more nodes than there are is left out.
func TestSystemJobs(t *testing.T) {
	minute, err := measure.TimeUnitNamed("min")
	if err != nil {
		t.Fatal(err)
	}
	log := joblog.ListOf([]joblog.Job{{ID: 1, Submit: 120, Run: 600, Processors: 2}, {ID: 2, Submit: 60, Run: 60, Processors: 3},
		{ID: 3, Run: 60, Processors: 9}})
	s := &models.System{Nodes: 8, MinNodes: 2, Classes: []models.Class{{}}}
	jobs, skipped, err := replay.SystemJobs(log, s, workload.Linear{}, 1.5, minute)
	if err != nil {
		t.Fatal(err)
	}
	type job struct {
		id, nodes, most   int
		submit, run, work float64
	}
	var got []job
	for _, j := range jobs {
		got = append(got, job{j.ID, j.Nodes, j.Max, j.Submit, j.Run, j.Work})
	}
	if diff := cmp.Diff([]job{{2, 3, 6, 1, 1, 3}, {1, 2, 4, 2, 10, 20}}, got, cmp.AllowUnexported(job{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(skipped) != 1 {
		t.Errorf("left out: %v", skipped)
	}
}
