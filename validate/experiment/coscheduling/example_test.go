package coscheduling_test

import (
	"context"
	"fmt"
	"log"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/cluster"
	"github.com/partwise/partwise/validate/experiment/coscheduling"
)

// Do jobs that communicate a lot need coordinated nodes?
func ExampleSimulate() {
	mix, err := cluster.MixNamed("wl5")
	if err != nil {
		log.Fatal(err)
	}
	c := coscheduling.Paper(mix)
	c.Cluster.Nodes, c.Source = 8, coscheduling.Random{MaxNodes: 8, Dedicated: .2}
	runs := []coscheduling.Run{{Case: c, Policy: policy.Coscheduling{}}, {Case: c, Policy: policy.Gang{}}}
	outcomes, err := coscheduling.Simulate(context.Background(), runs, coscheduling.Options{Seed: 1, Jobs: 30})
	if err != nil {
		log.Fatal(err)
	}
	ratio := coscheduling.Ratio(&outcomes[0], &outcomes[1], measure.MeanRunTime)
	fmt.Println("run times without coordination are longer:", ratio.Low > 1)
	// Output: run times without coordination are longer: true
}
