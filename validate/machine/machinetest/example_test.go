package batchtest_test

import (
	"context"
	"fmt"
	"log"

	"github.com/partwise/partwise/validate/batch"
	"github.com/partwise/partwise/validate/batch/batchtest"
)

// A run is watched by a checker that knows what any schedule, and one of this policy, must satisfy.
func ExampleWatch() {
	policy, err := batch.Parse("easy")
	if err != nil {
		log.Fatal(err)
	}
	c, checker := batchtest.Watch(batch.Config{Nodes: 4, Policy: policy()})
	jobs := batch.Jobs([]batch.Request{{ID: 1, Nodes: 4, Run: 10}, {ID: 2, Submit: 1, Nodes: 2, Run: 5}})
	if _, err := batch.Run(context.Background(), c, jobs); err != nil {
		log.Fatal(err)
	}
	fmt.Println(checker.Err())
	// Output: <nil>
}
