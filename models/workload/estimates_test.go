package workload_test

import (
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

func TestEstimators(t *testing.T) {
	u := rand.New(rand.NewPCG(1, 1))
	s := &workload.Job{User: 1, Application: 2, Nodes: 4, Run: 100, Requested: 300}
	for text, want := range map[string][2]float64{
		"logged": {300, 300}, "actual": {100, 100}, "uniform:4": {100, 400}, "times:2": {600, 600}, "model": {99, 86400},
		"history": {300, 300},
	} {
		make, err := workload.ParseEstimator(text)
		if err != nil {
			t.Fatal(err)
		}
		e := make()
		if e.Name() != text {
			t.Errorf("%s calls itself %s", text, e.Name())
		}
		for range 1000 {
			if x := e.Estimate(s, 0, u); !(x >= want[0] && x <= want[1]) {
				t.Fatalf("%s: %v", text, x)
			}
		}
	}
	for _, text := range []string{"", "guess", "uniform", "uniform:0.5", "times:0", "times:-1", "times:NaN", "logged:2",
		"uniform:Inf"} {
		if _, err := workload.ParseEstimator(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// One in ten is 1 % too short; of the others run time over estimate is uniform, ten times less for short runs.
func TestUserModel(t *testing.T) {
	u := rand.New(rand.NewPCG(1, 1))
	const n = 200_000
	for run, scale := range map[float64]float64{100: 1, 50: 10} {
		short, sum := 0, 0.0
		for range n {
			x := workload.UserModel{}.Estimate(&workload.Job{Run: run}, 0, u)
			if x < run {
				short++
				continue
			}
			sum += scale * run / x
		}
		if share := float64(short) / n; math.Abs(share-0.1) > 5*math.Sqrt(0.09/n) {
			t.Errorf("%v of the estimates are too short", share)
		}
		// The truncation at a day cuts the smallest ratios off: 1/1728 and 1/173 of them, which changes the mean by less.
		if mean := sum / (0.9 * n); math.Abs(mean-0.5) > 0.007 {
			t.Errorf("run time %v: mean ratio %v, want 0.5", run, mean)
		}
	}
}

// The mean of 100 and 300 is 200, their standard deviation 100; what is older than a week counts no more, but for all.
func TestHistory(t *testing.T) {
	h := workload.NewHistory()
	a := &workload.Job{User: 1, Nodes: 4, Run: 100, Requested: 1000}
	b := &workload.Job{User: 2, Nodes: 4, Run: 50, Requested: 2000}
	if x := h.Estimate(a, 0, nil); x != 1000 {
		t.Errorf("the first estimate is %v", x)
	}
	h.Ended(a, 10)
	a.Run = 300
	h.Ended(a, 20)
	if x := h.Estimate(a, 30, nil); math.Abs(x-350) > 1e-9 {
		t.Errorf("after two runs: %v, want 200 + 1.5·100", x)
	}
	if x := h.Estimate(b, 30, nil); math.Abs(x-350) > 1e-9 {
		t.Errorf("of another user: %v, want that of all", x)
	}
	const week = 7 * 86400
	h.Ended(b, week)
	if x := h.Estimate(a, 20+week+1, nil); math.Abs(x-(150+1.5*math.Sqrt(35000./3))) > 1e-9 {
		t.Errorf("after more than a week: %v, want that of all", x)
	}
	h.Ended(a, 20+week+1)
	if x := h.Estimate(a, 20+week+2, nil); x != 300 {
		t.Errorf("from scratch: %v", x)
	}
}

// Table 2 of the paper for the log of the KTH; the bounds of its peak at 100 % are not given, and differ by nine jobs.
func TestAccuracyOfKTH(t *testing.T) {
	jobs := traced(t, "KTH-SP2-1996-2.merged.swf.gz").Jobs
	a := workload.AccuracyOf(jobs, workload.EstimatesOf(jobs, workload.Logged{}, nil))
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
	got := workload.EstimatesOf(jobs, workload.NewHistory(), nil)
	want := []float64{99, 99, 10, 50./3 + 1.5*math.Sqrt(1100./3-2500./9)}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-9 {
			t.Errorf("estimate %d: %v, want %v", i, got[i], want[i])
		}
	}
}

func traced(t *testing.T, name string) joblog.Log {
	t.Helper()
	f, err := os.Open("../../../shared/traces/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the log is not here: ", err)
	}
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
