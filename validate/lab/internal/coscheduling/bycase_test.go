package coscheduling_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/lab/internal/cluster"
	"github.com/partwise/partwise/validate/lab/internal/coscheduling"
)

// Outcomes of one case and load stand together, in the order of the runs.
func TestOutcomesByCase(t *testing.T) {
	mixes, policies := cluster.Mixes()[:2], []policy.Policy{policy.Gang{}, policy.Coscheduling{}}
	runs := coscheduling.Paper(mixes[0]).Runs(mixes, []float64{0, 0.5}, policies)
	if len(runs) != 8 {
		t.Fatalf("%d runs", len(runs))
	}
	var outcomes []coscheduling.Outcome
	for _, run := range runs {
		outcomes = append(outcomes, coscheduling.Outcome{Run: run})
	}
	groups := coscheduling.ByCase(outcomes)
	if len(groups) != 4 || len(coscheduling.ByCase(nil)) != 0 {
		t.Fatalf("%d groups", len(groups))
	}
	for i, title := range []string{", backlog", ", load 0.5"} {
		if group := groups[2+i]; len(group) != 2 || group[1].Policy != policies[1] || group[0].Case.Title() != mixes[1].Name+title {
			t.Errorf("group %d: %+v", 2+i, group)
		}
	}
}

// Of three policies, one with four times the mean response time of the others does not fit into the picture.
func TestResponseLimit(t *testing.T) {
	var outcomes []coscheduling.Outcome
	for _, mean := range []float64{10, 12, 48} {
		o := coscheduling.Outcome{Run: coscheduling.Run{Case: coscheduling.Paper(cluster.DefaultMix())}}
		for range 2 {
			sums := make([]float64, o.Width())
			sums[3], sums[4] = 1, mean // jobs, and the sum of their response times
			o.Replications = append(o.Replications, sums)
		}
		outcomes = append(outcomes, o)
	}
	if limit := coscheduling.ResponseLimit(outcomes); limit != 36 {
		t.Errorf("the limit is %v, not 36", limit)
	}
	if limit := coscheduling.ResponseLimit(outcomes[:2]); limit != 0 {
		t.Errorf("of similar means the limit is %v", limit)
	}
	if limit := coscheduling.ResponseLimit(nil); limit != 0 {
		t.Errorf("without outcomes the limit is %v", limit)
	}
	incomplete := coscheduling.Outcome{Run: outcomes[0].Run, Replications: [][]float64{{1, 2}, nil}}
	if limit := coscheduling.ResponseLimit(append(outcomes, incomplete)); limit != 36 {
		t.Errorf("beside an outcome without sums the limit is %v, not 36", limit)
	}
	if jobs, _, _ := incomplete.Effort(); jobs != 0 || !math.IsNaN(incomplete.Of(measure.MeanSlowdown).Mean) || incomplete.Saturated() {
		t.Errorf("an outcome without sums has measures: %d jobs", jobs)
	}
}
