package sched

import (
	"math"

	"github.com/partwise/partwise/models/workload"
)

// dynamic is dynamic equi-partitioning. The machine has N units of nodes. While i ≤ N jobs are in the system, each job
// has ⌊N/i⌋ units or one more. An arrival or a departure resizes as few jobs as possible. With N jobs running, further
// jobs wait first come, first served, and a departure gives its partition to the first job of the queue.
//
// Cap, if positive, replaces N as the largest number of running jobs. Floor, if positive, is the smallest number of
// parts into which the machine is divided if jobs have bounds: no job gets more than one such part.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, Dynamic partitioning in different distributed-memory
// environments, JSSPP 1996, LNCS 1162, section 2.1 and table 1.
type dynamic struct {
	Cap, Floor  int
	sizes, most []int // of the jobs that share the machine: sizes to give them, and their upper bounds
}

// Name returns "dynamic", or "capped" if there is a cap.
func (d *dynamic) Name() string {
	if d.Cap > 0 {
		return "capped"
	}
	return "dynamic"
}

// mostJobs returns the largest number of jobs that may run at a time: the number of units of the machine, or the cap if
// it is set and less.
func (d *dynamic) mostJobs(v View) int {
	n := v.units()
	if d.Cap > 0 {
		return min(d.Cap, n)
	}
	return n
}

// ignoresEnds marks a policy whose decisions do not depend on the expected ends of jobs, for [PlansWithEnds].
func (*dynamic) ignoresEnds() {}

// Decide divides all nodes evenly among the running jobs and the waiting jobs that start, and appends the actions to
// do. Waiting jobs start in their order while fewer jobs run than there are units, or than the cap allows. If events
// hold as many departures as jobs start, the new jobs get the nodes of the departed jobs, and no running job is
// resized. If some job has bounds on its nodes or cannot be resized, all nodes are divided within the bounds, see
// [dynamic.divideBounded].
func (d *dynamic) Decide(v View, events []Event, do []Action) []Action {
	left, starts := count(events, Departure), max(0, min(v.Waiting(), d.mostJobs(v)-v.Running()))
	switch {
	case v.anyLimited():
		return d.divideBounded(v, do)
	case starts == left:
		return replaceDeparted(v, events, do)
	}
	shares := v.Running() + starts
	return divideEvenly(v, shares, shares, do)
}

// replaceDeparted appends actions to do that start waiting jobs on the nodes of departed jobs, without resizing any
// job. The first departure among the events gives its nodes to the head of the queue, the next departure to the job
// behind the head. It stops when all departures or all waiting jobs are used.
func replaceDeparted(v View, events []Event, do []Action) []Action {
	i := 0
	for _, e := range events {
		if e.Kind == Departure && i < v.Waiting() {
			do = appendAllocate(do, v.Queued(i).Job, e.Nodes)
			i++
		}
	}
	return do
}

// mostNodesOfJob returns the most nodes that a job gets, unless its lower bound is larger. They are the nodes of the
// machine divided by the floor, the smallest number of parts, rounded up to a unit. Without a floor (0) the machine is
// one part, and the result is all nodes.
func (d *dynamic) mostNodesOfJob(v View) int {
	units, floor := v.units(), max(d.Floor, 1)
	return (units + floor - 1) / floor * v.Unit()
}

// allocateSizes appends actions to do that give each job its size, if it has another size. sizes are in multiples of
// unit nodes. The first sizes belong to the running jobs, in the order of the starts, the others to the first waiting
// jobs, which start. Running jobs beyond the list keep their nodes.
func allocateSizes(v View, sizes []int, unit int, do []Action) []Action {
	running := min(v.Running(), len(sizes))
	for k, n := range sizes[:running] {
		if j := v.s.running[k]; n*unit != v.s.jobs[j].Held {
			do = appendAllocate(do, j, n*unit)
		}
	}
	for k, n := range sizes[running:] {
		do = appendAllocate(do, v.s.queue.At(k).job, n*unit)
	}
	return do
}

