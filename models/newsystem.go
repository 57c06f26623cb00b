package models

import (
	"fmt"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// NewSystem returns a machine of P = nodes nodes, whose partitions are multiples of minNodes. Jobs have the given demand
// (run time on one node) and speedup S, so B_i = Demand/S(P/i). Repartitions cost nothing until Shrink and Expand are
// set. The error is a *[SystemError].
func NewSystem(nodes, minNodes int, arrivals phasetype.MAP, demand phasetype.Dist, speedup workload.Speedup) (*System, error) {
	s := &System{Nodes: nodes, MinNodes: minNodes, Arrivals: arrivals, Demand: demand, Speedup: speedup}
	var err error
	if s.Service, err = s.ServiceTimes(); err == nil {
		err = s.Check()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ServiceTimes returns B_i, i = 1..N, of a machine of P nodes, made from Demand and Speedup: B_i = Demand/S(P/i). With
// classes of jobs B_i is the mixture, by the shares, of Demand_k/S_k(min(m_k, P/i)), with the phases of the classes side
// by side. The error is a *[SystemError].
func (s *System) ServiceTimes() ([]phasetype.Dist, error) {
	if s == nil {
		return nil, wrong("", "there is none")
	}
	if err := s.checkKinds(); err != nil {
		return nil, err
	}
	m, classes := s.Machine(), s.kinds()
	if len(classes) == 0 {
		return nil, wrong("Speedup", "is missing")
	}
	shares, all := make([]float64, len(classes)), make([]phasetype.Dist, m.Partitions())
	of := make([]phasetype.Dist, len(classes))
	for i := range all {
		var err error
		for k, c := range classes {
			at := c.Speedup.At(min(c.most(m), float64(m.Nodes)/float64(i+1)))
			if of[k], err = c.Demand.Scale(1 / at); err != nil {
				return nil, wrong(fmt.Sprintf("Service[%d]", i), "cannot be made with a speedup of %v", at)
			}
			shares[k] = c.Share
		}
		all[i] = of[0]
		if len(classes) == 1 {
			continue
		}
		if all[i], err = phasetype.Mixture(shares, of); err != nil {
			return nil, wrong("Classes", "have no mixture: %v", err)
		}
	}
	return all, nil
}
