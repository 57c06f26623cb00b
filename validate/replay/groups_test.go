package replay_test

import (
	"math"
	"os"
	"testing"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/replay"
)

// TestGroups: the groups of a run hold all its jobs. The times of the groups add up to the times of the run, and the times of
// the groups by size add up to the times of the classes.
func TestGroups(t *testing.T) {
	log := grouped(t)
	var err error
	study := replay.Study{Log: log, Policies: []policy.Policy{policy.EASYMalleable{}}, Shares: []float64{1}, Assumptions: replay.Usual()}
	if study.Groupings, err = log.Groupings(logstats.EachBy()...); err != nil {
		t.Fatal(err)
	}
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(runs[0].Groups) < 2 {
		t.Fatalf("%d groupings", len(runs[0].Groups))
	}
	for k, by := range runs[0].Groups {
		jobs, response := 0, 0.0
		outcomes := replay.GroupOutcomes{Worst: -1}
		for i, g := range by.Groups {
			jobs += g.Jobs
			response += float64(g.Jobs) * g.MeanResponseTime
			e := runs[0].RatioInGroup(k, i)
			if !math.IsInf(e.HalfWidth, 1) {
				outcomes.Judged++
				if e.Low > 1 {
					outcomes.Gain++
				}
				if e.High < 1 {
					outcomes.Lose++
				}
			}
			if own := runs[1].Groups[k].Groups[i].MeanResponseTime / g.MeanResponseTime; e.Mean != own {
				t.Errorf("%s %s: ratio %g, of the means %g", by.By, g.Name, e.Mean, own)
			}
			if known := !math.IsInf(e.HalfWidth, 1); known != (g.Jobs >= 80) || known && !(e.Low <= e.Mean && e.Mean <= e.High) {
				t.Errorf("%s %s, %d jobs: ratio %g in %g to %g", by.By, g.Name, g.Jobs, e.Mean, e.Low, e.High)
			}
		}
		if got := runs[0].GroupOutcomes(k); got.Worst < 0 != (got.Lose == 0) || got.Judged != outcomes.Judged ||
			got.Gain != outcomes.Gain || got.Lose != outcomes.Lose {
			t.Errorf("by %s: %+v, want %+v", by.By, got, outcomes)
		}
		if want := runs[0].Measures[measure.MeanResponseTime] * float64(runs[0].Jobs); jobs != runs[0].Jobs || math.Abs(response-want) > 1e-9*want {
			t.Errorf("by %s: %d of %d jobs, response times %g of %g", by.By, jobs, runs[0].Jobs, response, want)
		}
	}
}

// TestBriefShares: runs with brief shares have the response times of other runs, and no groups.
func TestBriefShares(t *testing.T) {
	log := grouped(t)
	study := replay.Study{Log: log, Policies: []policy.Policy{policy.EASYMalleable{}}, Shares: []float64{0.5, 1},
		Assumptions: replay.Usual()}
	var err error
	if study.Groupings, err = log.Groupings(logstats.EachBy()...); err != nil {
		t.Fatal(err)
	}
	whole, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	study.BriefShares = []float64{0.5}
	brief, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, run := range brief {
		if run.Ratio() != whole[i].Ratio() {
			t.Errorf("share %g: ratio %+v, want %+v", run.Share, run.Ratio(), whole[i].Ratio())
		}
		if isBrief := run.Share == 0.5; isBrief != (len(run.Groups) == 0) || isBrief != (len(run.Measures) == 2) {
			t.Errorf("share %g: %d groupings, %d measures", run.Share, len(run.Groups), len(run.Measures))
		}
	}
}

// grouped returns a log whose jobs have users, partitions and other labels.
func grouped(t *testing.T) *replay.Log {
	t.Helper()
	file, err := os.Open("../../testdata/joblogs/sacct.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	source, list, err := joblog.Pack(file, "sacct.txt", joblog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	choice := replay.Choice{Name: "sacct.txt", Nodes: 128}
	choice.Range.Names = source.Names
	log, err := replay.ChooseList(list, choice)
	if err != nil {
		t.Fatal(err)
	}
	return log
}
