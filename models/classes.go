package models

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// Class is a class of jobs. The class of a job is drawn at its arrival, independently of everything else.
//
// Under dynamic equi-partitioning the nodes are divided by water-filling: a job of class k gets min(m_k, w) nodes. The
// level w is the one at which all nodes are used, or infinite if all jobs have their m_k. In a static partition of n
// nodes, a job uses min(m_k, n) nodes.
type Class struct {
	Name  string
	Share float64 // share of the arrivals; shares are divided by their sum
	// OfAll says that Share is a share of all arrivals: it stays if another class has another share, see [System.WithShare].
	OfAll    bool
	Demand   phasetype.Dist // run time on one node
	Speedup  workload.Speedup
	MaxNodes int // m_k, the largest number of nodes that a job can use, MinNodes..Nodes; 0 is all nodes
	Nodes    int // n_k, the number of nodes that a rigid job asks for, a multiple of MinNodes; 0 if that is not known
}

// most returns m_k for a machine.
func (c *Class) most(m policy.Machine) float64 {
	if c.MaxNodes == 0 {
		return float64(m.Nodes)
	}
	return float64(c.MaxNodes)
}

// reference returns the number of nodes that the slowdown of a job is relative to: for which the job asks or, if it asks for no
// number, the most that it can use.
func (c *Class) reference(m policy.Machine) float64 {
	if c.Nodes > 0 {
		return float64(c.Nodes)
	}
	return c.most(m)
}

// kinds returns the classes from which the service times are made. Without classes it returns all jobs as one class, and
// nil if the service times were measured.
func (s *System) kinds() []Class {
	if len(s.Classes) == 0 && s.Speedup != nil {
		return []Class{{Share: 1, Demand: s.Demand, Speedup: s.Speedup, Nodes: s.JobNodes}}
	}
	return s.Classes
}

// checkKinds returns a *[SystemError] if the classes, or the demand and the speedup, are not valid.
func (s *System) checkKinds() error {
	if len(s.Classes) > 0 && (s.Speedup != nil || len(s.PhaseMap) > 0) {
		return wrong("Classes", "leave no room for a Speedup or a PhaseMap beside them")
	}
	if s.JobNodes != 0 && s.Speedup == nil {
		return wrong("JobNodes", "belongs to a Demand and a Speedup; classes have Nodes of their own")
	}
	total, m := 0.0, s.Machine()
	if m.Partitions() > maxPartitions {
		return wrong("Nodes", "make %d partitions, at most %d are supported; raise MinNodes", m.Partitions(), maxPartitions)
	}
	all := s.kinds()
	for k, c := range all {
		field := "" // without classes, they are fields of the system
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
		if problem := speedupProblem(c.Speedup); problem != "" {
			return wrong(field+"Speedup", "%s", problem)
		}
		for i := range m.Partitions() {
			n := min(c.most(m), float64(m.Nodes)/float64(i+1))
			if at := c.Speedup.At(n); !(at > 0) || math.IsInf(at, 1) {
				return wrong(field+"Speedup", "is %v on %.6g nodes", at, n)
			}
		}
		if problem := c.nodesProblem(m); problem != "" {
			return wrong(cmp.Or(field, "Job")+"Nodes", "%s", problem)
		}
		total += c.Share
	}
	if len(all) > 0 && !(total > 0) {
		return wrong("Classes", "have no share above 0")
	}
	return nil
}

// nodesProblem returns what is wrong with the number of nodes that a rigid job asks for, "" if nothing is.
func (c *Class) nodesProblem(m policy.Machine) string {
	switch {
	case c.Nodes == 0:
		return ""
	case c.Nodes < 0 || c.Nodes > m.Nodes:
		return fmt.Sprintf("is %d; use 1 to %d", c.Nodes, m.Nodes)
	case c.Nodes%m.Unit != 0:
		return fmt.Sprintf("is %d, which is no multiple of the %d nodes of the smallest partition", c.Nodes, m.Unit)
	}
	if at := c.Speedup.At(float64(c.Nodes)); !(at > 0) || math.IsInf(at, 1) {
		return fmt.Sprintf("is %d, where the speedup is %v", c.Nodes, at)
	}
	return ""
}

// Widest returns the index of the class that can use the most nodes. Among equals it is the class that asks for the most
// nodes, and the first of these. It is -1 if the system has no classes.
func (s *System) Widest() int {
	s = s.orEmpty()
	k := -1
	for i := range s.Classes {
		if k < 0 || cmp.Or(cmp.Compare(s.Classes[i].most(s.Machine()), s.Classes[k].most(s.Machine())),
			cmp.Compare(s.Classes[i].Nodes, s.Classes[k].Nodes)) > 0 {
			k = i
		}
	}
	return k
}

