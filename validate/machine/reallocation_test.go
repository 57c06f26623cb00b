package machine_test

import (
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// reallocations are costs by the node: what a job has in the memory of a node is written out when the job loses the
// node, and read in when it gains one. A change takes Fixed and, for each node that a job loses or gains, PerNode: nodes
// wait for each other, as at one file server; with parallel input and output all is in Fixed.
//
// Reference: C. McCann, J. Zahorjan, Scheduling memory constrained jobs on distributed memory parallel computers,
// Technical Report 94-10-05, University of Washington, 1994, section 2.3, which counts nodes and leaves the time open.
type reallocations struct {
	Fixed, PerNode float64
	Stops          machine.Stops
}

// Pause returns the time of a change that moves nodes.
func (r reallocations) Pause(c *machine.Change, _ *des.Ahead) machine.Pause {
	p := machine.Pause{Reconfigures: c.Moved > 0, Stops: r.Stops, Kind: simulation.Expands}
	if c.Why == sched.Arrival || c.Started > 0 {
		p.Kind = simulation.Shrinks
	}
	if p.Reconfigures {
		p.Time = r.Fixed + r.PerNode*float64(c.Moved)
	}
	return p
}

// Two jobs on four nodes, each change taking 1 and a half for each node: the first starts on four nodes at 3, the second
// takes two of them, which is four reallocations, from 3 to 6.
func TestReallocations(t *testing.T) {
	costs := reallocations{1, 0.5, machine.ResizedJobs}
	c := machine.Config{Nodes: 4, Policy: policy.Dynamic{}, Costs: costs,
		Jobs: machine.List{malleable(1, 0, 20), malleable(2, 3, 4)}}
	records, _ := lived(t, c)
	// The first has 20 left at 6, 16 at 8, when the second ends; it gets two nodes more, stands still until 10, and ends
	// at 14.
	if records[1].End != 14 || records[0].End != 8 || records[1].Paused != 8 {
		t.Errorf("ends %v and %v, the first stands still for %v", records[1].End, records[0].End, records[1].Paused)
	}
}
