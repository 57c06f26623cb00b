package machine_test

import (
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/machine"
)

// Two jobs on four nodes, each change taking 1 and a half for each node: the first starts on four nodes at 3, the second
// takes two of them, which is four reallocations, from 3 to 6.
func TestReallocations(t *testing.T) {
	costs, err := machine.NewReallocations(1, 0.5, machine.ResizedJobs)
	if err != nil {
		t.Fatal(err)
	}
	c := machine.Config{Nodes: 4, Policy: policy.Dynamic{}, Costs: costs,
		Jobs: machine.List{malleable(1, 0, 20), malleable(2, 3, 4)}}
	records, _ := lived(t, c)
	// The first has 20 left at 6, 16 at 8, when the second ends; it gets two nodes more, stands still until 10, and ends
	// at 14.
	if records[1].End != 14 || records[0].End != 8 || records[1].Paused != 8 {
		t.Errorf("ends %v and %v, the first stands still for %v", records[1].End, records[0].End, records[1].Paused)
	}
	for _, wrong := range []machine.Reallocations{{Fixed: -1}, {PerNode: -1}, {Stops: 3}} {
		if _, err := machine.NewReallocations(wrong.Fixed, wrong.PerNode, wrong.Stops); err == nil {
			t.Errorf("%+v is accepted", wrong)
		}
	}
}
