package decide

import (
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
)

func TestBetterOfTiesHasFewerPartitions(t *testing.T) {
	solved := func(k int, time float64) *Solved {
		return &Solved{policy.Static{Partitions: k}, models.Measures{Stable: true, MeanResponseTime: time}}
	}
	if !better(solved(2, 3), solved(4, 3)) || better(solved(4, 3), solved(2, 3)) {
		t.Error("of equal response times the smaller K must win")
	}
	if !better(solved(4, 2.9), solved(2, 3)) {
		t.Error("the smaller response time must win")
	}
}
