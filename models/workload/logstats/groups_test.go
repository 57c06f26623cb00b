package logstats_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
)

// Two jobs of the user ann take more node-seconds than the job of bob.
func ExampleGroupsOf() {
	jobs := joblog.ListOf([]joblog.Job{
		{User: 2, Submit: 0, Wait: 10, Run: 60, Processors: 4},
		{User: 1, Submit: 5, Wait: 0, Run: 600, Processors: 1},
		{User: 1, Submit: 9, Wait: 20, Run: 30, Processors: 8},
	})
	names := joblog.Names{Users: []string{"ann", "bob"}}
	groups, err := logstats.GroupsOf(jobs.All(), &names, logstats.By(joblog.User), nil)
	for _, g := range groups {
		fmt.Println(g.Name, g.Jobs, g.NodeTime, g.Waiting.Mean, g.Waiting.P95)
	}
	fmt.Println(err)
	// Output:
	// ann 2 840 10 19
	// bob 1 240 10 10
	// <nil>
}

// The jobs of bob waited longest. A group whose waits the log does not tell has no share.
func TestSharesOfWaiting(t *testing.T) {
	jobs := joblog.ListOf([]joblog.Job{{User: 1, Wait: 10, Run: 90, Processors: 4}, {User: 2, Wait: 60, Run: 6, Processors: 1},
		{User: 1, Wait: 10, Run: 9, Processors: 4}, {User: 3, Wait: -1, Run: 7, Processors: 1}})
	groups, err := logstats.GroupsOf(jobs.All(), &joblog.Names{Users: []string{"ann", "bob", "eve"}}, logstats.By(joblog.User), nil)
	if err != nil {
		t.Fatal(err)
	}
	sorted := logstats.ByWaiting(groups)
	for i, want := range []string{"bob 0.75", "ann 0.25", "eve 0"} {
		if got := fmt.Sprint(sorted[i].Name, " ", logstats.SharesOfWaiting(sorted)[i]); got != want {
			t.Errorf("group %d: %s, want %s", i, got, want)
		}
	}
}

// Sizes and months ascend, whatever the node-seconds, and no job is lost.
func TestGroupsInOrder(t *testing.T) {
	const day = 86400
	jobs := joblog.ListOf([]joblog.Job{
		{Submit: 0, Wait: -1, Run: 1, Processors: 8},
		{Submit: 29 * day, Wait: 3, Run: 1000, Processors: 1},
		{Submit: 31 * day, Wait: 5, Run: 1, Processors: 7},
	})
	for by, want := range map[logstats.By]string{logstats.BySize: "[1:1 5–8:2]", logstats.ByMonth: "[days 1–30:2 days 31–60:1]",
		logstats.By(joblog.QOS): "[:3]"} {
		groups, err := logstats.GroupsOf(jobs.All(), new(joblog.Names), by, nil)
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		for _, g := range groups {
			told = append(told, fmt.Sprintf("%s:%d", g.Name, g.Jobs))
			if math.IsNaN(g.Waiting.Mean) {
				t.Errorf("%s %s: no waits, although some are known", by, g.Name)
			}
		}
		if fmt.Sprint(told) != want {
			t.Errorf("by %s: %v, want %s", by, told, want)
		}
	}
}
