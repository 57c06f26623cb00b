package replay_test

import (
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/replay"
)

// TestRunAskedGivesUpSlowerSplits: the selected runs, and their measures, are those of replays that all end. Replays of
// splits that cannot be the best split are given up, but not if they were named.
func TestRunAskedGivesUpSlowerSplits(t *testing.T) {
	needs.Concurrency(t)
	study := lublinStudy(t, policy.EASY{})
	m := policy.Machine{Nodes: study.Log.Nodes, Unit: 8}
	study.Unit = m.Unit
	for _, names := range [][]string{{"fcfs", policy.BestStatic}, {"static:1", "dynamic", policy.BestStatic}} {
		asked, err := policy.Standard().Select(m, policy.WholeNodes, names...)
		if err != nil {
			t.Fatal(err)
		}
		study.Policies = asked.Run
		all, err := study.Run(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		var ended atomic.Int64
		study.Ended = func() { ended.Add(1) }
		shown, err := study.RunAsked(t.Context(), 2, asked)
		if err != nil {
			t.Fatal(err)
		}
		want := replay.Asked(all, asked, measure.MeanResponseTime)
		if diff := cmp.Diff(results(want), results(shown)); diff != "" {
			t.Errorf("%v: %s", names, diff)
		}
		if jobs := int64(len(all) * study.Log.Offer.Jobs); ended.Load() >= jobs {
			t.Errorf("%v: %d jobs of %d ended: no replay was given up", names, ended.Load(), jobs)
		}
	}
}

// result is what a replay found: its policy and measures.
type result struct {
	Policy   string
	Measures map[string]float64
}

// results returns the results of runs, without values that are not numbers.
func results(runs []*replay.Run) (all []result) {
	for _, r := range runs {
		of := result{r.Policy.String(), map[string]float64{}}
		for name, x := range r.Measures {
			if !math.IsNaN(x) {
				of.Measures[name] = x
			}
		}
		all = append(all, of)
	}
	return all
}

// TestRunAskedNamesFaults: a study that cannot be run is refused before any replay.
func TestRunAskedNamesFaults(t *testing.T) {
	study := lublinStudy(t, policy.EASY{})
	study.Unit = study.Log.Nodes - 1
	asked := &policy.Selection{Run: policy.Statics(policy.Machine{Nodes: study.Log.Nodes, Unit: 1}), Best: true}
	if runs, err := study.RunAsked(t.Context(), 1, asked); err == nil || slices.ContainsFunc(runs, func(r *replay.Run) bool { return r != nil }) {
		t.Errorf("runs %v, error %v", runs, err)
	}
}

// TestBriefRuns: a brief run has the mean response and waiting times of a run that records all. It has no slowdown.
func TestBriefRuns(t *testing.T) {
	study := lublinStudy(t, policy.FCFS{})
	full, err := study.Run(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	study.Brief = true
	brief, err := study.Run(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	response, wait, _ := full[0].Intervals()
	briefResponse, briefWait, slowdown := brief[0].Intervals()
	if briefResponse != response || briefWait != wait || !math.IsNaN(slowdown.Mean) {
		t.Errorf("response time %v and wait %v, not %v and %v; slowdown %v", briefResponse, briefWait, response, wait, slowdown)
	}
	if own := brief[0].Measures[measure.MeanResponseTime]; own != response.Mean {
		t.Errorf("the mean response time is %g, not %g", own, response.Mean)
	}
}
