package machinetest_test

import (
	"context"
	"fmt"
	"log"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/machine"
)

// A run is watched by a checker that knows what any schedule, and one of this policy, must satisfy.
func ExampleWatch() {
	c, checker := machinetest.Watch(machine.Config{Nodes: 4, Policy: policy.EASY{}, Jobs: machine.List{
		{ID: 1, Nodes: 4, Run: 10, Work: 40}, {ID: 2, Submit: 1, Nodes: 2, Run: 5, Work: 10},
	}})
	if _, err := machine.Run(context.Background(), c, des.Seed(1)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(checker.Err())
	// Output: <nil>
}
