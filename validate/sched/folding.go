package sched

// Folding splits and joins partitions instead of dividing all nodes anew. An arrival takes half of the largest
// partition, and a departure gives its nodes to the job that has the fewest, so that every repartition interrupts one
// running job; of equals it is the one that was started first. A partition of an odd number of units leaves the larger
// half to the job that has it. If all partitions are of one unit, jobs wait first come, first served, and a departure
// hands its unit to the head of the queue. Jobs share less evenly than under dynamic equi-partitioning.
//
// Reference: C. McCann, J. Zahorjan, Processor allocation policies for message-passing parallel computers, ACM
// SIGMETRICS 1994, 19–32.
type Folding struct{}

// Name returns "folding".
func (Folding) Name() string { return "folding" }

// Renews returns true: the policy is stateless.
func (Folding) Renews() bool { return true }

// Decide folds a partition for an arrival, and unfolds one after a departure.
func (Folding) Decide(v View, why Event, do []Action) []Action {
	switch {
	case why.Kind == Arrival && v.Running() == 0:
		return append(do, Allocate(why.Job, v.Nodes()))
	case why.Kind == Arrival:
		j := extreme(v, func(a, b int) bool { return a > b })
		half := v.Held(j) / v.Unit() / 2 * v.Unit()
		if half == 0 {
			return do
		}
		return append(do, Allocate(j, v.Held(j)-half), Allocate(why.Job, half))
	case why.Kind == Departure && v.Waiting() > 0:
		return append(do, Allocate(v.Head(), why.Nodes))
	case why.Kind == Departure && v.Running() > 0:
		j := extreme(v, func(a, b int) bool { return a < b })
		return append(do, Allocate(j, v.Held(j)+why.Nodes))
	}
	return do
}

// extreme returns the running job whose number of nodes comes before all others, the first of equals.
func extreme(v View, before func(a, b int) bool) JobID {
	best := v.Started(0)
	for k := 1; k < v.Running(); k++ {
		if j := v.Started(k); before(v.Held(j), v.Held(best)) {
			best = j
		}
	}
	return best
}
