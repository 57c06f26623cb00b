package sched

import "github.com/partwise/partwise/validate/internal/evenshares"

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
	d := evenshares.New(units, len(sizes), 1)
	smaller, larger := d.Count(sizes, 1)
	d.Keep(smaller, larger, len(sizes))
	for k, n := range sizes {
		sizes[k] = d.Next(n, 1)
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
	d := evenshares.New(v.units(), shares, unit)
	smaller, larger := d.Count(held, unit)
	resizes := len(held) - d.Keep(smaller, larger, shares)
	for k, n := range held[:min(jobs, len(held))] {
		if resizes == 0 {
			break
		}
		if size := d.Next(n, unit); size != n {
			do = appendAllocate(do, v.s.running[k], size)
			resizes--
		}
	}
	for k := range jobs - len(held) {
		do = appendAllocate(do, v.s.queue.At(k).job, d.Next(0, unit))
	}
	return do
}
