package lab_test

import (
	"context"
	"fmt"
	"log"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/lab"
)

// Programs that exchange many messages suffer where the nodes of a cluster schedule their processes without coordination.
func ExampleCoschedule() {
	c := lab.PaperCase(lab.Mixes()[4])
	runs := []lab.CoschedulingRun{{Case: c, Policy: policy.Gang{}}, {Case: c, Policy: policy.Coscheduling{}}}
	outcomes, err := lab.Coschedule(context.Background(), runs, lab.CoschedulingOptions{Seed: 1, Replications: 2, Jobs: 20})
	if err != nil {
		log.Fatal(err)
	}
	gang, local := outcomes[0].Of(measure.MeanResponseTime), outcomes[1].Of(measure.MeanResponseTime)
	fmt.Println("gang scheduling is faster than local scheduling:", gang.Mean < local.Mean)
	// Output: gang scheduling is faster than local scheduling: true
}
