package models

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// Class is a kind of jobs. The class of a job is drawn at its arrival, independently of all else.
//
// Under dynamic equi-partitioning the nodes are divided by water-filling: a job of class k has min(m_k, w) nodes, with w such
// that all nodes are in use or every job has its m_k. A static partition of n nodes is used on min(m_k, n) of them.
type Class struct {
	Name     string
	Share    float64        // of the arrivals; shares are normalised
	Demand   phasetype.Dist // run time on one node
	Speedup  workload.Speedup
	MaxNodes int // m_k, the largest number of nodes that a job can use, MinNodes..Nodes; 0 is all nodes
}

// most returns m_k on a machine.
func (c *Class) most(m policy.Machine) float64 {
	if c.MaxNodes == 0 {
		return float64(m.Nodes)
	}
	return float64(c.MaxNodes)
}

// kinds returns what the service times are made from: the classes of jobs or, without them, all jobs as one class; nil where
// service times were measured.
func (s *System) kinds() []Class {
	if len(s.Classes) == 0 && s.Speedup != nil {
		return []Class{{Share: 1, Demand: s.Demand, Speedup: s.Speedup}}
	}
	return s.Classes
}

// checkKinds returns what is wrong with what the service times are made from, a *[SystemError].
func (s *System) checkKinds() error {
	if len(s.Classes) > 0 && (s.Speedup != nil || len(s.PhaseMap) > 0) {
		return wrong("Classes", "leave no room for a Speedup or a PhaseMap beside them")
	}
	total, m := 0.0, s.Machine()
	all := s.kinds()
	for k, c := range all {
		field := "" // of the system, if all jobs are alike
		if len(s.Classes) > 0 {
			field = fmt.Sprintf("Classes[%d].", k)
		}
		switch {
		case !(c.Share >= 0 && c.Share <= math.MaxFloat64):
			return wrong(field+"Share", "is %v; use a number that is not negative", c.Share)
		case c.Speedup == nil:
			return wrong(field+"Speedup", "is missing")
		case c.MaxNodes != 0 && (c.MaxNodes < m.Unit || c.MaxNodes > m.Nodes):
			return wrong(field+"MaxNodes", "is %d; use %d to %d", c.MaxNodes, m.Unit, m.Nodes)
		}
		if problem := timeProblem(c.Demand); problem != "" {
			return wrong(field+"Demand", "%s", problem)
		}
		for i := range m.Partitions() {
			n := min(c.most(m), float64(m.Nodes)/float64(i+1))
			if at := c.Speedup.At(n); !(at > 0) || math.IsInf(at, 1) {
				return wrong(field+"Speedup", "is %v on %.6g nodes", at, n)
			}
		}
		total += c.Share
	}
	if len(all) > 0 && !(total > 0) {
		return wrong("Classes", "have no share above 0")
	}
	return nil
}

// Widest returns the class that can use most nodes, the first of several; -1 if the system has no classes.
func (s *System) Widest() int {
	k := -1
	for i := range s.Classes {
		if k < 0 || s.Classes[i].most(s.Machine()) > s.Classes[k].most(s.Machine()) {
			k = i
		}
	}
	return k
}

// ClassMeasures is what a policy does to the jobs of a class.
type ClassMeasures struct {
	Name             string
	Share            float64 // of the arrivals, of 1
	MeanResponseTime float64
	// MeanSlowdown is MeanResponseTime over the mean run time of such a job alone on the machine, E[Demand]/S(m_k).
	MeanSlowdown float64
	// MeanJobsInService includes jobs that stand still during a repartition, and jobs whose static partition is being set up.
	MeanJobsInService float64
}

// phasesOfClass are the phases of service from..to−1 of a class, and its share of the arrivals.
type phasesOfClass struct {
	*Class
	from, to int
	share    float64
}

// classNamed returns the phases of the class with a name, or those of all jobs if the name is empty. It fails if no jobs of
// the class arrive.
func (s *System) classNamed(name string) (of phasesOfClass, err error) {
	if name == "" {
		return phasesOfClass{to: s.Service[0].Phases(), share: 1}, nil
	}
	for k := range s.Classes {
		c := &s.Classes[k]
		if c.Share == 0 {
			continue
		}
		of = phasesOfClass{c, of.to, of.to + c.Demand.Phases(), c.Share / s.totalShare()}
		if c.Name == name {
			return of, nil
		}
	}
	return of, fmt.Errorf("models: no jobs arrive of a class %q", name)
}

// inService adds up, for each class that arrives, the jobs in its phases of service.
func (s *System) inService(byPhase []float64) (of []float64) {
	for _, c := range s.Classes {
		if c.Share > 0 {
			n := c.Demand.Phases()
			of = append(of, floats.Sum(byPhase[:n]))
			byPhase = byPhase[n:]
		}
	}
	return of
}

// totalShare returns the sum of the shares of the classes.
func (s *System) totalShare() (total float64) {
	for _, c := range s.Classes {
		total += c.Share
	}
	return total
}

// readClasses adds the measures of the classes that arrive; inService holds the mean number of their jobs in service.
func (m *Measures) readClasses(s *System, inService []float64) {
	total := s.totalShare()
	for _, c := range s.Classes {
		if c.Share == 0 {
			continue
		}
		of := ClassMeasures{Name: c.Name, Share: c.Share / total, MeanJobsInService: inService[len(m.Classes)]}
		of.MeanResponseTime = m.MeanWaitingTime + of.MeanJobsInService/(s.Arrivals.Rate()*of.Share)
		of.MeanSlowdown = of.MeanResponseTime * c.Speedup.At(c.most(s.Machine())) / c.Demand.Mean()
		m.Classes = append(m.Classes, of)
	}
}
