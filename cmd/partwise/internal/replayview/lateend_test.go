package replayview

import (
	"strings"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// TestLateEnd: a job that runs for longer than the submissions take leaves the machine idle at any load, which is said. A load
// that the utilization shows needs no words.
func TestLateEnd(t *testing.T) {
	for _, c := range []struct {
		last float64 // run time of the last job
		says bool
	}{{300, false}, {1e6, true}} {
		var jobs []joblog.Job
		for i := range 200 {
			jobs = append(jobs, joblog.Job{ID: i + 1, Submit: 100 * float64(i), Run: 300, Processors: 2})
		}
		jobs[199].Run = c.last
		log, err := replay.FromJobs(jobs, 8)
		if err != nil {
			t.Fatal(err)
		}
		study := replay.Study{Log: log, Policies: []policy.Policy{policy.EASY{}}, Assumptions: replay.Usual()}
		runs, err := study.Run(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := lateEndSentence(runs); strings.Contains(got, "most nodes are idle") != c.says {
			t.Errorf("a last job of %g s: %q", c.last, got)
		}
	}
}
