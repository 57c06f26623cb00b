package coschedulecmd_test

import (
	"slices"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/cluster"
	"github.com/partwise/partwise/cmd/partwise/internal/lab/coschedulecmd"
	"github.com/partwise/partwise/models/workload/joblog"
)

// TestGridNamesWhatDiffers: the name of a case tells its mix and what the grid has several of.
func TestGridNamesWhatDiffers(t *testing.T) {
	g := coschedulecmd.Grid{Mixes: cluster.Mixes()[:1], Patterns: []cluster.Pattern{cluster.Tree}, Skews: []float64{0, 1.5},
		Levels: []int{2, 3}, Loads: []float64{0, 0.5}}
	var titles []string
	for _, c := range g.Cases(coschedulecmd.Paper(cluster.Mixes()[6])) {
		titles = append(titles, c.Title())
		if c.Mix.Name != "wl1" || c.Cluster.Pattern != cluster.Tree || c.Cluster.Nodes != 32 {
			t.Errorf("%s: mix %s, pattern %v, %d nodes", c.Name, c.Mix.Name, c.Cluster.Pattern, c.Cluster.Nodes)
		}
	}
	want := []string{"wl1, skew 0, MPL 2, backlog", "wl1, skew 0, MPL 2, load 0.5", "wl1, skew 0, MPL 3, backlog",
		"wl1, skew 0, MPL 3, load 0.5", "wl1, skew 1.5, MPL 2, backlog", "wl1, skew 1.5, MPL 2, load 0.5",
		"wl1, skew 1.5, MPL 3, backlog", "wl1, skew 1.5, MPL 3, load 0.5"}
	if !slices.Equal(titles, want) {
		t.Errorf("cases %q, want %q", titles, want)
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

// TestFromLog: without a header the machine of a log is as large as its largest job.
func TestFromLog(t *testing.T) {
	log := joblog.Log{Jobs: []joblog.Job{{ID: 2, Submit: 9, Run: 5, Processors: 4}, {ID: 1, Submit: 3, Run: 5, Processors: 8}}}
	s, skipped, err := coschedulecmd.FromLog(log, 4, 1)
	if err != nil || s.LogNodes != 8 || len(s.Log) != 2 || s.Log[0].ID != 1 || len(skipped) != 0 {
		t.Errorf("%d nodes, jobs %v, %v left out, error %v", s.LogNodes, s.Log, skipped, err)
	}
	if _, _, err := coschedulecmd.FromLog(joblog.Log{}, 4, 1); err == nil {
		t.Error("no error of a log without jobs")
	}
}
