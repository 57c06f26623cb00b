package replay_test

import (
	"testing"

	"github.com/partwise/partwise/validate/replay"
)

func TestParseFlatCost(t *testing.T) {
	for _, c := range []struct {
		text, name     string
		seconds        float64
		isTime, failed bool
	}{{"60", "60s", 60, true, false}, {"1m", "1m", 60, true, false}, {"-1s", "-1s", -1, true, true}, {"1e30s", "1e30s", 1e30, true, true},
		{"costs.csv", "costs.csv", 0, false, true}} {
		got, isTime, err := replay.ParseFlatCost(c.text)
		if got.Name != c.name || got.Seconds != c.seconds || isTime != c.isTime || (err != nil) != c.failed {
			t.Errorf("%s: %+v, %v, %v", c.text, got, isTime, err)
		}
	}
}
