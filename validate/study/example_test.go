package study_test

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// A machine of 16 nodes, whose jobs ask for a quarter of it and come faster than they can all run at once. Malleable jobs grow onto
// the nodes that jobs of four nodes leave idle.
func ExampleOf() {
	var jobs []joblog.Job
	for i := range 3000 {
		jobs = append(jobs, joblog.Job{ID: i + 1, Submit: float64(1200 * i), Wait: -1, Run: float64(600 + i*7919%5400), Processors: 4})
	}
	answer, err := study.Of(context.Background(), joblog.ListOf(jobs).All(), policy.Machine{Nodes: 16}, replay.Usual(), study.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	verdict, from := answer.Gains.Verdict()
	fmt.Printf("resizing pays: %s, from %.0f %% malleable jobs on\n", verdict, 100*from.Share)
	// Output:
	// resizing pays: yes, from 20 % malleable jobs on
}
