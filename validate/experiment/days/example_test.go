package days_test

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/validate/batch"
	"github.com/partwise/partwise/validate/days"
)

func ExampleSimulate() {
	w, err := days.Downey(64, 0.75)
	if err != nil {
		panic(err)
	}
	var strategies []days.Strategy
	for _, name := range []string{"avg", "avg:stubborn"} {
		makePolicy, err := batch.Parse(name)
		if err != nil {
			panic(err)
		}
		strategies = append(strategies, days.Strategy{Name: name, New: makePolicy})
	}
	outcomes, err := days.Simulate(context.Background(), w, strategies, 120, days.Options{Seed: 1})
	if err != nil {
		panic(err)
	}
	for i := range outcomes {
		o := &outcomes[i]
		fmt.Printf("%-12s  turnaround %6.0f s, utilization %.2f\n", o.Strategy, o.Of("mean_turnaround").Mean,
			o.Of("utilization").Mean)
	}
	// Output:
	// avg           turnaround   6180 s, utilization 0.54
	// avg:stubborn  turnaround  55938 s, utilization 0.25
}
