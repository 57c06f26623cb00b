package workload

import (
	"math"
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
)

// Ten windows of which every other has two jobs, of works 1 and 3: the counts 2 and 0 have the mean 1 and the variance
// 10/9, the works 4 and 0 the mean 2 and the variance 40/9; E W²/E W is 5/2.
func TestDispersion(t *testing.T) {
	var jobs []Job
	for i := range 5 {
		at := float64(20 * i)
		jobs = append(jobs, Job{Submit: at, Work: 1}, Job{Submit: at + 5, Work: 3})
	}
	jobs = append(jobs, Job{Submit: 100}) // the end of the last window
	d := DispersionOf(jobs, 10)
	// The last job has no work, and counts among the ten of work 1 and 3 in no sum.
	if d.Windows != 10 || math.Abs(d.Counts-10.0/9) > 1e-12 || math.Abs(d.Work-40.0/9/2*20/50) > 1e-12 ||
		math.Abs(d.Variation-10.0/9) > 1e-12 {
		t.Errorf("%+v", d)
	}
	if d := DispersionOf(jobs[:2], 10); d.Windows != 0 || !math.IsNaN(d.Counts) {
		t.Errorf("less than two windows: %+v", d)
	}
	// Most windows of a long log with few jobs have none, and take no memory: 4 jobs in as many of a billion.
	long := DispersionAt([]float64{0, 1, 2, 3, 1e9}, []float64{1, 1, 1, 1, 1}, 1)
	if long.Windows != 1e9 || math.Abs(long.Counts-1) > 1e-8 {
		t.Errorf("a long log: %+v", long)
	}
	if d := DispersionOf(nil, 10); !math.IsNaN(d.Work) {
		t.Errorf("no jobs: %+v", d)
	}
}

// Weeks move as they are, and the last days, which are no week, are left out.
func TestResampleWeeks(t *testing.T) {
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
