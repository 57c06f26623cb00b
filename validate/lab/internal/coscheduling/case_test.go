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

// TestIsOverLoads: outcomes are shown over loads if these differ outside of the paper's figures, or if they name the cases.
func TestIsOverLoads(t *testing.T) {
	for _, c := range []struct {
		figure string
		cases  []coscheduling.Case
		want   bool
	}{{"", nil, false}, {"", []coscheduling.Case{{Name: "wl1", Load: 0.5}, {Name: "wl1", Load: 0.6}}, true},
		{"3", []coscheduling.Case{{Name: "wl1", Load: 0.5}, {Name: "wl1", Load: 0.6}}, false},
		{"", []coscheduling.Case{{Name: "wl1", Load: 0.5}, {Name: "wl2", Load: 0.5}}, false},
		{"3", []coscheduling.Case{{Name: "load 0.5", Load: 0.5}}, true},
		{"3", []coscheduling.Case{{Name: "wl2, load 0.5", Load: 0.5}}, false}} {
		var outcomes []coscheduling.Outcome
		for _, one := range c.cases {
			outcomes = append(outcomes, coscheduling.Outcome{Run: coscheduling.Run{Case: one}})
		}
		if got := (&coscheduling.Figure{Name: c.figure}).IsOverLoads(outcomes); got != c.want {
			t.Errorf("figure %q, %v: %v", c.figure, c.cases, got)
		}
	}
}

// TestGroups: outcomes of a case and load that stand beside each other make a group.
