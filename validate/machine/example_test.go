package machine_test

import (
	"fmt"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/machine"
)

// The first steps of a machine of eight nodes.
func ExamplePolicy() {
	arrivals, _ := phasetype.Renewal(exponential(2))
	m, _ := machine.New(machine.Config{
		Nodes: 8, Unit: 1, Arrivals: arrivals, Demand: exponential(16), Speed: speeds(8),
		Policy: func() machine.Policy { return &machine.Dynamic{} },
		Observe: func(v machine.View, why machine.Event) {
			fmt.Print(v.Running(), " jobs:")
			for i := range v.Running() {
				fmt.Print(" ", v.Held(v.Started(i)))
			}
			fmt.Println()
		},
	})
	var t machine.Tally
	if err := m.Start(des.Seed(4)).Advance(2, &t); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1 jobs: 8
	// 2 jobs: 4 4
	// 1 jobs: 8
	// 2 jobs: 4 4
	// 1 jobs: 8
}
