package models

import "fmt"

// division is an even division of N units of nodes among k jobs: N mod k of them have one unit more than the others.
// Entry 0 of each field belongs to the smaller partitions, entry 1 to the larger ones.
type division struct {
	units [2]int
	jobs  working
	speed [2]float64 // speed of a job over its speed on P/k nodes, which is the speed of B_k
}

// working holds the numbers of jobs that make progress on smaller and on larger partitions. They are means and need not
// be whole.
type working [2]float64

// pace sums up the jobs that make progress: the mean speed of all k jobs relative to B_k, the number of jobs that make
// progress, and their share of the nodes. If all k jobs make progress on P/k nodes each, these are 1, k and 1.
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

// pace returns the pace of the jobs w of the division that make progress.
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

// arrive returns which of the jobs w that make progress still do so while the machine changes to the division to with one
// more job. As few jobs as possible change their partition, any of those with equal partitions. These jobs and the new
// job stand still.
func (d *division) arrive(to *division, w working) working { return d.keep(to, d.jobs, w) }

// depart is arrive for a division with one job less. The job that leaves made progress until then. Its partition is small
// or large with probabilities in proportion to jobs times speed.
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

// keep returns which of the jobs w that make progress keep their partitions; jobs are all jobs of the division.
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
