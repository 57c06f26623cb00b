package logstats_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
)

// TestWaitCurves: two days of jobs make periods of an hour; a period without jobs has no mean.
func TestWaitCurves(t *testing.T) {
	submits := []float64{1000, 1000, 1000 + 2*86400}
	c := logstats.WaitCurvesOf(submits, []float64{10, 30, 50}, []float64{0, 10, 100})
	if c.Period != 3600 || len(c.Periods) != 49 {
		t.Fatalf("%d periods of %v s, not 49 of 3600 s", len(c.Periods), c.Period)
	}
	if p := c.Periods[0]; p.Jobs != 2 || p.Logged != 20 || p.Replayed != 5 {
		t.Errorf("first period: %+v", p)
	}
	if p := c.Periods[1]; p.Jobs != 0 || !math.IsNaN(p.Logged) || !math.IsNaN(p.Replayed) {
		t.Errorf("period without jobs: %+v", p)
	}
	if c.Logged[0] != 10 || c.Logged[50] != 30 || c.Logged[100] != 50 || c.Replayed[75] != 55 {
		t.Errorf("percentiles %v and %v", c.Logged, c.Replayed)
	}
	if alone := logstats.WaitCurvesOf(submits, []float64{1, 2, 3}, nil); alone.Replayed != nil || !math.IsNaN(alone.Periods[0].Replayed) {
		t.Errorf("without a replay: %+v", alone)
	}
	if none := logstats.WaitCurvesOf(nil, nil, nil); none.Periods != nil || none.Logged != nil {
		t.Errorf("without jobs: %+v", none)
	}
}

// Jobs whose waits the log does not tell are in no curve.
func TestLoggedWaitCurves(t *testing.T) {
	jobs := joblog.ListOf([]joblog.Job{{Submit: 0, Wait: 10, Run: 5, Processors: 1}, {Submit: 60, Wait: -1, Run: 5, Processors: 1},
		{Submit: 90, Wait: 30, Run: 5, Processors: 1}})
	if c := logstats.LoggedWaitCurves(jobs); len(c.Periods) != 1 || c.Periods[0].Jobs != 2 || c.Periods[0].Logged != 20 || c.Replayed != nil {
		t.Errorf("%+v", c)
	}
}
