package models

import (
	"fmt"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// NewSystem returns a machine of so many nodes, whose partitions are multiples of minNodes, with jobs of the given demand
// (their run time on one node) and speedup: B_i = Demand / S(P/i). Repartitions cost nothing until Shrink and Expand are
// set. The error is a *[SystemError].
func NewSystem(nodes, minNodes int, arrivals phasetype.MAP, demand phasetype.Dist, speedup workload.Speedup) (*System, error) {
	s := &System{Nodes: nodes, MinNodes: minNodes, Arrivals: arrivals, Demand: demand, Speedup: speedup}
	switch {
	case minNodes < 1 || nodes < minNodes || nodes%minNodes != 0:
		return nil, wrong("MinNodes", "%d does not divide the %d nodes", minNodes, nodes)
	case demand.Phases() == 0:
		return nil, wrong("Demand", "is missing")
	case speedup == nil:
		return nil, wrong("Speedup", "is missing")
	}
	var err error
	if s.Service, err = ServiceTimes(s.Machine(), demand, speedup); err == nil {
		err = s.Check()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ServiceTimes returns B_i = demand / S(P/i), i = 1..N, of a machine of P nodes. The error is a *[SystemError].
func ServiceTimes(m policy.Machine, demand phasetype.Dist, speedup workload.Speedup) (all []phasetype.Dist, err error) {
	if speedup == nil {
		return nil, wrong("Service", "has no speedup")
	}
	all = make([]phasetype.Dist, m.Partitions())
	for i := range all {
		at := speedup.At(float64(m.Nodes) / float64(i+1))
		if all[i], err = demand.Scale(1 / at); err != nil {
			return nil, wrong(fmt.Sprintf("Service[%d]", i), "cannot be made with a speedup of %v", at)
		}
	}
	return all, nil
}
