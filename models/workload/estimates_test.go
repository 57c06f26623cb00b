package workload_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/models/workload"
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
	model, err := workload.ParseEstimator("model")
	if err != nil {
		t.Fatal(err)
	}
	u := rand.New(rand.NewPCG(1, 1))
	const n = 200_000
	for run, scale := range map[float64]float64{100: 1, 50: 10} {
		short, sum := 0, 0.0
		for range n {
			x := model().Estimate(&workload.Job{Run: run}, 0, u)
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
