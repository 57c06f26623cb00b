package decide_test

import (
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

// TestDecisionsAreReadAsTheyAre: a saving is never more than all, and what makes no difference is not called faster.
func TestDecisionsAreReadAsTheyAre(t *testing.T) {
	for _, c := range []struct {
		dynamic, static float64
		want            string
	}{
		{1, 1.55, "a job takes 35 % less time (1.55 times as fast) under dynamic partitioning than under static partitioning with K=4"},
		{3.5, 1, "a job takes 71 % less time (3.50 times as fast) under static partitioning with K=4 than under dynamic partitioning"},
		{1, 1.01, "there is no practical difference between dynamic partitioning and static partitioning with K=4 (response " +
			"times are 0.99 % shorter)"},
		{1, 1, "there is no practical difference between dynamic partitioning and static partitioning with K=4 (their response " +
			"times are equal)"},
	} {
		d := decide.Decision{Ratio: c.static / c.dynamic, Results: []decide.Solved{
			{Policy: policy.Dynamic{}, Measures: models.Measures{MeanResponseTime: c.dynamic, Stable: true}},
			{Policy: policy.Static{Partitions: 4}, Measures: models.Measures{MeanResponseTime: c.static, Stable: true}},
		}}
		d.Best = &d.Results[1]
		want := "At load 0.5 " + c.want + "; repartitions cost nothing."
		if got := d.SentencesAmong(0.5); len(got) != 1 || got[0] != want {
			t.Errorf("%v against %v:\n got %q\nwant %q", c.dynamic, c.static, got, want)
		}
	}
}

// TestAnswerAfterALead: a lead stands before the first sentence, which goes on with a small letter.
func TestAnswerAfterALead(t *testing.T) {
	d := decide.Decision{Ratio: 2, Results: []decide.Solved{
		{Policy: policy.Dynamic{}, Measures: models.Measures{MeanResponseTime: 1, Stable: true}},
		{Policy: policy.Static{Partitions: 4}, Measures: models.Measures{MeanResponseTime: 2, Stable: true}},
	}}
	d.Best = &d.Results[1]
	const clause = "t load 0.5 a job takes 50 % less time (2.00 times as fast) under dynamic partitioning than under the best static split (K=4); " +
		"repartitions cost nothing."
	if got := d.Sentences("", 0.5); len(got) != 1 || got[0] != "A"+clause {
		t.Errorf("%q", got)
	}
	if got := d.Sentences("by the chain, ", 0.5); len(got) != 1 || got[0] != "By the chain, a"+clause {
		t.Errorf("%q", got)
	}
}
