package workload

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/partwise/partwise/models/workload/joblog"
)

// A job of which all is known, one that only requested processors, one that did not run, and one that never came.
const fourJobs = `1  5 10 100  4 -1 -1  4 210 -1 1 1 1 1 -1 -1 -1 -1
2  0  0   7 -1 -1 -1  3  60 -1 0 1 1 -1 -1 -1 -1 -1
3 10 -1  -1 -1 -1 -1 -1  60 -1 5 1 1 -1 -1 -1 -1 -1
4 -1  0   1 -1 -1 -1 -1  60 -1 1 1 1 -1 -1 -1 -1 -1
`

func TestTake(t *testing.T) {
	for q, want := range map[Quantity]struct {
		values  []float64
		skipped map[string]int
	}{
		Interarrival: {[]float64{5, 5}, map[string]int{"no submit time": 1}},
		RunTime:      {[]float64{100, 7, 1}, map[string]int{"no run time": 1}},
		Work:         {[]float64{400, 21}, map[string]int{"no run time": 1, "no processors": 1}},
	} {
		t.Run(string(q), func(t *testing.T) {
			s, err := ReadSamples(strings.NewReader(fourJobs), "f", Columns{Log: q})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Samples{Values: want.values, Skipped: want.skipped}, s); diff != "" {
				t.Error(diff)
			}
		})
	}
	serial, err := ReadSamples(strings.NewReader(fourJobs), "f", Columns{Log: Work, Speedup: Amdahl{Serial: 1}})
	if diff := cmp.Diff([]float64{100, 7}, serial.Values); err != nil || diff != "" {
		t.Errorf("work of jobs that gain nothing by nodes: %v %s", err, diff)
	}
	if _, err := ReadSamples(strings.NewReader(fourJobs), "f", Columns{Log: "idle"}); err == nil {
		t.Error("an unknown quantity is accepted")
	}
}

// Weeks move as they are, and the last days, which are no week, are left out.
func TestResampleWeeks(t *testing.T) {
	const week = 7 * 24 * 3600
	jobs := []joblog.Job{{ID: 1, Submit: 10}, {ID: 2, Submit: 10 + week + 5}, {ID: 3, Submit: 10 + 2*week - 1},
		{ID: 4, Submit: 10 + 2*week + 3}, {ID: 5, Submit: -1}}
	got := ResampleWeeks(jobs, func(n int) int { return n - 1 })
	want := []float64{15, 9 + week, 15 + week, 9 + 2*week}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, j := range got {
		if j.Submit != want[i] {
			t.Errorf("job %d is submitted at %v, want %v", i, j.Submit, want[i])
		}
	}
	if short := ResampleWeeks(jobs[:2], func(int) int { panic("one week has nothing to draw") }); len(short) != 2 {
		t.Errorf("%+v", short)
	}
}
