package families_test

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/lab/internal/families"
)

// Long jobs of all nodes alternate with short ones: who shares the machine lets the short ones pass.
func ExampleRun() {
	w := &families.Workload{Nodes: 4, Unit: 1}
	for i := range 200 {
		run := 10.0
		if i%2 == 1 {
			run = 1
		}
		w.Jobs = append(w.Jobs, workload.Job{Submit: 6 * float64(i), Nodes: 4, Run: run, Work: 4 * run})
	}
	all := []families.Family{{Policy: policy.FCFS{}}, {Policy: policy.Dynamic{}}}
	outcomes, err := families.Run(context.Background(), w, all, families.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range outcomes {
		fmt.Printf("%-8s mean response time %.2f, mean slowdown %.2f\n", o.Policy, o.MeanResponseTime.Mean, o.MeanSlowdown.Mean)
	}
	// Output:
	// fcfs     mean response time 7.50, mean slowdown 3.00
	// dynamic  mean response time 6.50, mean slowdown 1.55
}
