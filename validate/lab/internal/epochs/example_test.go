package epochs_test

import (
	"context"
	"fmt"
	"log"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/lab/internal/epochs"
)

// Seven jobs on 128 nodes: a policy that divides nodes evenly needs an epoch for each power of two in seven, one that
// lets jobs differ by a node does not.
func ExampleExperiment_Do_overheads() {
	chosen, err := epochs.Choices(policy.Standard(), []string{"equi", "heuristic:1"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	p := epochs.Point{Case: epochs.Case{Nodes: 128, Jobs: 7, LoadFactor: 1}}
	all, err := epochs.OverheadExperiment.Do(context.Background(), p, chosen, epochs.Options{Seed: 1, Draws: 1000})
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range all {
		fmt.Printf("%s: a node is reallocated %.1f times in a quantum\n", o.Policy, o.Of(epochs.NormalizedOverhead).Mean)
	}
	// Output:
	// equi: a node is reallocated 3.0 times in a quantum
	// heuristic:1: a node is reallocated 2.0 times in a quantum
}

// Jobs that keep their threads are slowed down by numbers of nodes that do not divide 128.
func ExampleExperiment_Do_responses() {
	chosen, err := epochs.Choices(policy.Standard(), []string{"buddy", "heuristic:4"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	p := epochs.Point{Case: epochs.Case{Nodes: 128, Jobs: 8, LoadFactor: 1}, Application: epochs.Static}
	all, err := epochs.ResponseExperiment.Do(context.Background(), p, chosen, epochs.Options{Seed: 1, Replications: 20, Jobs: 500})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range all {
		fmt.Printf("%s takes %.1f times as long as opt:1\n", r.Policy, r.Of(epochs.RelativeResponse).Mean)
	}
	// Output:
	// buddy takes 0.9 times as long as opt:1
	// heuristic:4 takes 1.1 times as long as opt:1
}
