package coschedulecmd_test

import (
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/cluster"
	"github.com/partwise/partwise/cmd/partwise/internal/lab/coschedulecmd"
)

// TestTitles: the title of a case tells its load, unless its name does.
func TestTitles(t *testing.T) {
	for _, c := range []struct {
		name, want string
		load       float64
	}{{"wl1", "wl1, backlog", 0}, {"wl1", "wl1, load 0.5", 0.5}, {"load 0.5", "load 0.5", 0.5}} {
		one := coschedulecmd.Case{Name: c.name, Load: c.load}
		if got := one.Title(); got != c.want {
			t.Errorf("%s at load %v: %q, want %q", c.name, c.load, got, c.want)
		}
	}
}

// TestGroups: outcomes of a case and load that stand beside each other make a group.
func TestGroups(t *testing.T) {
	a, b := coschedulecmd.Paper(cluster.Mixes()[0]), coschedulecmd.Paper(cluster.Mixes()[1])
	var all []coschedulecmd.Outcome
	for _, c := range []coschedulecmd.Case{a, a, b} {
		all = append(all, coschedulecmd.Outcome{Run: coschedulecmd.Run{Case: c}})
	}
	groups := coschedulecmd.Groups(all)
	if len(groups) != 2 || len(groups[0]) != 2 || groups[1][0].Case.Name != "wl2" {
		t.Errorf("%d groups of %d outcomes", len(groups), len(all))
	}
}
