package joblog_test

import (
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
)

// Two jobs of 3 and 2 nodes run from 0 to 10 and from 5 to 15; when the first ends, one of 4 nodes starts.
func TestPeakNodes(t *testing.T) {
	jobs := []joblog.Job{
		{Submit: 0, Wait: 0, Run: 10, Processors: 3}, {Submit: 1, Wait: 4, Run: 10, Processors: 2},
		{Submit: 2, Wait: 8, Run: 5, Processors: 4}, {Submit: 3, Wait: 1, Run: -1, Processors: 5},
	}
	if got := joblog.PeakNodes(jobs); got != 6 {
		t.Errorf("%d nodes were in use at once, want 6", got)
	}
	jobs = append(jobs, joblog.Job{Submit: 6, Wait: -1, Run: 10, Processors: 7})
	if got := joblog.PeakNodes(jobs); got != 7 {
		t.Errorf("%d nodes were in use at once with a job of 7 of unknown wait, want 7", got)
	}
	// 30 + 20 + 20 + 70 node-seconds; the jobs of 4 and 7 nodes do not fit on 3.
	if got, want := joblog.LostShare(jobs, 3), 90./140; got != want {
		t.Errorf("%v of the node-seconds are lost, want %v", got, want)
	}
}
