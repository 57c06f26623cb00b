package models

import "fmt"

// division is how N = P/M units of nodes are divided evenly among k jobs: N mod k of them have a unit more than the
// others. Entry 0 is of the smaller partitions, entry 1 of the larger ones.
type division struct {
	units [2]int
	jobs  working
	speed [2]float64 // of a job, over that on P/k nodes, which is the speed of B_k
}

// working counts jobs that make progress on smaller and on larger partitions. Counts are means, and need not be whole.
type working [2]float64

// pace is what the jobs that make progress amount to, of all jobs at the speed of B_k: 1, k and 1 if all k do on P/k
// nodes each.
type pace struct{ speed, jobs, nodes float64 }

// divide returns the division among k jobs of the system.
func (s *System) divide(k int) (division, error) {
	n := s.Partitions()
	small := n / k
	d := division{units: [2]int{small, small + 1}, jobs: working{float64(k - n%k), float64(n % k)}}
	for c, jobs := range d.jobs {
		if jobs == 0 {
			continue
		}
		nodes := d.units[c] * s.MinNodes
		speed := s.speed(float64(nodes))
		if d.speed[c] = speed / s.speed(float64(s.Nodes)/float64(k)); !(d.speed[c] > 0) {
			return d, wrong("Speedup", "is %v on %d nodes", speed, nodes)
		}
	}
	return d, nil
}

// divisions returns the divisions among 1..most jobs, by their number.
func (s *System) divisions(most int) ([]division, error) {
	all := make([]division, most+1)
	for k := 1; k <= most; k++ {
		var err error
		if all[k], err = s.divide(k); err != nil {
			return nil, fmt.Errorf("models: whole nodes: %w", err)
		}
	}
	return all, nil
}

// speed returns the speed of a job on n nodes up to a factor: S(n), or, where run times were measured, 1/E[B_i] at
// n = P/i, linear in n between these.
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

// pace returns what jobs of a division that make progress amount to.
func (d *division) pace(w working) pace {
	var p pace
	units := 0.0
	for c, jobs := range w {
		p.speed += jobs * d.speed[c]
		p.jobs += jobs
		p.nodes += jobs * float64(d.units[c])
		units += d.jobs[c] * float64(d.units[c])
	}
	p.speed /= d.jobs[0] + d.jobs[1]
	p.nodes /= units
	return p
}

// arrive returns who of those that make progress still does while another division, with one job more, is brought about: as
// few jobs as can be change their partition, any of those that have the same, and they and the newcomer stand still.
func (d *division) arrive(to *division, w working) working { return d.keep(to, d.jobs, w) }

// depart is arrive for a division with one job less. The job that leaves makes progress until then, and has a small or
// a large partition with the odds of their speeds.
func (d *division) depart(to *division, w working) working {
	var mean working
	speed := w[0]*d.speed[0] + w[1]*d.speed[1]
	for c := range w {
		share := w[c] * d.speed[c] / speed
		if share == 0 {
			continue
		}
		jobs, still := d.jobs, w
		jobs[c]--
		still[c] = max(0, still[c]-1)
		for k, v := range d.keep(to, jobs, still) {
			mean[k] += share * v
		}
	}
	return mean
}

// keep returns who makes progress of those jobs that keep their partitions.
func (d *division) keep(to *division, jobs, w working) working {
	var kept working
	for c := range jobs {
		for k := range to.jobs {
			if d.units[c] == to.units[k] && jobs[c] > 0 {
				kept[k] += w[c] * min(jobs[c], to.jobs[k]) / jobs[c]
			}
		}
	}
	return kept
}
