package days_test

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/lab/internal/days"
)

func ExampleSimulate() {
	w := days.Downey(64, 0.75)
	policies := []policy.Policy{policy.Molding{Size: policy.AVG}, policy.Molding{Size: policy.AVG, Share: 1}}
	outcomes, err := days.Simulate(context.Background(), w, policies, 120, days.Options{Seed: 1})
	if err != nil {
		panic(err)
	}
	for i := range outcomes {
		o := &outcomes[i]
		fmt.Printf("%-12s  response time %6.0f s, useful utilization %.2f\n", o.Policy, o.Of("mean_response_time").Mean,
			o.Of("useful_utilization").Mean)
	}
	// Output:
	// avg           response time   6180 s, useful utilization 0.54
	// avg:stubborn  response time  55938 s, useful utilization 0.25
}
