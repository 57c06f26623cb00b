// Package evenshares divides the units of a machine evenly among jobs.
package evenshares

// Division divides units of nodes evenly among jobs: into sizes that differ by at most one unit. As few jobs as possible
// change their size. Of the jobs that have a size already, the first grow first and the last shrink first.
//
// The sizes follow from the number of jobs and from how many jobs have either size already. So no list is kept. [New] is
// followed by [Division.Keep] with these numbers, which [Division.Count] counts, and then by [Division.Next] for each job in
// the same order. Sizes are in nodes.
type Division struct {
	Small  int // the smaller size; the larger is one unit more
	Bigs   int // number of jobs that are to get the larger size and do not have it
	keep   int // number of the next jobs with the larger size that keep it
	change int // number of the next jobs with the smaller size that do not keep it
}

// New begins an even division of so many units among so many jobs, at least one. unit is the number of nodes of a unit.
func New(units, jobs, unit int) Division {
	small := units / jobs
	return Division{Small: small * unit, Bigs: units - small*jobs}
}

// Count returns how many of the present sizes of jobs are the smaller and the larger size. unit is the number of nodes of
// a unit.
func (d *Division) Count(sizes []int, unit int) (smaller, larger int) {
	small, large := d.Small, d.Small+unit
	for _, n := range sizes {
		if n == small {
			smaller++
		}
		if n == large {
			larger++
		}
	}
	return smaller, larger
}

// Keep sets the counts of d when so many of all jobs have the smaller and the larger size. Jobs that have such a
// size keep it as far as possible: the first jobs with the larger size, and the last jobs with the smaller one. It
// returns how many jobs keep their size.
func (d *Division) Keep(smaller, larger, jobs int) int {
	kept := min(smaller, jobs-d.Bigs)
	d.change = smaller - kept
	d.keep = min(larger, d.Bigs)
	d.Bigs -= d.keep
	return kept + d.keep
}

// Next returns the new size of the next job, in nodes, which has n nodes now. It is called after Keep, once for each job in
// the same order. The sizes differ by at most one unit, and sum to all units.
//
// As few jobs as possible change their size. A job with the larger size keeps it while d.keep lasts. Of the jobs with
// the smaller size, the first d.change are resized and the others keep it. A resized job gets the larger size while
// d.Bigs lasts, then the smaller size. The counters of d fall with each size given.
func (d *Division) Next(n, unit int) int {
	switch {
	case n == d.Small+unit && d.keep > 0:
		d.keep--
		return n
	case n == d.Small && d.change == 0:
		return n
	case n == d.Small:
		d.change--
	}
	if d.Bigs > 0 {
		d.Bigs--
		return d.Small + unit
	}
	return d.Small
}
