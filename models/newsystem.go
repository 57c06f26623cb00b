package models

import (
	"math"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// NewSystem returns a machine of so many nodes, whose partitions are multiples of minNodes, with jobs of the given demand
// (their run time on one node) and speedup: B_i = Demand / S(P/i). Repartitions cost nothing until Shrink and Expand are
// set. The error is a *[SystemError].
func NewSystem(nodes, minNodes int, arrivals phasetype.MAP, demand phasetype.Dist, speedup workload.Speedup) (
	*System, error) {
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
	if s.Service, err = ServiceTimes(s.Machine(), demand, speedup); err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	return s, nil
}

// ServiceTimes returns B_i = demand / S(P/i), i = 1..N, of a machine of P nodes and N partitions. The error is a
// *[SystemError]: of Speedup if it is not positive and finite, otherwise of Demand.
func ServiceTimes(m policy.Machine, demand phasetype.Dist, speedup workload.Speedup) ([]phasetype.Dist, error) {
	all := make([]phasetype.Dist, m.Partitions())
	for i := range all {
		n := float64(m.Nodes) / float64(i+1)
		at := speedup.At(n)
		if !(at > 0) || math.IsInf(at, 1) {
			return nil, wrong("Speedup", "of %v nodes is %v", n, at)
		}
		var err error
		if all[i], err = demand.Scale(1 / at); err != nil {
			return nil, wrong("Demand", "on %v nodes: %v", n, err)
		}
	}
	return all, nil
}
