package machine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The examples of section 2 in figures: a job may slip in front of those that wait if, by the estimates, it delays
// nobody (conservative) or at least not the first of them (EASY).
func TestBackfilling(t *testing.T) {
	jobs := []Request{
		{ID: 1, Submit: 0, Nodes: 6, Run: 100},
		{ID: 2, Submit: 1, Nodes: 8, Run: 50}, // waits for 1
		{ID: 3, Submit: 2, Nodes: 6, Run: 20}, // behind 2
		{ID: 4, Submit: 3, Nodes: 4, Run: 97}, // done when 2 begins
		{ID: 5, Submit: 4, Nodes: 2, Run: 500},
	}
	for _, c := range []struct {
		policy Policy
		want   []float64
	}{
		{FCFS{}, []float64{0, 100, 150, 150, 170}},
		{&EASY{}, []float64{0, 100, 150, 3, 100}},
		{&Conservative{}, []float64{0, 100, 150, 3, 100}},
	} {
		if diff := cmp.Diff(c.want, started(t, c.policy, jobs)); diff != "" {
			t.Errorf("%s: %s", c.policy.Name(), diff)
		}
	}
}

// EASY may delay a job behind the head; conservative backfilling may not (figure 3 of the paper).
func TestOnlyEASYDelaysTheSecondOfTheQueue(t *testing.T) {
	jobs := []Request{
		{ID: 1, Submit: 0, Nodes: 7, Run: 100},
		{ID: 2, Submit: 1, Nodes: 8, Run: 10},   // the head: shadow time 100, two extra nodes
		{ID: 3, Submit: 2, Nodes: 10, Run: 10},  // reserved for 110
		{ID: 4, Submit: 3, Nodes: 2, Run: 1000}, // in the extra nodes
	}
	for _, c := range []struct {
		policy Policy
		want   []float64
	}{
		{&EASY{}, []float64{0, 100, 1003, 3}},
		{&Conservative{}, []float64{0, 100, 110, 120}},
	} {
		if diff := cmp.Diff(c.want, started(t, c.policy, jobs)); diff != "" {
			t.Errorf("%s: %s", c.policy.Name(), diff)
		}
	}
}

// Job 1 ends long before its estimate. Job 3 was promised 200; compression moves it, its absence leaves it there, where
// nothing else happens to wake the policy.
func TestCompression(t *testing.T) {
	jobs := []Request{
		{ID: 1, Submit: 0, Nodes: 10, Run: 20, Estimate: 100},
		{ID: 2, Submit: 1, Nodes: 10, Run: 10, Estimate: 100},
		{ID: 3, Submit: 2, Nodes: 10, Run: 10, Estimate: 10},
	}
	for compress, want := range map[Compression][]float64{
		CompressEarly:  {0, 20, 30},
		CompressAlways: {0, 20, 30},
		CompressNever:  {0, 100, 200},
	} {
		if diff := cmp.Diff(want, started(t, &Conservative{Compress: compress}, jobs)); diff != "" {
			t.Errorf("%v: %s", compress, diff)
		}
	}
}
