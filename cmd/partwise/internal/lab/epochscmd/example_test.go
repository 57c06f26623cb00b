package epochscmd_test

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/epochscmd"
	"github.com/partwise/partwise/models/policy"
)

// Seven jobs on 128 nodes: a policy that divides nodes evenly needs an epoch for each power of two in seven, one that
// lets jobs differ by a node does not.
func ExampleOverheads() {
	c := epochscmd.Case{Nodes: 128, Jobs: 7, LoadFactor: 1}
	policies := []policy.Policy{policy.Epochs{Rule: policy.EquiEpoch}, policy.Epochs{Rule: policy.HeuristicEpoch, Spread: 1}}
	all, err := epochscmd.Overheads(context.Background(), c, policies, epochscmd.Options{Seed: 1, Draws: 1000})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range all {
		fmt.Printf("%s: a node is reallocated %.1f times in a quantum\n", o.Policy, o.Of(epochscmd.NormalizedOverhead).Mean)
	}
	// Output:
	// equi: a node is reallocated 3.0 times in a quantum
	// heuristic:1: a node is reallocated 2.0 times in a quantum
}

// Jobs that keep their threads are slowed down by numbers of nodes that do not divide 128.
func ExampleResponses() {
	c := epochscmd.Case{Nodes: 128, Jobs: 8, LoadFactor: 1}
	policies := []policy.Policy{policy.Epochs{Rule: policy.Buddy}, policy.Epochs{Rule: policy.HeuristicEpoch, Spread: 4}}
	all, err := epochscmd.Responses(context.Background(), c, epochscmd.Static, policies, epochscmd.Options{Seed: 1, Jobs: 500})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range all {
		fmt.Printf("%s takes %.1f times as long as opt:1\n", r.Policy, r.Of(epochscmd.RelativeResponse).Mean)
	}
	// Output:
	// buddy takes 0.9 times as long as opt:1
	// heuristic:4 takes 1.1 times as long as opt:1
}
