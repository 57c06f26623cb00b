package study_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// logged returns the jobs of a log in testdata.
func logged(t *testing.T, name string) joblog.Jobs {
	t.Helper()
	text, err := os.ReadFile("../../testdata/joblogs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	log, err := joblog.Read(bytes.NewReader(text), name, joblog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return joblog.ListOf(log.Jobs).All()
}

// TestAnswerOfASmallLog: sixty jobs are too few for a verdict, and for a rule; the chain and the other policies are there.
func TestAnswerOfASmallLog(t *testing.T) {
	needs.Concurrency(t)
	a, err := study.Of(t.Context(), logged(t, "sacct.txt"), policy.Machine{Nodes: 32, Unit: 16}, replay.Usual(), study.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if !a.Gains.TooFew() || len(a.Gains.Runs) != 3 || len(a.Breakevens) != 3 || len(a.Variations) < 10 {
		t.Errorf("too few: %v; %d runs, %d break-evens, %d variations", a.Gains.TooFew(), len(a.Gains.Runs), len(a.Breakevens), len(a.Variations))
	}
	if a.Advice.Missing == nil || a.Rivals.Missing != nil || a.Chain.Missing != nil {
		t.Errorf("missing: rule %v, other policies %v, chain %v", a.Advice.Missing, a.Rivals.Missing, a.Chain.Missing)
	}
	if s := a.Chain.Draft.System; s.Nodes != 32 || s.MinNodes != 16 || a.Chain.Report == nil {
		t.Errorf("the chain is of %d nodes in units of %d, explained %v", s.Nodes, s.MinNodes, a.Chain.Report)
	}
}

// TestAnswersDoNotDependOnWorkers: a study is the same for any number of workers, and leaves its log as it is.
func TestAnswersDoNotDependOnWorkers(t *testing.T) {
	needs.Concurrency(t)
	var ratios [2][]float64
	for i, workers := range []int{1, 3} {
		a, err := study.Of(t.Context(), logged(t, "sacct.txt"), policy.Machine{Nodes: 64}, replay.Usual(), study.Settings{Workers: workers, Load: 0.8})
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range a.Gains.Curve {
			ratios[i] = append(ratios[i], run.Ratio().Mean)
		}
		for _, d := range a.Chain.Decision.Results {
			ratios[i] = append(ratios[i], d.Measures.MeanResponseTime)
		}
		for _, b := range a.Breakevens { // searched while the chains are solved
			ratios[i] = append(ratios[i], b.ResizeCost.Mean)
		}
		for _, s := range a.Chain.Rigid.Steps {
			ratios[i] = append(ratios[i], s.MeanResponseTime)
		}
		if len(a.Breakevens) == 0 || len(a.Chain.Rigid.Steps) == 0 {
			t.Errorf("%d break-evens and %d steps to the chain of rigid jobs", len(a.Breakevens), len(a.Chain.Rigid.Steps))
		}
		if a.Log.Load < 0.799 || a.Log.Load > 0.801 {
			t.Errorf("load %g, not 0.8", a.Log.Load)
		}
	}
	if !slices.Equal(ratios[0], ratios[1]) {
		t.Errorf("%v by one worker, %v by three", ratios[0], ratios[1])
	}
}

// No length of a log decides where there are no jobs, or where the ratio to EASY is 1.
func TestDaysNeededWithoutADecision(t *testing.T) {
	gains := &study.Gains{Days: 30}
	alike := &replay.Run{Jobs: 100}
	for what, days := range map[string]float64{"no run": gains.DaysNeeded(nil), "no jobs": gains.DaysNeeded(&replay.Run{}),
		"a ratio of 1": gains.DaysNeeded(alike), "no gains": (*study.Gains)(nil).DaysNeeded(alike)} {
		if !math.IsInf(days, 1) {
			t.Errorf("%s: %v days", what, days)
		}
	}
	if days := gains.DaysNeeded(&replay.Run{Jobs: 100, Baseline: alike}); days != 30*metric.FewestJobs/100 {
		t.Errorf("without an interval: %v days", days)
	}
}

// TestObservers hear of each part in order, and of fractions between 0 and 1.
func TestObservers(t *testing.T) {
	needs.Concurrency(t)
	var begun []study.Part
	planned := map[study.Part]int{}
	observer := study.Observer{
		Begun:   func(p study.Part) { begun = append(begun, p) },
		Planned: func(p study.Part, replays int) { planned[p] = replays },
		Advanced: func(p study.Part, fraction float64) {
			if !(fraction >= 0 && fraction <= 1) {
				t.Errorf("part %d is done by %g", p, fraction)
			}
		},
	}
	if _, err := study.Of(t.Context(), logged(t, "sacct.txt"), policy.Machine{Nodes: 64}, replay.Usual(),
		study.Settings{Observer: observer}); err != nil {
		t.Fatal(err)
	}
	if len(begun) != study.Parts() || !slices.IsSorted(begun) {
		t.Errorf("parts %v of %d", begun, study.Parts())
	}
	for _, p := range []study.Part{study.ReplayingShares, study.ReplayingRivals, study.ReplayingLoads, study.Varying, study.ExplainingChain} {
		if planned[p] < 1 {
			t.Errorf("part %d: %d replays are planned", p, planned[p])
		}
	}
}

// TestStudiesRefuse what does not fit, and end with their context.
func TestStudiesRefuse(t *testing.T) {
	needs.Concurrency(t)
	jobs := logged(t, "sacct.txt")
	for setting, of := range map[string]func() error{
		"min_nodes": func() error {
			_, err := study.Of(t.Context(), jobs, policy.Machine{Nodes: 64, Unit: 5}, replay.Usual(), study.Settings{})
			return err
		},
		"nodes": func() error {
			_, err := study.Of(t.Context(), jobs, policy.Machine{}, replay.Usual(), study.Settings{})
			return err
		},
		"factors": func() error {
			a := replay.Usual()
			a.Least = 2
			_, err := study.Of(t.Context(), jobs, policy.Machine{Nodes: 64}, a, study.Settings{})
			return err
		},
		"load": func() error {
			_, err := study.Of(t.Context(), jobs, policy.Machine{Nodes: 64}, replay.Usual(), study.Settings{Load: -1})
			return err
		},
		"study": func() error {
			_, err := study.Of(t.Context(), jobs, policy.Machine{Nodes: 64}, replay.Usual(), study.Settings{Samples: 1})
			return err
		},
	} {
		var e *replay.SettingError
		if err := of(); !errors.As(err, &e) || e.Setting != setting {
			t.Errorf("%s: %v", setting, err)
		}
	}
	if _, err := study.OfLog(t.Context(), nil, 0, replay.Usual(), study.Settings{}); err == nil {
		t.Error("no log is studied")
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := study.Of(done, jobs, policy.Machine{Nodes: 64}, replay.Usual(), study.Settings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v after the end of the context", err)
	}
}

// TestExampleUnderTheRaceDetector: the example has enough jobs for a rule, which is selected by several workers. With -concurrency no
// example runs by itself.
func TestExampleUnderTheRaceDetector(t *testing.T) {
	needs.Concurrency(t)
	if needs.IsConcurrency() {
		ExampleOf()
	}
}
