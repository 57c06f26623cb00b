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
	d := newDivision(units, len(sizes))
	for _, n := range sizes {
		d.count(n)
	}
	for k, n := range sizes {
		sizes[k] = d.nextSize(n)
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
	d := newDivision(v.units(), max(shares, len(v.s.running)))
	for _, j := range v.s.running {
		d.count(inUnits(v, j))
	}
	for k, j := range v.s.running {
		if k == jobs {
			return do
		}
		if n, has := d.nextSize(inUnits(v, j))*v.s.unit, v.s.jobs[j].Held; n != has {
			do = appendAllocate(do, j, n)
		}
	}
	for k := range jobs - len(v.s.running) {
		do = appendAllocate(do, v.s.queue.At(k).Job, d.nextSize(0)*v.s.unit)
	}
	return do
}

// inUnits returns the number of units of nodes that running job j holds, rounded down.
func inUnits(v View, j JobID) int {
	n := v.s.jobs[j].Held
	if v.s.unit > 1 {
		n /= v.s.unit
	}
	return n
}

// division divides units evenly among jobs, as [EquiPartition] describes. The sizes follow from the number of jobs and
// from how many jobs have either size already. So two passes over the jobs suffice, and no list is kept: count for each
// job, then next for each job in the same order.
type division struct {
	small        int // units of the smaller jobs; the larger ones have one more
	bigs, smalls int // numbers of jobs of either size that have other sizes now
	keep, change int // the next jobs with small+1 units that keep them; with small units that do not
}

// newDivision begins an even division of so many units among so many jobs, at least one. Next, count is called for each
// job, and then nextSize for each job; see [division].
func newDivision(units, jobs int) division {
	small := units / jobs
	bigs := units - small*jobs
	return division{small: small, bigs: bigs, smalls: jobs - bigs}
}

// count takes the present size of the next job, n units, into account. It updates the counts of d: how many jobs have
// to change, and how many keep their size. The new sizes are d.small units or one more. Jobs that have such a size keep
// it as far as possible: the first jobs with the larger size, and the last jobs with the smaller one.
func (d *division) count(n int) {
	switch {
	case n == d.small+1 && d.bigs > 0:
		d.bigs--
		d.keep++
	case n == d.small && d.smalls > 0:
		d.smalls--
	case n == d.small:
		d.change++
	}
}

// nextSize returns the new size, in units, of the next job, which has n units now. It is called after count was called
// for all jobs, once for each job in the same order. The sizes differ by at most one, and sum to all units.
//
// As few jobs as possible change their size. A job with the larger size keeps it while d.keep lasts. Of the jobs with
// the smaller size, the first d.change are resized and the others keep it. A resized job gets the larger size while
// d.bigs lasts, then the smaller size. The counters of d fall with each size given.
func (d *division) nextSize(n int) int {
	switch {
	case n == d.small+1 && d.keep > 0:
		d.keep--
		return n
	case n == d.small && d.change == 0:
		return n
	case n == d.small:
		d.change--
	}
	if d.bigs > 0 {
		d.bigs--
		return d.small + 1
	}
	return d.small
}
