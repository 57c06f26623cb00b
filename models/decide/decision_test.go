package decide_test

import (
	"testing"

	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

func TestBestOfTiesHasFewerPartitions(t *testing.T) {
	for _, c := range []struct {
		two, four float64 // response times
		best      policy.Policy
	}{{3, 3, half}, {3, 2.9, quarter}, {2.9, 3, half}} {
		two, four := of(half, c.two), of(quarter, c.four)
		for _, all := range [][]decide.Solved{{two, four}, {four, two}} {
			if d := decide.NewDecision(all); d.Best.Policy != c.best {
				t.Errorf("response times %v and %v: the best is %v, not %v", c.two, c.four, d.Best.Policy, c.best)
			}
		}
	}
}
