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

// TestParsePoints: scheduling points are pieces of work or times, and jobs may wait for each other at them.
func TestParsePoints(t *testing.T) {
	for _, c := range []struct {
		text     string
		number   int
		every    float64
		together bool
		failed   bool
	}{{text: "50", number: 50}, {text: "1e2", number: 100}, {text: "60s", every: 60}, {text: "0.5", every: 0.5},
		{text: "1m,together", every: 60, together: true}, {text: "2,together", number: 2, together: true}, {text: "0", failed: true},
		{text: "-3", failed: true}, {text: "-1s", failed: true}, {text: "often", failed: true}, {text: ",together", failed: true}} {
		got, err := replay.ParsePoints(c.text)
		if (err != nil) != c.failed {
			t.Errorf("%s: %v", c.text, err)
		}
		if err == nil && (got.Number != c.number || got.Together != c.together || (c.every > 0) != (got.Every != nil) ||
			c.every > 0 && got.Every[0] != c.every) {
			t.Errorf("%s: %+v", c.text, got)
		}
	}
}
