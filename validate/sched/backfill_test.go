package sched_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/models/workload"
)

func TestFCFS(t *testing.T) {
	got := started(t, "fcfs", []workload.Job{
		rigid(1, 0, 6, 100),
		rigid(2, 10, 6, 50), // waits for 1
		rigid(3, 20, 1, 5),  // waits behind 2
		rigid(4, 150, 6, 5), // comes when 2 ends
	})
	if diff := cmp.Diff([]float64{0, 100, 100, 150}, got); diff != "" {
		t.Error(diff)
	}
}

// The examples of section 2 in figures: a job may slip in front of those that wait if, by the estimates, it delays
// nobody (conservative) or at least not the first of them (EASY).
func TestBackfilling(t *testing.T) {
	jobs := []workload.Job{
		rigid(1, 0, 6, 100),
		rigid(2, 1, 8, 50), // waits for 1
		rigid(3, 2, 6, 20), // behind 2
		rigid(4, 3, 4, 97), // done when 2 begins
		rigid(5, 4, 2, 500),
	}
	for _, c := range []struct {
		policy string
		want   []float64
	}{
		{"fcfs", []float64{0, 100, 150, 150, 170}},
		{"easy", []float64{0, 100, 150, 3, 100}},
		{"conservative", []float64{0, 100, 150, 3, 100}},
	} {
		if diff := cmp.Diff(c.want, started(t, c.policy, jobs)); diff != "" {
			t.Errorf("%s: %s", c.policy, diff)
		}
	}
}

// EASY may delay a job behind the head; conservative backfilling may not (figure 3 of the paper).
func TestOnlyEASYDelaysTheSecondOfTheQueue(t *testing.T) {
	jobs := []workload.Job{
		rigid(1, 0, 7, 100),
		rigid(2, 1, 8, 10),   // the head: shadow time 100, two extra nodes
		rigid(3, 2, 10, 10),  // reserved for 110
		rigid(4, 3, 2, 1000), // in the extra nodes
	}
	for _, c := range []struct {
		policy string
		want   []float64
	}{
		{"easy", []float64{0, 100, 1003, 3}},
		{"conservative", []float64{0, 100, 110, 120}},
	} {
		if diff := cmp.Diff(c.want, started(t, c.policy, jobs)); diff != "" {
			t.Errorf("%s: %s", c.policy, diff)
		}
	}
}

// Job 1 ends long before its estimate. Job 3 was promised 200; compression moves it, its absence leaves it there, where
// nothing else happens to wake the policy.
func TestCompression(t *testing.T) {
	jobs := []workload.Job{
		expected(rigid(1, 0, 10, 20), 100),
		expected(rigid(2, 1, 10, 10), 100),
		expected(rigid(3, 2, 10, 10), 10),
	}
	for compress, want := range map[string][]float64{
		"early":  {0, 20, 30},
		"always": {0, 20, 30},
		"never":  {0, 100, 200},
	} {
		if diff := cmp.Diff(want, started(t, "conservative:"+compress, jobs)); diff != "" {
			t.Errorf("%s: %s", compress, diff)
		}
	}
}

// expected returns a job of which another run time is expected.
func expected(j workload.Job, estimate float64) workload.Job {
	j.Estimate = estimate
	return j
}
