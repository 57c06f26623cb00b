package metric_test

import (
	"context"
	"fmt"
	"log"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// What happened to two jobs, of which the second waits for the first, and a metric of one's own beside the table's.
func ExampleLog() {
	measures := metric.NewLog(metric.Machine{Nodes: 4}, nil)
	longest := 0.0
	c := machine.Config{Nodes: 4, Policy: policy.FCFS{},
		Jobs: machine.List([]workload.Job{
			{ID: 1, Nodes: 4, Run: 60, Work: 240},
			{ID: 2, Submit: 20, Nodes: 2, Run: 100, Work: 200},
		}),
		Done: func(r *machine.Record) {
			measures.Add(r)
			longest = max(longest, r.Wait())
		}}
	if _, err := machine.Run(context.Background(), c, des.Seed(1)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(measures.Measures()[measure.MeanResponseTime], "s, longest wait", longest, "s")
	// Output: 100 s, longest wait 40 s
}
