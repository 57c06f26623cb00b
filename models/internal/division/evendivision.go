// Package division divides the nodes of a machine among running jobs: evenly in whole units, or by water-filling among classes of
// jobs that can use different numbers of nodes.
package division

// WholeUnits is an even division of N units of nodes among k jobs: N mod k of them have one unit more than the others.
// Entry 0 of each field belongs to the smaller partitions, entry 1 to the larger ones.
type WholeUnits struct {
	Units [2]int
	Jobs  Working
	Speed [2]float64 // speed of a job over its speed on P/k nodes, which is the speed of B_k
}

// Working holds the numbers of jobs that make progress on smaller and on larger partitions. They are means and need not
// be whole.
type Working [2]float64

// Pace sums up the jobs that make progress: the mean speed of all k jobs relative to B_k, the number of jobs that make
// progress, and their share of the nodes. If all k jobs make progress on P/k nodes each, these are 1, k and 1.
type Pace struct{ Speed, Jobs, Nodes float64 }

// Among returns the division of so many units among k jobs, without speeds.
func Among(units, k int) WholeUnits {
	small := units / k
	return WholeUnits{Units: [2]int{small, small + 1}, Jobs: Working{float64(k - units%k), float64(units % k)}}
}

// Pace returns the pace of the jobs w of the division that make progress.
func (d *WholeUnits) Pace(w Working) Pace {
	var p Pace
	units := 0.0
	for c, jobs := range w {
		p.Speed += jobs * d.Speed[c]
		p.Jobs += jobs
		p.Nodes += jobs * float64(d.Units[c])
		units += d.Jobs[c] * float64(d.Units[c])
	}
	p.Speed /= d.Jobs[0] + d.Jobs[1]
	p.Nodes /= units
	return p
}

// Arrive returns which of the jobs w that make progress still do so while the machine changes to the division to with one
// more job. As few jobs as possible change their partition, any of those with equal partitions. These jobs and the new
// job stand still.
func (d *WholeUnits) Arrive(to *WholeUnits, w Working) Working { return d.keep(to, d.Jobs, w) }

// Depart is Arrive for a division with one job less. The job that leaves made progress until then. Its partition is small
// or large with probabilities in proportion to jobs times speed.
func (d *WholeUnits) Depart(to *WholeUnits, w Working) Working {
	var mean Working
	speed := w[0]*d.Speed[0] + w[1]*d.Speed[1]
	for c := range w {
		share := w[c] * d.Speed[c] / speed
		if share == 0 {
			continue
		}
		jobs, still := d.Jobs, w
		jobs[c]--
		still[c] = max(0, still[c]-1)
		for k, v := range d.keep(to, jobs, still) {
			mean[k] += share * v
		}
	}
	return mean
}

// keep returns which of the jobs w that make progress keep their partitions; jobs are all jobs of the division.
func (d *WholeUnits) keep(to *WholeUnits, jobs, w Working) Working {
	var kept Working
	for c := range jobs {
		for k := range to.Jobs {
			if d.Units[c] == to.Units[k] && jobs[c] > 0 {
				kept[k] += w[c] * min(jobs[c], to.Jobs[k]) / jobs[c]
			}
		}
	}
	return kept
}

// Share returns the speed of the jobs w over the speed of the jobs whole, at most 1. It is 0 if the jobs whole do not
// make progress.
func (d *WholeUnits) Share(w, whole Working) float64 {
	if all := d.Pace(whole).Speed; all > 0 {
		return min(1, d.Pace(w).Speed/all)
	}
	return 0
}
