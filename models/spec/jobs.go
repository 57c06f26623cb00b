package spec

import (
	"fmt"
	"math"
	"strconv"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// What a model may be at most. Far beyond what can be solved, but what is made of a file must fit into memory.
const (
	maxNodeCount  = 1_000_000
	maxPartitions = 4096
	maxEntries    = 1 << 23 // of all service distributions together
)

// short writes a number with the digits it has.
func short(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// machine reads the nodes.
func (c *cursor) machine(s *models.System) bool {
	o, ok := c.object("nodes", "min_nodes")
	if !ok {
		return false
	}
	s.MinNodes = 1
	okMin := true
	if v, ok := o.field("min_nodes"); ok {
		s.MinNodes, okMin = v.whole("the least number of nodes of a job", 1, maxNodeCount)
	}
	v, ok := o.need("nodes", "say how many nodes the machine has")
	if !ok {
		return false
	}
	if s.Nodes, ok = v.whole("the number of nodes", 1, maxNodeCount); !ok || !okMin || !o.ok {
		return false
	}
	if s.Nodes%s.MinNodes != 0 {
		at, _ := o.field("min_nodes")
		at.fail(fmt.Sprintf("%d does not divide the %d nodes", s.MinNodes, s.Nodes), "")
		return false
	}
	if n := s.Partitions(); n > maxPartitions {
		v.fail(fmt.Sprintf("makes %d partitions, at most %d are supported", n, maxPartitions), "raise min_nodes")
		return false
	}
	return true
}

// partitionSizes returns P/i, i = 1..N.
func partitionSizes(s *models.System) []float64 {
	sizes := make([]float64, s.Partitions())
	for i := range sizes {
		sizes[i] = float64(s.Nodes) / float64(i+1)
	}
	return sizes
}

// jobs reads the service times; the machine is known.
func (c *cursor) jobs(s *models.System) bool {
	o, ok := c.object("demand", "speedup", "service", "phase_map")
	if !ok {
		return false
	}
	name, v, ok := o.oneOf("demand", "service")
	if !ok {
		return false
	}
	if name == "service" {
		if sp := o.lookup("speedup"); sp != nil {
			at := o.child("speedup", sp)
			at.fail(`cannot stand beside "service"`, "a speedup belongs to a demand; measured times need none")
			return false
		}
		ok = v.service(s)
	} else {
		ok = o.demand(v, s)
	}
	if !ok || !o.ok {
		return false
	}
	if m, mapped := o.field("phase_map"); mapped {
		return m.phaseMap(s)
	}
	return true
}

// demand reads the run time on one node and the speedup, and makes B_i = demand / S(P/i).
func (o *object) demand(v cursor, s *models.System) bool {
	demand, ok := v.positiveDist("a job")
	sp, okSpeedup := o.need("speedup", "write speedup: linear if jobs lose nothing on more nodes")
	if !okSpeedup {
		return false
	}
	speedup, okSpeedup := sp.speedup()
	if !ok || !okSpeedup {
		return false
	}
	sizes := partitionSizes(s)
	if !sp.covers(speedup, sizes) || !v.bounded(demand, s) {
		return false
	}
	s.Demand, s.Speedup = demand, speedup
	s.Service = make([]phasetype.Dist, len(sizes))
	for i, n := range sizes {
		at := speedup.At(n)
		if !(at > 0) || math.IsInf(at, 1) {
			sp.fail(fmt.Sprintf("the speedup of %s nodes is %v", short(n), at), "")
			return false
		}
		d, err := demand.Scale(1 / at)
		if err != nil {
			v.invalid(fmt.Errorf("on %s nodes: %w", short(n), err))
			return false
		}
		s.Service[i] = d
		if i > 0 && at > speedup.At(sizes[i-1]) {
			sp.warn("jobs run slower on %s nodes than on %s", short(sizes[i-1]), short(n))
		}
	}
	return true
}

// bounded checks the memory that the service distributions take together.
func (c *cursor) bounded(d phasetype.Dist, s *models.System) bool {
	if m := d.Phases(); s.Partitions()*m*m > maxEntries {
		c.fail(fmt.Sprintf("%d phases are too many for %d partitions", m, s.Partitions()),
			"use fewer phases or raise min_nodes")
		return false
	}
	return true
}

// service reads the measured B_1 … B_N.
func (c *cursor) service(s *models.System) bool {
	items, ok := c.sequence("distributions")
	if !ok {
		return false
	}
	if n := s.Partitions(); len(items) != n {
		c.fail(fmt.Sprintf("has %s, the machine has N = %d partitions", count(len(items), "entry", "entries"), n),
			fmt.Sprintf("give the run time of a job while i jobs share the machine, i = 1..%d", n))
		return false
	}
	s.Service = make([]phasetype.Dist, len(items))
	total := 0
	for i := range items {
		d, fine := items[i].positiveDist("a job")
		if fine {
			fine = items[i].bounded(d, s)
		}
		s.Service[i], ok = d, ok && fine
		if total += d.Phases() * d.Phases(); total > maxEntries {
			return false
		}
	}
	if !ok {
		return false
	}
	for i := range items {
		if m := s.Service[0].Phases(); s.Service[i].Phases() != m {
			items[i].fail(fmt.Sprintf("has %s, service[0] has %d", count(s.Service[i].Phases(), "phase", "phases"), m),
				"all must have the same number of phases")
			return false
		}
		if i > 0 && s.Service[i].Mean() < s.Service[i-1].Mean() {
			items[i].warn("%s jobs take less time each than %d: mean %.6g after %.6g", strconv.Itoa(i+1), i,
				s.Service[i].Mean(), s.Service[i-1].Mean())
		}
	}
	return true
}

// phaseMap reads Φ for the changes of the number of running jobs.
func (c *cursor) phaseMap(s *models.System) bool {
	items, ok := c.sequence("changes {from: ..., to: ..., matrix: ...}")
	if !ok {
		return false
	}
	s.PhaseMap = make(map[models.Change]*mat.Dense, len(items))
	for i := range items {
		change, phi, fine := items[i].phaseChange(s)
		if ok = ok && fine; !fine {
			continue
		}
		if s.PhaseMap[change] != nil {
			items[i].fail(fmt.Sprintf("the change from %d to %d is given twice", change.From, change.To), "")
			ok = false
		}
		s.PhaseMap[change] = phi
	}
	return ok
}

func (c *cursor) phaseChange(s *models.System) (change models.Change, phi *mat.Dense, ok bool) {
	o, ok := c.object("from", "to", "matrix")
	if !ok {
		return change, nil, false
	}
	from, okFrom := o.jobCount("from", s)
	to, okTo := o.jobCount("to", s)
	phi, ok = o.matrix("matrix")
	if !okFrom || !okTo || !ok || !o.ok {
		return change, nil, false
	}
	if from-to != 1 && to-from != 1 {
		at, _ := o.field("to")
		at.fail(fmt.Sprintf("is %d, from %d", to, from), "the number of running jobs changes by one at a time")
		return change, nil, false
	}
	v, _ := o.field("matrix")
	return models.Change{From: from, To: to}, phi, v.stochastic(phi, s.Service[0].Phases())
}

func (o *object) jobCount(key string, s *models.System) (int, bool) {
	v, ok := o.need(key, "give a number of running jobs")
	if !ok {
		return 0, false
	}
	n, ok := v.whole("a number of jobs", 1, math.MaxInt32)
	if ok && n > s.Partitions() {
		v.fail(fmt.Sprintf("%d is more than N = %d, the most jobs that run", n, s.Partitions()), "")
		return 0, false
	}
	return n, ok
}

// stochastic checks that phi is an m×m matrix of probabilities with rows that sum to one, and makes the sums exact.
func (c *cursor) stochastic(phi *mat.Dense, m int) bool {
	if r, k := phi.Dims(); r != m || k != m {
		c.fail(fmt.Sprintf("is %d×%d, jobs have %s", r, k, count(m, "phase", "phases")), "")
		return false
	}
	for i := range m {
		row, sum := phi.RawRowView(i), 0.0
		for j, p := range row {
			if p < 0 || p > 1 {
				c.element(fmt.Sprintf("%g is not a probability", p), i, j)
				return false
			}
			sum += p
		}
		if math.Abs(sum-1) > 1e-9 {
			c.element(fmt.Sprintf("sums to %.12g, not to 1", sum), i)
			return false
		}
		for j := range row {
			row[j] /= sum
		}
	}
	return true
}
