package machine

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/validate/des"
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
	Stops          Stops
}

// newReallocations returns the costs; times are not negative, in the unit of the machine.
func newReallocations(fixed, perNode float64, stops Stops) (reallocations, error) {
	switch {
	case !(fixed >= 0) || math.IsInf(fixed, 1) || !(perNode >= 0) || math.IsInf(perNode, 1):
		return reallocations{}, fmt.Errorf("machine: reallocations take %v, and %v for a node", fixed, perNode)
	case stops > NoJobs:
		return reallocations{}, fmt.Errorf("machine: unknown jobs %d to stop", stops)
	}
	return reallocations{fixed, perNode, stops}, nil
}

// Pause returns the time of a change that moves nodes.
func (r reallocations) Pause(c Change, _ *des.Ahead) Pause {
	p := Pause{Reconfigures: c.Moved > 0, Stops: r.Stops, Kind: des.Expands}
	if c.Why == sched.Arrival || c.Started > 0 {
		p.Kind = des.Shrinks
	}
	if p.Reconfigures {
		p.Time = r.Fixed + r.PerNode*float64(c.Moved)
	}
	return p
}
