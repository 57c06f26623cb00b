package replay_test

import (
	"math"
	"os"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
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
	return replay.Study{Log: replay.FromJobs(jobs.Jobs, 128), Policies: []policy.Policy{policy.EASYMalleable{}},
		Loads: []float64{0.9}, Shares: replay.ForecastShares(), Assumptions: replay.Usual()}
}

// TestBreakevens: a scan of replays finds EASY slower below the break-even and faster above it.
func TestBreakevens(t *testing.T) {
	study := sacctStudy(t)
	all, err := study.Breakevens(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 {
		t.Fatalf("%d break-evens of 3 shares", len(all))
	}
	for _, b := range all {
		e := b.ResizeCost
		if !(e.Mean > 0) || e.Low > e.Mean || e.High < e.Mean {
			t.Errorf("%g malleable: break-even %g s in %g to %g s", b.Share, e.Mean, e.Low, e.High)
		}
		scan := study
		scan.Shares, scan.Costs = []float64{b.Share}, nil
		for _, by := range []float64{1 - 0.02, 1 + 0.02} { // the search ends at a range of one in a hundred
			scan.Costs = append(scan.Costs, replay.Cost{Name: "scan", Seconds: by * e.Mean})
		}
		runs, err := scan.Run(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if below, above := runs[0].Ratio().Mean, runs[1].Ratio().Mean; !(below > 1 && above < 1) {
			t.Errorf("%g malleable: break-even %g s, where EASY takes %g times as long below and %g times above it", b.Share, e.Mean,
				below, above)
		}
	}
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
