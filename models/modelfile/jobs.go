package modelfile

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/words"
)

// What a model may be at most. Far beyond what can be solved, but what is made of a file must fit into memory.
const (
	maxNodeCount  = 1_000_000
	maxPartitions = 4096
	maxEntries    = 1 << 23 // of all service distributions together
)

// machine reads the nodes.
func (r *modelReader) machine(c *tree.Cursor) {
	s := r.system
	c.Keys("nodes", "min_nodes")
	s.MinNodes = max(1, c.Field("min_nodes").Whole(1, maxNodeCount))
	s.Nodes = c.Need("nodes", "say how many nodes the machine has").Whole(1, maxNodeCount)
	switch n := s.Partitions(); {
	case !c.Valid():
	case s.MinNodes > s.Nodes:
		c.FailField("min_nodes", fmt.Sprintf("%d is more than the %s of the machine", s.MinNodes, words.Count(s.Nodes, "node")),
			"it is the number of nodes of the smallest partition, such as 1")
	case s.Nodes%s.MinNodes != 0:
		below := s.Nodes - s.Nodes%s.MinNodes
		c.FailField("min_nodes", fmt.Sprintf("%d does not divide the %d nodes", s.MinNodes, s.Nodes),
			fmt.Sprintf("use %d or %d nodes, or min_nodes %s", below, below+s.MinNodes, divisors(s.Nodes)))
	case n > maxPartitions:
		c.FailField("nodes", fmt.Sprintf("makes %d partitions, at most %d are supported", n, maxPartitions), "raise min_nodes")
	}
}

// divisors returns the divisors of a number of nodes as a choice, the smallest ten if there are more.
func divisors(nodes int) string {
	const most = 10
	var all []string
	for d := 1; d < nodes && len(all) < most; d++ {
		if nodes%d == 0 {
			all = append(all, strconv.Itoa(d))
		}
	}
	return words.Or(all)
}

// jobs reads the service times; the machine is known.
func (r *modelReader) jobs(c *tree.Cursor) {
	c.Keys("demand", "speedup", "service", "phase_map", "classes", "nodes")
	switch name, v := c.OneOf("demand", "service", "classes"); name {
	case "service":
		const remedy = "a speedup belongs to a demand; measured times need none"
		const rigid = "rigid jobs have a demand and a speedup: their run time is demand / S(nodes)"
		if c.Excludes(`cannot stand beside "service"`, remedy, "speedup") && c.Excludes(`cannot stand beside "service"`, rigid, "nodes") {
			r.service(v)
		}
	case "demand":
		r.demand(c, v)
	case "classes":
		const remedy = "each class has a demand and a speedup, and keeps its phases"
		const rigid = "each class says how many nodes its jobs ask for"
		if c.Excludes(`cannot stand beside "classes"`, remedy, "speedup", "phase_map") &&
			c.Excludes(`cannot stand beside "classes"`, rigid, "nodes") {
			r.classes(v)
		}
	}
	v := c.Field("phase_map")
	if c.Valid() {
		r.phaseMap(v)
	}
}

// demand reads the run time on one node and the speedup.
func (r *modelReader) demand(jobs, c *tree.Cursor) {
	s := r.system
	speedup := jobs.Need("speedup", "write speedup: linear if jobs lose nothing on more nodes")
	s.Speedup = readSpeedup(speedup)
	s.JobNodes = r.nodes(jobs.Field("nodes"), "every job")
	s.Demand = r.dists.Demand(c, s.Speedup)
	if jobs.Valid() {
		r.speeds(speedup, s.Speedup, s.Nodes, s.JobNodes)
	}
	r.demands(c, jobs.Valid(), s.Demand.Phases())
}

// demands makes B_i = demand / S(P/i) of demands, if they are right. They have so many phases together.
func (r *modelReader) demands(c *tree.Cursor, right bool, phases int) {
	if !right || !r.bounded(c, phases) {
		return
	}
	var err error
	if r.system.Service, err = r.system.ServiceTimes(); err != nil {
		c.Failf("%v", err)
	}
}

