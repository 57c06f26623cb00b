package division

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/models/workload"
)

// WaterFilling describes how jobs of several classes share the nodes: a job of class k gets min(m_k, w) nodes. The level w is the
// one at which all nodes are used, or infinite if all jobs have their m_k.
type WaterFilling struct {
	Nodes   float64 // of the machine
	Classes []Class
}

// Class is a class of jobs.
type Class struct {
	From, To int     // its phases of service are From to To−1
	Most     float64 // m_k, the largest number of nodes that a job can use
	Speedup  workload.Speedup
}

// level returns the level w at which nodes are divided among so many jobs of each class: Σ_k jobs_k·min(m_k, w) = nodes.
// It is infinite if the nodes suffice for the m_k of every job. Classes are given their m_k in ascending order, until the
// rest of the nodes divided evenly is at most the next m_k.
func (f *WaterFilling) level(nodes float64, jobs []float64) float64 {
	open := floats.Sum(jobs) // number of jobs that do not have their m_k yet
	for given := 0.0; open > 0; {
		next := math.Inf(1) // least m_k of these jobs
		for k, n := range jobs {
			if m := f.Classes[k].Most; n > 0 && m > given {
				next = min(next, m)
			}
		}
		if w := nodes / open; w <= next {
			return w
		}
		for k, n := range jobs {
			if f.Classes[k].Most == next {
				nodes -= n * next
				open -= n
			}
		}
		given = next
	}
	return math.Inf(1)
}

// Speed sets speed[j] to the speed of a job in phase j relative to B_q. occupancy[j] jobs are in phase j, and together
// they use as many of q equal shares of the machine as there are jobs.
func (f *WaterFilling) Speed(occupancy []int32, q int, speed []float64) {
	jobs := make([]float64, len(f.Classes))
	for k := range jobs {
		for _, n := range occupancy[f.Classes[k].From:f.Classes[k].To] {
			jobs[k] += float64(n)
		}
	}
	share := f.Nodes / float64(q)
	w := f.level(share*floats.Sum(jobs), jobs)
	for _, c := range f.Classes {
		v, m := 1.0, c.Most
		if min(m, w) != min(m, share) {
			v = c.Speedup.At(min(m, w)) / c.Speedup.At(min(m, share))
		}
		for j := c.From; j < c.To; j++ {
			speed[j] = v
		}
	}
}

// LeastMost returns the least m_k of the classes that arrive.
func (f *WaterFilling) LeastMost() float64 {
	least := f.Nodes
	for k := range f.Classes {
		least = min(least, f.Classes[k].Most)
	}
	return least
}
