package metric_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/batch"
	"github.com/partwise/partwise/validate/des"
)

// Three jobs on ten nodes around the first of a month, which is at 100: the second waits for the first, the third is
// short.
func TestMetrics(t *testing.T) {
	start := time.Date(2000, 2, 1, 0, 0, 0, 0, time.UTC).Add(-100 * time.Second)
	m := batch.NewMetrics(10, func(seconds float64) time.Time { return start.Add(time.Duration(seconds * 1e9)) })
	jobs := []batch.Request{
		{ID: 1, Submit: 0, Nodes: 10, Run: 120, Estimate: 120},
		{ID: 2, Submit: 20, Nodes: 5, Run: 100, Estimate: 100},
		{ID: 3, Submit: 110, Nodes: 5, Run: 2, Estimate: 10},
	}
	c := batch.Config{Nodes: 10, Policy: batch.FCFS{}, Done: m.Add}
	if _, err := batch.Run(context.Background(), c, batch.Jobs(jobs)); err != nil {
		t.Fatal(err)
	}
	near := cmpopts.EquateApprox(1e-12, 0)
	// Responses 120, 200, 12; waits 0, 100, 10; slowdowns 1, 2, 12/10; 1710 of 2200 node-seconds.
	want := batch.Measures{Jobs: 3, Response: 332. / 3, Wait: 110. / 3, Slowdown: 4.2 / 3, Utilization: 1710. / 2200}
	if diff := cmp.Diff(want, m.Measures(), near); diff != "" {
		t.Error(diff)
	}
	// The first job held ten nodes for 100 s of January and 20 s of February.
	months := []batch.Month{
		{From: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), Load: 1700. / 1000,
			Measures: batch.Measures{Jobs: 2, Response: 160, Wait: 50, Slowdown: 1.5, Utilization: 1}},
		{From: time.Date(2000, 2, 1, 0, 0, 0, 0, time.UTC), Load: 10. / 100,
			Measures: batch.Measures{Jobs: 1, Response: 12, Wait: 10, Slowdown: 1.2, Utilization: 710. / 1200}},
	}
	if diff := cmp.Diff(months, m.Months(), near); diff != "" {
		t.Error(diff)
	}
	if got := m.Load(); math.Abs(got-1710./1100) > 1e-12 {
		t.Errorf("load %v", got)
	}
	if response, _, _ := m.Intervals(0.9); !math.IsInf(response.HalfWidth, 1) {
		t.Errorf("an interval from no batch: %+v", response)
	}
}

// The first batch of 3333 is left out: it had other jobs.
func TestIntervals(t *testing.T) {
	m := batch.NewMetrics(1, nil)
	for i := range 4 * 3333 {
		r := batch.Record{Request: batch.Request{Nodes: 1, Run: 100}, End: 100}
		if i < 3333 {
			r.End = 1e9
		}
		m.Add(&r)
	}
	response, wait, slowdown := m.Intervals(0.9)
	if response.Mean != 100 || response.HalfWidth != 0 || response.DF != 2 || wait.Mean != 0 || slowdown.Mean != 1 {
		t.Errorf("%+v %+v %+v", response, wait, slowdown)
	}
}

func TestMerge(t *testing.T) {
	a := batch.Measures{Jobs: 2, Response: 10, Slowdown: 3}
	a.Merge(batch.Measures{Jobs: 2, Response: 20, Slowdown: 5}, 2)
	a.Merge(batch.Measures{Jobs: 2, Response: 60, Slowdown: 7}, 3)
	if diff := cmp.Diff(batch.Measures{Jobs: 2, Response: 30, Slowdown: 5}, a); diff != "" {
		t.Error(diff)
	}
}

// Estimates: where the machine kills it does so at what the user asked for, or at the estimate itself; where it does
// not, no job outlives what policies plan with.
func TestEstimating(t *testing.T) {
	jobs := []batch.Request{{ID: 1, Nodes: 1, Run: 100, Requested: 60}, {ID: 2, Nodes: 1, Requested: 60}}
	for _, c := range []struct {
		estimates      string
		kill           bool
		end, planned   float64 // of the first
		plannedNothing float64 // of the second, which takes no time
	}{
		{"logged", false, 100, 100, 60},
		{"logged", true, 60, 100, 1},
		{"times:2", false, 100, 120, 120},
		{"times:2", true, 60, 120, 1},
		{"actual", true, 100, 100, 1},
		{"actual", false, 100, 100, 1},
	} {
		e, err := workload.ParseEstimator(c.estimates)
		if err != nil {
			t.Fatal(err)
		}
		var got []batch.Record
		config := batch.Config{Nodes: 2, Policy: batch.FCFS{}, KillAtEstimate: c.kill,
			Done: func(r *batch.Record) { got = append(got, *r) }}
		config = batch.Estimating(config, e(), des.Seed(1))
		if _, err := batch.Run(context.Background(), config, batch.Jobs(jobs)); err != nil {
			t.Fatal(err)
		}
		second, first := got[0], got[1]
		if first.End != c.end || first.Estimate != c.planned || first.Killed != (c.end < 100) ||
			second.Estimate != c.plannedNothing {
			t.Errorf("%s, kill %v: %+v", c.estimates, c.kill, got)
		}
	}
}