// bounded checks the memory that the service distributions, of m phases each, take together.
func (r *modelReader) bounded(c *tree.Cursor, m int) bool {
	if r.system.Partitions()*m*m > maxEntries {
		c.Fail(fmt.Sprintf("%d phases are too many for %s", m, words.Count(r.system.Partitions(), "partition")),
			"use fewer phases or raise min_nodes")
		return false
	}
	return true
}

// service reads the measured B_1 … B_N.
func (r *modelReader) service(c *tree.Cursor) {
	s := r.system
	if len(c.Entries) > 0 && measure.IsDecimal(c.Entries[0].Key.Value) {
		c.Expected("a list of distributions", "measured speedups by number of nodes are written speedup: {table: {1: 1, 2: 1.95}}, "+
			"beside a demand")
		return
	}
	if n := s.Partitions(); c.Kind == tree.List && len(c.Items) != n {
		c.Fail(fmt.Sprintf("has %s, the machine has N = %s", words.Count(len(c.Items), "entry"), words.Count(n, "partition")),
			fmt.Sprintf("give the run time of a job while i jobs share the machine, i = 1..%d", n))
		return
	}
	total := 0
	for _, item := range c.Sequence("distributions") {
		d := r.dists.Positive(item, "a job")
		s.Service = append(s.Service, d)
		if total += d.Phases() * d.Phases(); !r.bounded(item, d.Phases()) || total > maxEntries {
			return
		}
	}
	for i := 1; i < len(s.Service) && c.Valid(); i++ {
		d, item := s.Service[i], c.Item(i)
		if m := s.Service[0].Phases(); d.Phases() != m {
			have := words.Count(d.Phases(), "phase")
			item.Fail(fmt.Sprintf("has %s, service[0] has %d", have, m), "all must have the same number of phases")
		} else if d.Mean() < s.Service[i-1].Mean() {
			item.Warn("%d jobs take less time each than %d: mean %.6g after %.6g", i+1, i, d.Mean(), s.Service[i-1].Mean())
		}
	}
}

// phaseMap reads Φ for the changes of the number of running jobs.
func (r *modelReader) phaseMap(c *tree.Cursor) {
	r.system.PhaseMap = make(map[models.Change]*mat.Dense, len(c.Items))
	for _, item := range c.Sequence("changes {from: ..., to: ..., matrix: ...}") {
		change, phi := r.phaseChange(item)
		if item.Valid() && r.system.PhaseMap[change] != nil {
			item.Failf("the change from %d to %d is given twice", change.From, change.To)
		}
		r.system.PhaseMap[change] = phi
	}
}

func (r *modelReader) phaseChange(c *tree.Cursor) (change models.Change, phi *mat.Dense) {
	c.Keys("from", "to", "matrix")
	const remedy = "give a number of running jobs"
	change.From = c.Need("from", remedy).Whole(1, r.system.Partitions())
	change.To = c.Need("to", remedy).Whole(1, r.system.Partitions())
	v := c.Need("matrix", "")
	phi = v.Matrix()
	switch d := change.To - change.From; {
	case !c.Valid():
	case d != 1 && d != -1:
		c.FailField("to", fmt.Sprintf("is %d, from %d", change.To, change.From), "the number of running jobs changes by one at a time")
	default:
		stochastic(v, phi, r.system.Service[0].Phases())
	}
	return change, phi
}

// stochastic checks that phi is an m×m matrix of probabilities with rows that sum to one, and makes the sums exact.
func stochastic(c *tree.Cursor, phi *mat.Dense, m int) {
	if r, k := phi.Dims(); r != m || k != m {
		c.Failf("is %d×%d, jobs have %s", r, k, words.Count(m, "phase"))
		return
	}
	for i := range m {
		row, sum := phi.RawRowView(i), 0.0
		for j, p := range row {
			if p < 0 || p > 1 {
				c.FailAt(fmt.Sprintf("%g is not a probability", p), i, j)
				return
			}
			sum += p
		}
		switch off := math.Abs(sum - 1); {
		case off <= float64(m)*0x1p-52: // a row that was made exact is not changed when it is read again
			continue
		case !markov.SumsToOne(sum):
			c.FailAt(fmt.Sprintf("sums to %.12g, not to 1", sum), i)
			return
		}
		for j := range row {
			row[j] /= sum
		}
	}
}
