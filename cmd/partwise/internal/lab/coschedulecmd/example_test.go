package coschedulecmd_test

import (
	"context"
	"fmt"
	"log"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/cluster"
	"github.com/partwise/partwise/cmd/partwise/internal/lab/coschedulecmd"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
)

// Do jobs that communicate a lot need coordinated nodes?
func ExampleSimulate() {
	c := coschedulecmd.Paper(cluster.Mixes()[4]) // wl5
	c.Cluster.Nodes, c.Jobs = 8, coschedulecmd.Random{MaxNodes: 8, Dedicated: .1}
	runs := []coschedulecmd.Run{{Case: c, Policy: policy.Coscheduling{}}, {Case: c, Policy: policy.Gang{}}}
	outcomes, err := coschedulecmd.Simulate(context.Background(), runs, coschedulecmd.Options{Seed: 1, Jobs: 30, Replications: 5})
	if err != nil {
		log.Fatal(err)
	}
	ratio := coschedulecmd.Ratio(&outcomes[0], &outcomes[1], measure.MeanRunTime)
	fmt.Println("run times without coordination are longer:", ratio.Low > 1)
	// Output: run times without coordination are longer: true
}
