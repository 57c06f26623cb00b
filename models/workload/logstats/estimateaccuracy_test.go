package logstats

import (
	"math"
	"os"
	"slices"
	"testing"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
)

func TestMain(m *testing.M) { needs.Main(m) }

// Table 2 of the paper for the log of the KTH; the bounds of its peak at 100 % are not given, and differ by nine jobs.
func TestAccuracyOfKTH(t *testing.T) {
	jobs := traced(t, "KTH-SP2-1996-2.merged.swf.gz").Jobs
	a := AccuracyOf(joblog.ListOf(jobs), EstimatesOf(joblog.ListOf(jobs), workload.Logged{}, nil))
	if a.Jobs != 28490 || a.Killed != 7948 || a.Zero != 2333 || a.Short != 9361 || a.TwoHours != 16128 {
		t.Errorf("%+v", a)
	}
	if math.Abs(float64(a.Peak)-3601) > 10 || math.Abs(float64(a.PeakKilled)-3590) > 10 {
		t.Errorf("%d at the peak, %d of them killed; the paper has 3601 and 3590", a.Peak, a.PeakKilled)
	}
}

func TestEstimatesOfALearner(t *testing.T) {
	jobs := []joblog.Job{
		{Submit: 0, Wait: -1, Run: 10, Processors: 1, Estimate: 99},
		{Submit: 5, Wait: 2, Run: 30, Processors: 1, Estimate: 99}, // the first still runs
		{Submit: 20, Wait: 0, Run: 10, Processors: 1, Estimate: 99},
		{Submit: 40, Wait: 0, Run: 10, Processors: 1, Estimate: 99}, // two at 10, one at 30
	}
	history, err := workload.ParseEstimator("history")
	if err != nil {
		t.Fatal(err)
	}
	got := EstimatesOf(joblog.ListOf(jobs), history(), nil)
	want := []float64{99, 99, 10, 50./3 + 1.5*math.Sqrt(1100./3-2500./9)}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-9 {
			t.Errorf("estimate %d: %v, want %v", i, got[i], want[i])
		}
	}
}

func traced(t *testing.T, name string) joblog.Log {
	t.Helper()
	f, err := os.Open(needs.JobLog(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := joblog.Read(f, name, joblog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestShortEstimates: estimates above two hours, run times above twice the estimate and jobs without an estimate are left out.
func TestShortEstimates(t *testing.T) {
	jobs := joblog.ListOf([]joblog.Job{{Estimate: 60, Run: 120}, {Estimate: 60, Run: 121}, {Estimate: 7200, Run: 1}, {Estimate: 7201, Run: 1},
		{Estimate: -1, Run: 1}})
	for _, c := range []struct{ estimates, short, runs []float64 }{{nil, []float64{60, 7200}, []float64{120, 1}},
		{[]float64{0, 61, 8000}, []float64{61}, []float64{121}}} {
		if short, runs := ShortEstimates(jobs, c.estimates); !slices.Equal(short, c.short) || !slices.Equal(runs, c.runs) {
			t.Errorf("%v: %v and %v, want %v and %v", c.estimates, short, runs, c.short, c.runs)
		}
	}
}