// ClassMeasures are the measures of the jobs of a class.
type ClassMeasures struct {
	Name             string
	Share            float64 // share of the arrivals, from 0 to 1
	MeanResponseTime float64
	MeanWaitingTime  float64
	ProbabilityWait  float64 // P(an arriving job of the class waits)
	// MeanSlowdown is the ratio of the means, MeanResponseTime·S(n)/E[Demand]. n is the number of nodes that jobs of the class ask
	// for or, if they ask for no number, the most that they can use, m_k. It is below 1 if jobs get so many more nodes than they
	// ask for that they end earlier.
	MeanSlowdown float64
	// MeanJobsInService includes jobs that stand still during a repartition, and jobs whose static partition is being set up.
	MeanJobsInService float64
	Variances         *TimeVariances // nil for a policy under which variances of times are not known
}

// phasesOfClass holds the phases of service from to to−1 of a class, and the share of the class in the arrivals.
type phasesOfClass struct {
	*Class
	from, to int
	share    float64
}

// arriving returns the classes with a positive share of the arrivals.
func (s *System) arriving() (all []phasesOfClass) {
	total, from := 0.0, 0
	for _, c := range s.Classes {
		total += c.Share
	}
	for k := range s.Classes {
		if c := &s.Classes[k]; c.Share > 0 {
			to := from + c.Demand.Phases()
			all = append(all, phasesOfClass{c, from, to, c.Share / total})
			from = to
		}
	}
	return all
}

// classNamed returns the phases of the class with a name, or the phases of all jobs if the name is empty. The error
// tells that no jobs of the class arrive.
func (s *System) classNamed(name string) (phasesOfClass, error) {
	if name == "" {
		return phasesOfClass{to: s.Service[0].Phases(), share: 1}, nil
	}
	for _, c := range s.arriving() {
		if c.Name == name {
			return c, nil
		}
	}
	return phasesOfClass{}, fmt.Errorf("models: no jobs arrive of a class %q", name)
}

// readClasses adds the measures of the classes that arrive. inService returns the mean number of jobs of a class in
// service. By Little's law the mean response time is the mean waiting time, which all classes share, plus that number
// over the arrival rate of the class.
func (m *Measures) readClasses(s *System, inService func(phasesOfClass) float64) {
	for _, c := range s.arriving() {
		of := ClassMeasures{Name: c.Name, Share: c.share, MeanJobsInService: inService(c), MeanWaitingTime: m.MeanWaitingTime,
			ProbabilityWait: m.ProbabilityWait}
		of.MeanResponseTime = m.MeanWaitingTime + of.MeanJobsInService/(s.Arrivals.Rate()*of.Share)
		of.MeanSlowdown = of.MeanResponseTime * c.Speedup.At(c.reference(s.Machine())) / c.Demand.Mean()
		m.Classes = append(m.Classes, of)
	}
}

// inPhases returns a function that sums, over the phases of a class, the mean numbers of jobs in each phase.
func inPhases(jobs []float64) func(phasesOfClass) float64 {
	return func(c phasesOfClass) float64 { return floats.Sum(jobs[c.from:c.to]) }
}

// shareGrain rounds the share that other classes leave to 12 decimals, so that 0.9 leaves 0.1.
const shareGrain = 1e12

// LargestShare returns the largest share of the arrivals that class k can have, 1 − Σ_j p_j. The sum is over the other classes
// whose shares are of all arrivals, see [Class.OfAll]. It is 0 if the shares of all classes beside k are of all arrivals or 0, and k
// cannot have another share. The error is a *[SystemError].
func (s *System) LargestShare(k int) (float64, error) {
	if err := s.Check(); err != nil {
		return 0, err
	}
	if k < 0 || k >= len(s.Classes) {
		return 0, wrong("Classes", "are %d, and have no class %d", len(s.Classes), k)
	}
	total, held, free := 0.0, 0.0, 0.0
	for j, c := range s.Classes {
		total += c.Share
		switch {
		case j == k:
		case c.OfAll:
			held += c.Share
		default:
			free += c.Share
		}
	}
	if free == 0 {
		return 0, nil
	}
	return max(0, math.Round((1-held/total)*shareGrain)/shareGrain), nil
}

// WithShare returns the system in which class k has the share p of the arrivals, from 0 to [System.LargestShare]. The relative load
// is the same. Classes with OfAll keep their shares, and the others divide the rest in their present proportions. The error is a
// *[SystemError].
func (s *System) WithShare(k int, p float64) (*System, error) {
	largest, err := s.LargestShare(k)
	switch {
	case err != nil:
		return nil, err
	case largest == 0:
		return nil, wrong("Classes", "beside class %d have no share that can change", k)
	case !(p >= 0 && p <= largest):
		return nil, wrong("Classes", "leave class %d shares from 0 to %v of the arrivals, not %v", k, largest, p)
	}
	total, free := 0.0, 0.0
	for j, c := range s.Classes {
		total += c.Share
		if j != k && !c.OfAll {
			free += c.Share
		}
	}
	changed := *s
	changed.Classes = slices.Clone(s.Classes)
	for j := range changed.Classes {
		c := &changed.Classes[j]
		switch {
		case j == k:
			c.Share = p
		case c.OfAll:
			c.Share /= total
		default:
			c.Share *= (largest - p) / free
		}
	}
	if changed.Service, err = changed.ServiceTimes(); err != nil {
		return nil, err
	}
	return changed.WithLoad(s.Load())
}
