package coscheduling_test

import (
	"testing"

	"github.com/partwise/partwise/validate/lab/internal/coscheduling"
)

// TestTitles: the title of a case tells its load, unless its name does.
func TestTitles(t *testing.T) {
	for _, c := range []struct {
		name, want string
		load       float64
	}{{"wl1", "wl1, backlog", 0}, {"wl1", "wl1, load 0.5", 0.5}, {"load 0.5", "load 0.5", 0.5}} {
		one := coscheduling.Case{Name: c.name, Load: c.load}
		if got := one.Title(); got != c.want {
			t.Errorf("%s at load %v: %q, want %q", c.name, c.load, got, c.want)
		}
	}
}

// TestGroups: outcomes of a case and load that stand beside each other make a group.
