package testbed_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/lab/internal/testbed"
)

// Two jobs on two nodes, each a process of this program, which calls Serve at its beginning if IsNode.
func Example() {
	m, err := testbed.Start(context.Background(), 2)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	job := workload.Job{ID: 1, Kind: workload.Malleable, Work: 0.2}
	second := job
	second.ID, second.Submit = 2, 0.03
	o, err := m.Run(context.Background(), testbed.Workload{Jobs: []testbed.Job{{Job: job}, {Job: second}}, Phase: 10 * time.Millisecond,
		Elements: 100}, policy.Dynamic{}, des.Seed(1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(o.Jobs), "jobs;", "resized when the second came:", o.Reconfigurations[1].Resized)
	// Output:
	// 2 jobs; resized when the second came: 1
}
