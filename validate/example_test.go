package validate_test

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate"
)

// A single server at load .5 has 1/(1−.5) = 2 mean service times of response.
func ExampleSimulate() {
	arrivals, _ := phasetype.Renewal(exponential(2))
	sys := &models.System{Nodes: 1, MinNodes: 1, Arrivals: arrivals, Service: []phasetype.Dist{exponential(1)}}
	sim, err := validate.Simulate(context.Background(), sys, policy.Dynamic{}, validate.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	t, _ := sim.Measure("mean_response_time")
	fmt.Println(t.Low < 2 && 2 < t.High, t.HalfWidth < 0.01*t.Mean)
	// Output: true true
}
