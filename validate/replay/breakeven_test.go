package replay_test

import (
	"math"
	"os"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

func sacctStudy(t *testing.T) replay.Study {
	t.Helper()
	file, err := os.Open("../../testdata/joblogs/sacct.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	jobs, err := joblog.Read(file, "sacct.txt", joblog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return replay.Study{Log: chosen(t, jobs.Jobs, 128), Policies: []policy.Policy{policy.EASYMalleable{}},
		Loads: []float64{0.9}, Shares: replay.ForecastShares(), Assumptions: replay.Usual()}
}

// TestBreakevens: in a scan of replays EASY is slower at costs below the break-even, on average, and faster above it. From one cost
// to the next the ratio goes up and down by several per cent on this log of a few hundred jobs.
func TestBreakevens(t *testing.T) {
	study := sacctStudy(t)
	var before, left float64
	study.Foreseen = func(done, to float64) {
		if done < before || to < 0 {
			t.Errorf("%g s done after %g s, %g s left", done, before, to)
		}
		before, left = done, to
	}
	all, err := study.Breakevens(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if before == 0 || left != 0 {
		t.Errorf("at the end %g s are left after %g s", left, before)
	}
	if len(all) != 3 {
		t.Fatalf("%d break-evens of 3 shares", len(all))
	}
	for _, b := range all {
		e := b.ResizeCost
		if !(e.Mean > 0) || e.Low > e.Mean || e.High < e.Mean {
			t.Errorf("%g malleable: break-even %g s in %g to %g s", b.Share, e.Mean, e.Low, e.High)
		}
		if below, above := meanRatio(t, study, b, 0.6), meanRatio(t, study, b, 1.6); !(below > 1 && above < 1) {
			t.Errorf("%g malleable: break-even %g s, where EASY takes %g times as long below and %g times above it", b.Share, e.Mean,
				below, above)
		}
	}
}

// TestBreakevenOf: the break-even of a run is the one of its policy, load and share of malleable jobs.
func TestBreakevenOf(t *testing.T) {
	study := sacctStudy(t)
	study.Loads, study.Shares, study.Policies = []float64{0, 0.9}, []float64{1}, []policy.Policy{policy.Dynamic{}, policy.EASYMalleable{}}
	study.Cost = replay.Cost{} // resizing pays
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []replay.Breakeven
	for _, run := range runs {
		if run.Resizes() {
			all = append(all, replay.Breakeven{Policy: run.Policy, Share: run.Share, Load: run.Load, ResizeCost: metric.Interval{Mean: 1}})
		}
	}
	for _, run := range runs {
		switch b := run.BreakevenOf(all); {
		case !run.Resizes() && b != nil:
			t.Errorf("%v resizes no jobs, and has the break-even of %v", run.Policy, b.Policy)
		case run.Resizes() && (b == nil || b.Policy != run.Policy || b.Load != run.Load):
			t.Errorf("%v at load %g has the break-even %+v", run.Policy, run.Load, b)
		}
	}
}

// meanRatio returns the mean of the ratios at eight costs between the break-even and a multiple of it.
func meanRatio(t *testing.T, study replay.Study, b replay.Breakeven, multiple float64) float64 {
	t.Helper()
	study.Shares, study.Costs = []float64{b.Share}, nil
	const n = 8
	for i := range n {
		study.Costs = append(study.Costs, replay.Cost{Name: "scan", Seconds: b.ResizeCost.Mean * math.Pow(multiple, (float64(i)+0.5)/n)})
	}
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, run := range runs {
		sum += run.Ratio().Mean
	}
	return sum / float64(len(runs))
}

// TestNoBreakeven: jobs that take all nodes have nothing to gain, and a machine without resizes has no break-even.
func TestNoBreakeven(t *testing.T) {
	study := sacctStudy(t)
	study.Least, study.Most = 1, 1
	all, err := study.Breakevens(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range all {
		if b.ResizeCost.Mean != 0 && !math.IsInf(b.ResizeCost.Mean, 1) {
			t.Errorf("%g malleable within the nodes they asked for: break-even %v", b.Share, b.ResizeCost.Mean)
		}
	}
	study.Policies = []policy.Policy{policy.EASY{}}
	if _, err := study.Breakevens(t.Context(), 0); err == nil {
		t.Error("EASY has a break-even")
	}
}
