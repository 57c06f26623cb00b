package sched

import "slices"

// folding splits and joins partitions instead of dividing all nodes anew. An arrival takes half of the largest
// partition. A departure gives its nodes to the job that has the fewest nodes. So every repartition interrupts one
// running job; among equal jobs it is the job that started first. A job whose partition has an odd number of units
// keeps the larger half. If all partitions have one unit, jobs wait first come, first served, and a departure gives its
// unit to the head of the queue. Nodes are divided less evenly than under dynamic equi-partitioning.
//
// Reference: C. McCann, J. Zahorjan, Processor allocation policies for message-passing parallel computers, ACM
// SIGMETRICS 1994, 19–32.
type folding struct {
	sizes []int // of the jobs that share the machine: sizes in units
}

// Name returns "folding".
func (*folding) Name() string { return "folding" }

// Decide gives the nodes of jobs that left, by events, to jobs from the head of the queue. If no job waits, the nodes
// go to the smallest partition (unfolding). Then, as long as jobs wait, the largest partition is halved for the next of
// them, unless it has only one unit (folding). The actions are appended to do and returned. f.sizes is overwritten.
func (f *folding) Decide(v View, events []Event, do []Action) []Action {
	f.sizes = heldUnits(v, f.sizes)
	starts := 0
	for _, e := range events {
		switch {
		case e.Kind != Departure:
		case starts < v.Waiting():
			f.sizes = append(f.sizes, e.Nodes/v.Unit())
			starts++
		case len(f.sizes) > 0:
			f.sizes[slices.Index(f.sizes, slices.Min(f.sizes))] += e.Nodes / v.Unit()
		}
	}
	for ; starts < v.Waiting() && f.fold(v); starts++ {
	}
	return allocateSizes(v, f.sizes, v.Unit(), do)
}

// fold adds a partition for one more job to f.sizes, in units, by halving the largest partition. Without partitions the
// job gets the whole machine. The result is false if the largest partition has only one unit; then the job has to wait.
func (f *folding) fold(v View) bool {
	if len(f.sizes) == 0 {
		f.sizes = append(f.sizes, v.units())
		return true
	}
	k := slices.Index(f.sizes, slices.Max(f.sizes))
	half := f.sizes[k] / 2
	if half == 0 {
		return false
	}
	f.sizes[k] -= half
	f.sizes = append(f.sizes, half)
	return true
}