// appendAllocate appends the action that gives job j so many nodes, as [Allocate] does, to do. It writes the fields in
// their place, because a copy of an action that was just written would wait for the writes.
func appendAllocate(do []Action, j JobID, nodes int) []Action {
	do = append(do, Action{})
	a := &do[len(do)-1]
	a.Job, a.Nodes, a.Offset = j, nodes, -1
	return do
}

// sharingJob returns the k-th job, from 0, in the order in which jobs share the machine. Running jobs come first, by
// their starts, then waiting jobs, by their arrivals.
func sharingJob(v View, k int) JobID {
	if k < v.Running() {
		return v.Started(k)
	}
	return v.Queued(k - v.Running()).Job
}

// divideBounded appends actions to do that divide all nodes among jobs some of which have bounds or cannot be resized.
// Waiting jobs start in their order while the lower bounds of all fit and the cap allows more jobs. Each remaining unit
// goes to the job with the fewest nodes; among equals, to the first. Jobs that may have no more, by their own bounds or
// d.Floor, are passed over. d.sizes and d.most are overwritten.
func (d *dynamic) divideBounded(v View, do []Action) []Action {
	left := v.Nodes()
	d.sizes, d.most = d.sizes[:0], d.most[:0]
	for k := range min(v.Running()+v.Waiting(), max(d.mostJobs(v), v.Running())) {
		least, most := nodeBounds(v, sharingJob(v, k))
		if least > left {
			break
		}
		left -= least
		d.sizes, d.most = append(d.sizes, least), append(d.most, min(most, d.mostNodesOfJob(v)))
	}
	fillSmallest(d.sizes, d.most, left/v.Unit(), v.Unit())
	return allocateSizes(v, d.sizes, 1, do)
}

// fillSmallest adds units to sizes one after the other, as long as units are left. Each goes to the smallest size that
// stays within its upper bound most; among equals, to the first. sizes, which is overwritten, and most are in nodes;
// unit is the number of nodes of a unit. A round of the loop adds equally many units to all smallest sizes, until they
// reach the next size or a bound.
func fillSmallest(sizes, most []int, units, unit int) {
	for units > 0 {
		least, next, equals, each := math.MaxInt, math.MaxInt, 0, 0
		for k, n := range sizes {
			switch room := (most[k] - n) / unit; {
			case n+unit > most[k] || n > least && n >= next:
			case n > least:
				next = n
			case n == least:
				equals, each = equals+1, min(each, room)
			default:
				least, next, equals, each = n, least, 1, room
			}
		}
		if equals == 0 {
			return
		}
		each = min(each, units/equals)
		if next < math.MaxInt {
			each = min(each, (next-least+unit-1)/unit)
		}
		each = max(each, 1)
		for k, n := range sizes {
			if n == least && n+unit <= most[k] && units > 0 {
				sizes[k] += each * unit
				units -= each
			}
		}
	}
}

// nodeBounds returns the fewest and the most nodes that job j may be given. The fewest are a multiple of the unit. For
// a running job that cannot be resized, both are the nodes that it has. If no multiple of the unit lies within the
// bounds of a job, the fewest are the nodes that it asks for.
func nodeBounds(v View, j JobID) (least, most int) {
	e := &v.s.jobs[j]
	if e.Held > 0 && e.kind != workload.Malleable {
		return e.Held, e.Held
	}
	return e.fewest, e.Most
}

// heldUnits returns the sizes of the running jobs, in units, in the order of the starts. It overwrites sizes and uses
// its storage.
func heldUnits(v View, sizes []int) []int {
	sizes = sizes[:0]
	for _, n := range v.s.held {
		sizes = append(sizes, n/v.s.unit)
	}
	return sizes
}

// evenSizes returns sizes in units that differ by at most one and sum to all units: one for each of so many shares, or
// one for each running job if there are more. Running jobs come first, in the order of their starts. As few of them
// change their size as possible, see [EquiPartition]. The result overwrites sizes and uses its storage.
func evenSizes(v View, sizes []int, shares int) []int {
	sizes = heldUnits(v, sizes)
	for len(sizes) < shares {
		sizes = append(sizes, 0)
	}
	EquiPartition(sizes, v.units())
	return sizes
}
