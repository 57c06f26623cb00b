package input

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
	if got, err := peakNodes(joblog.ListOf(jobs).All()); err != nil || got != 6 {
		t.Errorf("%d nodes were in use at once, want 6", got)
	}
	jobs = append(jobs, joblog.Job{Submit: 6, Wait: -1, Run: 10, Processors: 7})
	if got, err := peakNodes(joblog.ListOf(jobs).All()); err != nil || got != 7 {
		t.Errorf("%d nodes were in use at once with a job of 7 of unknown wait, want 7", got)
	}
}
