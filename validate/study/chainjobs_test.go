package study

import (
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/replay"
)

// TestChainJobs: jobs of a chain are the malleable jobs of the system, without what no division of the machine asks.
func TestChainJobs(t *testing.T) {
	log := joblog.ListOf([]joblog.Job{
		{ID: 7, User: 3, Submit: 10, Run: 100, Processors: 3, Estimate: 500},
		{ID: 8, User: 4, Submit: 20, Run: 50, Processors: 9, Estimate: 60}, // does not fit
		{ID: 9, User: 5, Submit: 30, Run: 80, Processors: 1, Estimate: 90},
	})
	demand, err := phasetype.Exponential(1)
	if err != nil {
		t.Fatal(err)
	}
	one := models.Class{Share: 1, Demand: demand, Speedup: workload.Linear{}, MaxNodes: 8}
	for name, classes := range map[string][]models.Class{"alike": nil, "classes": {one, one}} {
		s := &models.System{Nodes: 8, MinNodes: 2, Classes: classes}
		speedup := workload.Amdahl{Serial: 0.1}
		want, _, err := replay.SystemJobs(log, s, speedup, 1.5, measure.Second())
		if err != nil {
			t.Fatal(err)
		}
		got, err := newChainJobs(log, s, speedup, 1.5)
		if err != nil || got.Len() != 2 || len(want) != 2 {
			t.Fatalf("%s: %d jobs, want 2 as %d: %v", name, got.Len(), len(want), err)
		}
		for i, w := range want {
			w.ID, w.User, w.Application, w.Requested, w.Estimate = i+1, -1, -1, 0, 0
			var j workload.Job
			if got.Get(i, &j); j != w {
				t.Errorf("%s: job %d is %+v, want %+v", name, i, j, w)
			}
		}
	}
}
