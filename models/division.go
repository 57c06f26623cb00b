// This file divides the nodes of a system among its jobs.

package models

import (
	"fmt"

	"github.com/partwise/partwise/models/internal/division"
)

// waterFilling returns how the classes of the system share the nodes, nil if all jobs are alike.
func (s *System) waterFilling() *division.WaterFilling {
	if len(s.Classes) < 2 {
		return nil
	}
	f := &division.WaterFilling{Nodes: float64(s.Nodes)}
	for _, c := range s.arriving() {
		f.Classes = append(f.Classes, division.Class{From: c.from, To: c.to, Most: c.most(s.Machine()), Speedup: c.Speedup})
	}
	return f
}

// divide returns the division among k jobs of the system.
func (s *System) divide(k int) (division.WholeUnits, error) {
	d := division.Among(s.Partitions(), k)
	for c, jobs := range d.Jobs {
		if jobs == 0 {
			continue
		}
		nodes := d.Units[c] * s.MinNodes
		speed := s.speed(float64(nodes))
		if d.Speed[c] = speed / s.speed(float64(s.Nodes)/float64(k)); !(d.Speed[c] > 0) {
			return d, wrong("Speedup", "is %v on %d nodes", speed, nodes)
		}
	}
	return d, nil
}

// divisions returns the divisions among 1..most jobs, by their number.
func (s *System) divisions(most int) ([]division.WholeUnits, error) {
	all := make([]division.WholeUnits, most+1)
	for k := 1; k <= most; k++ {
		var err error
		if all[k], err = s.divide(k); err != nil {
			return nil, fmt.Errorf("models: whole nodes: %w", err)
		}
	}
	return all, nil
}

// speed returns the speed of a job on n nodes up to a common factor. It is the speedup S(n) or, if run times were
// measured, 1/E[B_i] at n = P/i with linear interpolation in n.
func (s *System) speed(n float64) float64 {
	if kinds := s.kinds(); len(kinds) == 1 {
		return kinds[0].Speedup.At(min(n, kinds[0].most(s.Machine())))
	}
	nodes := func(i int) float64 { return float64(s.Nodes) / float64(i) }
	rate := func(i int) float64 { return 1 / s.Service[i-1].Mean() }
	i := s.Partitions()
	for i > 1 && nodes(i) < n {
		i--
	}
	if i == s.Partitions() || nodes(i) == n {
		return rate(i)
	}
	return rate(i+1) + (rate(i)-rate(i+1))*(n-nodes(i+1))/(nodes(i)-nodes(i+1))
}
