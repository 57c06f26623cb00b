package modelfile

import (
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// What a model may be at most. Far beyond what can be solved, but what is made of a file must fit into memory.
const (
	maxNodeCount  = 1_000_000
	maxPartitions = 4096
	maxEntries    = 1 << 23 // of all service distributions together
)

// machine reads the nodes.
func (r *modelReader) machine(c *tree.Cursor) bool {
	s := r.system
	o, _ := c.Object("nodes", "min_nodes")
	s.MinNodes = tree.Optional(o, "min_nodes", 1, tree.WholeAs("the least number of nodes of a job", 1, maxNodeCount))
	s.Nodes = tree.Needed(o, "nodes", "say how many nodes the machine has", tree.WholeAs("the number of nodes", 1, maxNodeCount))
	if !o.Valid() {
		return false
	}
	if s.Nodes%s.MinNodes != 0 {
		o.FailField("min_nodes", fmt.Sprintf("%d does not divide the %d nodes", s.MinNodes, s.Nodes), "")
	} else if n := s.Partitions(); n > maxPartitions {
		o.FailField("nodes", fmt.Sprintf("makes %d partitions, at most %d are supported", n, maxPartitions), "raise min_nodes")
	}
	return o.Valid()
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
func (r *modelReader) jobs(c *tree.Cursor) {
	o, _ := c.Object("demand", "speedup", "service", "phase_map", "classes")
	switch name, v, _ := o.OneOf("demand", "service", "classes"); name {
	case "service":
		const remedy = "a speedup belongs to a demand; measured times need none"
		if o.Excludes(`cannot stand beside "service"`, remedy, "speedup") {
			r.service(v)
		}
	case "demand":
		r.demand(o, v)
	case "classes":
		const remedy = "each class has a demand and a speedup, and keeps its phases"
		if o.Excludes(`cannot stand beside "classes"`, remedy, "speedup", "phase_map") {
			r.classes(v)
		}
	}
	if o.Valid() {
		o.Part("phase_map", r.phaseMap)
	}
}

// demand reads the run time on one node and the speedup, and makes B_i = demand / S(P/i).
func (r *modelReader) demand(o *tree.Object, v *tree.Cursor) {
	s := r.system
	s.Speedup = tree.Needed(o, "speedup", "write speedup: linear if jobs lose nothing on more nodes", readSpeedup)
	s.Demand, _ = r.dists.Demand(v, s.Speedup)
	if !o.Valid() {
		return
	}
	sp, _ := o.Field("speedup")
	if r.speeds(sp, s.Speedup, float64(s.Nodes)); !o.Valid() || !r.bounded(v, s.Demand.Phases()) {
		return
	}
	var err error
	s.Service, err = s.ServiceTimes()
	if wrong := (*models.SystemError)(nil); errors.As(err, &wrong) {
		v.Fail(wrong.Error(), "")
	}
}

// bounded checks the memory that the service distributions, of m phases each, take together.
func (r *modelReader) bounded(c *tree.Cursor, m int) bool {
	if r.system.Partitions()*m*m > maxEntries {
		c.Fail(fmt.Sprintf("%d phases are too many for %d partitions", m, r.system.Partitions()),
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
		c.Fail(fmt.Sprintf("has %s, the machine has N = %d partitions", tree.Count(len(c.Items), "entry", "entries"), n),
			fmt.Sprintf("give the run time of a job while i jobs share the machine, i = 1..%d", n))
		return
	}
	total := 0
	service, ok := tree.ListOf(c, "distributions", func(item *tree.Cursor) (d phasetype.Dist, ok bool) {
		if total > maxEntries { // which is a mistake of an entry before
			return d, false
		}
		d, ok = r.dists.Positive(item, "a job")
		total += d.Phases() * d.Phases()
		return d, ok && r.bounded(item, d.Phases())
	})
	if !ok {
		return
	}
	s.Service = service
	for i, d := range service[1:] {
		item := c.Item(i + 1)
		if m := service[0].Phases(); d.Phases() != m {
			have := tree.Count(d.Phases(), "phase", "phases")
			item.Fail(fmt.Sprintf("has %s, service[0] has %d", have, m), "all must have the same number of phases")
			return
		}
		if d.Mean() < service[i].Mean() {
			item.Warn("%d jobs take less time each than %d: mean %.6g after %.6g", i+2, i+1, d.Mean(), service[i].Mean())
		}
	}
}

// phaseMap reads Φ for the changes of the number of running jobs.
func (r *modelReader) phaseMap(c *tree.Cursor) {
	items, _ := c.Sequence("changes {from: ..., to: ..., matrix: ...}")
	r.system.PhaseMap = make(map[models.Change]*mat.Dense, len(items))
	for _, item := range items {
		change, phi, ok := r.phaseChange(item)
		if ok && r.system.PhaseMap[change] != nil {
			item.Fail(fmt.Sprintf("the change from %d to %d is given twice", change.From, change.To), "")
		}
		r.system.PhaseMap[change] = phi
	}
}

func (r *modelReader) phaseChange(c *tree.Cursor) (change models.Change, phi *mat.Dense, ok bool) {
	o, _ := c.Object("from", "to", "matrix")
	change.From = tree.Needed(o, "from", "give a number of running jobs", r.jobCount)
	change.To = tree.Needed(o, "to", "give a number of running jobs", r.jobCount)
	if phi = o.Matrix("matrix"); !o.Valid() {
		return change, nil, false
	}
	if d := change.To - change.From; d != 1 && d != -1 {
		o.FailField("to", fmt.Sprintf("is %d, from %d", change.To, change.From), "the number of running jobs changes by one at a time")
		return change, nil, false
	}
	v, _ := o.Field("matrix")
	return change, phi, stochastic(v, phi, r.system.Service[0].Phases())
}

func (r *modelReader) jobCount(c *tree.Cursor) (int, bool) {
	n, ok := c.Whole("a number of jobs", 1, math.MaxInt32)
	if ok && n > r.system.Partitions() {
		c.Fail(fmt.Sprintf("%d is more than N = %d, the most jobs that run", n, r.system.Partitions()), "")
		return 0, false
	}
	return n, ok
}

// stochastic checks that phi is an m×m matrix of probabilities with rows that sum to one, and makes the sums exact.
func stochastic(c *tree.Cursor, phi *mat.Dense, m int) bool {
	if r, k := phi.Dims(); r != m || k != m {
		c.Fail(fmt.Sprintf("is %d×%d, jobs have %s", r, k, tree.Count(m, "phase", "phases")), "")
		return false
	}
	for i := range m {
		row, sum := phi.RawRowView(i), 0.0
		for j, p := range row {
			if p < 0 || p > 1 {
				c.FailAt(fmt.Sprintf("%g is not a probability", p), i, j)
				return false
			}
			sum += p
		}
		switch off := math.Abs(sum - 1); {
		case off <= float64(m)*0x1p-52: // a row that was made exact is not changed when it is read again
			continue
		case off > 1e-9:
			c.FailAt(fmt.Sprintf("sums to %.12g, not to 1", sum), i)
			return false
		}
		for j := range row {
			row[j] /= sum
		}
	}
	return true
}
