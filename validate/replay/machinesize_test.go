package replay_test

import (
	"fmt"
	"log"
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// The header of a log does not say how many nodes the machine has: it is assumed to have the nodes on which jobs ran.
func ExampleAssumeNodes() {
	jobs := joblog.ListOf([]joblog.Job{
		{ID: 1, Submit: 0, Wait: 0, Run: 100, Processors: 4, Status: joblog.Completed},
		{ID: 2, Submit: 10, Wait: 0, Run: 100, Processors: 3, Status: joblog.Completed},
		{ID: 3, Submit: 20, Wait: 90, Run: 50, Processors: 5, Status: joblog.Completed},
	})
	c := replay.Choice{Name: "three jobs"}
	if err := replay.AssumeNodes(&c, jobs.All()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Nodes, "nodes;", c.Header.Comments)
	// Output:
	// 7 nodes; [ MaxNodes: 7  MaxProcs: 7]
}

// TestSizesOfMachines: CPUs that are not named leave a choice as it is, and a nil choice is an error.
func TestSizesOfMachines(t *testing.T) {
	jobs := joblog.ListOf([]joblog.Job{{ID: 1, Run: 100, Processors: 4, Status: joblog.Completed}})
	c := replay.Choice{Name: "one job", Nodes: 2, Unit: joblog.InCPUs}
	if _, countsNodes, err := replay.SizeNodes(&c, jobs.All()); countsNodes || err != nil || c.Range.Names.NodeSizes != nil {
		t.Errorf("without names of nodes: %v, %v, %v", countsNodes, err, c.Range.Names.NodeSizes)
	}
	if err := replay.AssumeNodes(nil, jobs.All()); err == nil {
		t.Error("no choice has assumed nodes")
	}
	if _, _, err := replay.SizeNodes(nil, jobs.All()); err == nil {
		t.Error("no choice has CPUs")
	}
}
