package models

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/models/policy"
)

// waterFilling describes how jobs of several classes share the nodes; see [Class].
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

// level returns the level w at which nodes are divided among so many jobs of each class: Σ_k jobs_k·min(m_k, w) = nodes.
// It is infinite if the nodes suffice for the m_k of every job. Classes are given their m_k in ascending order, until the
// rest of the nodes divided evenly is at most the next m_k.
func (f *waterFilling) level(nodes float64, jobs []float64) float64 {
	open := floats.Sum(jobs) // number of jobs that do not have their m_k yet
	for given := 0.0; open > 0; {
		next := math.Inf(1) // least m_k of these jobs
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

// speed sets speed[j] to the speed of a job in phase j relative to B_q. occupancy[j] jobs are in phase j, and together
// they use as many of q equal shares of the machine as there are jobs.
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
