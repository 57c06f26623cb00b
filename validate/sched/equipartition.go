package sched

// EquiPartition divides units of nodes evenly among jobs, as dynamic partitioning does. sizes holds the present sizes
// of the jobs in units, 0 for newcomers. It is overwritten by sizes that differ by at most one; as few sizes as
// possible change. There must not be more jobs than units.
//
// The source of the policy does not say which jobs are resized when there is a choice. Here the first jobs grow first
// and the last jobs shrink first. If sizes are in the order of the starts, the newcomer gets the smallest partition.
func EquiPartition(sizes []int, units int) {
	if len(sizes) == 0 {
		return
	}
	d := newDivision(units, len(sizes), 1)
	smaller, larger := d.count(sizes, 1)
	d.keepSizes(smaller, larger, len(sizes))
	for k, n := range sizes {
		sizes[k] = d.nextSize(n, 1)
	}
}

// divideEvenly appends actions to do that divide the machine evenly into shares, as [EquiPartition] does. jobs is the
// number of jobs that get a share: first running jobs in the order of the starts, then waiting jobs, which start. If
// more jobs run than there are shares, the number of running jobs is the number of shares. Shares beyond jobs stay
// free, and running jobs beyond jobs keep their nodes. Jobs that already have their share get no action.
func divideEvenly(v View, shares, jobs int, do []Action) []Action {
	if jobs == 0 {
		return do
	}
	held, unit := v.s.held, v.s.unit
	shares = max(shares, len(held))
	d := newDivision(v.units(), shares, unit)
	smaller, larger := d.count(held, unit)
	resizes := len(held) - d.keepSizes(smaller, larger, shares)
	for k, n := range held[:min(jobs, len(held))] {
		if resizes == 0 {
			break
		}
		if size := d.nextSize(n, unit); size != n {
			do = appendAllocate(do, v.s.running[k], size)
			resizes--
		}
	}
	for k := range jobs - len(held) {
		do = appendAllocate(do, v.s.queue.At(k).job, d.nextSize(0, unit))
	}
	return do
}

// division divides units of nodes evenly among jobs, as [EquiPartition] describes. The sizes follow from the number of
// jobs and from how many jobs have either size already. So two passes over the jobs suffice, and no list is kept: count
// for all jobs, then nextSize for each job in the same order. Sizes are in nodes.
type division struct {
	small  int // the smaller size; the larger is one unit more
	bigs   int // number of jobs that are to get the larger size and do not have it
	keep   int // number of the next jobs with the larger size that keep it
	change int // number of the next jobs with the smaller size that do not keep it
}

// newDivision begins an even division of so many units among so many jobs, at least one. unit is the number of nodes of a
// unit. Next, keepSizes is called with the counts of jobs that have a size already, and then nextSize for each job.
func newDivision(units, jobs, unit int) division {
	small := units / jobs
	return division{small: small * unit, bigs: units - small*jobs}
}

// count returns how many of the present sizes of jobs are the smaller and the larger size. unit is the number of nodes of
// a unit.
func (d *division) count(sizes []int, unit int) (smaller, larger int) {
	small, large := d.small, d.small+unit
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

// keepSizes sets the counts of d when so many of all jobs have the smaller and the larger size. Jobs that have such a
// size keep it as far as possible: the first jobs with the larger size, and the last jobs with the smaller one. It
// returns how many jobs keep their size.
func (d *division) keepSizes(smaller, larger, jobs int) int {
	kept := min(smaller, jobs-d.bigs)
	d.change = smaller - kept
	d.keep = min(larger, d.bigs)
	d.bigs -= d.keep
	return kept + d.keep
}

// nextSize returns the new size of the next job, in nodes, which has n nodes now. It is called after count was called
// for all jobs, once for each job in the same order. The sizes differ by at most one unit, and sum to all units.
//
// As few jobs as possible change their size. A job with the larger size keeps it while d.keep lasts. Of the jobs with
// the smaller size, the first d.change are resized and the others keep it. A resized job gets the larger size while
// d.bigs lasts, then the smaller size. The counters of d fall with each size given.
func (d *division) nextSize(n, unit int) int {
	switch {
	case n == d.small+unit && d.keep > 0:
		d.keep--
		return n
	case n == d.small && d.change == 0:
		return n
	case n == d.small:
		d.change--
	}
	if d.bigs > 0 {
		d.bigs--
		return d.small + unit
	}
	return d.small
}
