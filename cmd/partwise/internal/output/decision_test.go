package output

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
		{1, 1.55, "a job takes 35 % less time (1.55 times as fast) under dynamic partitioning than under K=4"},
		{3.5, 1, "a job takes 71 % less time (3.50 times as fast) under K=4 than under dynamic partitioning"},
		{1, 1.01, "there is no practical difference between dynamic partitioning and K=4 (response times are 0.99 % shorter)"},
		{1, 1, "there is no practical difference between dynamic partitioning and K=4 (their response times are equal)"},
	} {
		d := decide.Decision{Ratio: c.static / c.dynamic, Results: []decide.Solved{
			{Policy: policy.Dynamic{}, Measures: models.Measures{MeanResponseTime: c.dynamic, Stable: true}},
			{Policy: policy.Static{Partitions: 4}, Measures: models.Measures{MeanResponseTime: c.static, Stable: true}},
		}}
		d.Best = &d.Results[1]
		compare := d.Compare()
		if got := compared(&compare, "K=%d"); got != c.want {
			t.Errorf("%v against %v:\n got %q\nwant %q", c.dynamic, c.static, got, c.want)
		}
	}
}
