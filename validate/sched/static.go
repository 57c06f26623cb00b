package sched

// static is static partitioning into equal partitions. Each partition runs one job, and other jobs wait first come,
// first served. A job that cannot use all nodes of its partition gets as many as it can use.
type static struct{ Partitions int }

// Name returns "static".
func (*static) Name() string { return "static" }

// ignoresEnds marks a policy whose decisions do not depend on the expected ends of jobs, for [PlansWithEnds].
func (*static) ignoresEnds() {}

// Decide appends actions to do that start jobs from the head of the queue while fewer jobs run than there are
// partitions. Each job gets the nodes of a partition: the nodes of the machine divided by s.Partitions, rounded down. A
// job that can use fewer nodes gets as many as it can use, in whole units.
func (s *static) Decide(v View, _ []Event, do []Action) []Action {
	starts := min(s.Partitions-v.Running(), v.Waiting())
	if starts <= 0 {
		return do
	}
	nodes := v.Nodes() / s.Partitions
	for i := range starts {
		j := v.s.queue.At(i).job
		do = appendAllocate(do, j, min(nodes, wholeUnits(v, v.Most(j))))
	}
	return do
}
