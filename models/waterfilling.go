package models

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/models/policy"
)

// waterFilling is how jobs of several classes share the nodes.
type waterFilling struct {
	machine policy.Machine
	classes []phasesOfClass
}

// waterFilling returns how the classes of the system share the nodes, nil if all jobs are alike.
func (s *System) waterFilling() *waterFilling {
	if len(s.Classes) < 2 {
		return nil
	}
	return &waterFilling{s.Machine(), s.arriving()}
}

// level returns w, the most nodes that a job has, where nodes are divided among so many jobs of each class: infinite if they
// suffice for the m_k of every job.
func (f *waterFilling) level(nodes float64, jobs []float64) float64 {
	open := floats.Sum(jobs) // jobs that have not been given their m_k
	for given := 0.0; open > 0; {
		next := math.Inf(1) // the least m_k of those
		for k, n := range jobs {
			if m := f.classes[k].most(f.machine); n > 0 && m > given {
				next = min(next, m)
			}
		}
		if w := nodes / open; w <= next {
			return w
		}
		for k, n := range jobs {
			if f.classes[k].most(f.machine) == next {
				nodes -= n * next
				open -= n
			}
		}
		given = next
	}
	return math.Inf(1)
}

// speed sets speed[j] to the speed of a job in phase j over that of B_q, while occupancy[j] jobs in each phase use as many of
// q equal shares of the machine as they are.
func (f *waterFilling) speed(occupancy []int32, q int, speed []float64) {
	jobs := make([]float64, len(f.classes))
	for k := range jobs {
		for _, n := range occupancy[f.classes[k].from:f.classes[k].to] {
			jobs[k] += float64(n)
		}
	}
	share := float64(f.machine.Nodes) / float64(q)
	w := f.level(share*floats.Sum(jobs), jobs)
	for _, c := range f.classes {
		v, m := 1.0, c.most(f.machine)
		if min(m, w) != min(m, share) {
			v = c.Speedup.At(min(m, w)) / c.Speedup.At(min(m, share))
		}
		for j := c.from; j < c.to; j++ {
			speed[j] = v
		}
	}
}

// leastMost returns the least m_k of the classes that arrive.
func (f *waterFilling) leastMost() float64 {
	least := float64(f.machine.Nodes)
	for k := range f.classes {
		least = min(least, f.classes[k].most(f.machine))
	}
	return least
}
