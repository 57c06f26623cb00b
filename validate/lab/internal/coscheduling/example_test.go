package coscheduling_test

import (
	"context"
	"fmt"
	"log"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/lab/internal/cluster"
	"github.com/partwise/partwise/validate/lab/internal/coscheduling"
)

// Do jobs that communicate a lot need coordinated nodes?
func ExampleSimulate() {
	c := coscheduling.Paper(cluster.Mixes()[4]) // wl5
	c.Cluster.Nodes, c.Jobs = 8, coscheduling.Random{MaxNodes: 8, Dedicated: .1}
	runs := []coscheduling.Run{{Case: c, Policy: policy.Coscheduling{}}, {Case: c, Policy: policy.Gang{}}}
	outcomes, err := coscheduling.Simulate(context.Background(), runs, coscheduling.Options{Seed: 1, Jobs: 30, Replications: 5})
	if err != nil {
		log.Fatal(err)
	}
	runTimes := ratio(&outcomes[0], &outcomes[1], measure.MeanRunTime)
	fmt.Println("run times without coordination are longer:", runTimes.Low > 1)
	// Output: run times without coordination are longer: true
}
