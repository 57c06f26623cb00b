package chain

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/validate/internal/simulation"
)

// filling divides nodes among jobs of several classes by water-filling: equal shares, but no job gets more nodes than
// it can use.
type filling struct {
	nodes   float64
	classes []simulation.Class
	order   []int // of the classes, by MaxNodes
}

// newFilling returns the water-filling of so many nodes among the classes.
func newFilling(nodes float64, classes []simulation.Class) *filling {
	f := &filling{nodes: nodes, classes: classes}
	for k := range classes {
		f.order = append(f.order, k)
	}
	slices.SortFunc(f.order, func(a, b int) int { return cmp.Compare(classes[a].MaxNodes, classes[b].MaxNodes) })
	return f
}

// most returns the level w of water-filling: the largest number of nodes of any job if the nodes are divided among so
// many jobs of each class. It is infinite if there are nodes enough for all jobs.
func (f *filling) most(nodes float64, jobs []float64) float64 {
	left := floats.Sum(jobs)
	for _, k := range f.order {
		if m := float64(f.classes[k].MaxNodes); nodes < left*m {
			return nodes / left
		}
		nodes -= jobs[k] * float64(f.classes[k].MaxNodes)
		left -= jobs[k]
	}
	return math.Inf(1)
}

// rates sets rate to the rates of the phases while so many jobs of each class share q partitions. oneNode holds the
// rates of the phases on one node.
func (f *filling) rates(jobs []float64, q int, oneNode, rate []float64) {
	w := f.most(f.nodes*floats.Sum(jobs)/float64(q), jobs)
	phase := 0
	for k := range f.classes {
		c := &f.classes[k]
		speed := 0.0
		if jobs[k] > 0 {
			speed = c.Speedup.At(min(w, float64(c.MaxNodes)))
		}
		for range c.Phases {
			rate[phase] = oneNode[phase] * speed
			phase++
		}
	}
}
