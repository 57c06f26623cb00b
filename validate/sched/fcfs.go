package sched

// fcfs starts jobs in the order of their arrival. The first job of the queue starts as soon as enough nodes are free,
// and no other job starts before it.
type fcfs struct{}

// Name returns "fcfs".
func (fcfs) Name() string { return "fcfs" }

// ignoresEnds marks a policy whose decisions do not depend on the expected ends of jobs, for [PlansWithEnds].
func (fcfs) ignoresEnds() {}

// Decide appends actions to do that start jobs from the head of the queue. Each job gets the nodes that it asks for. It
// ends at the first job whose nodes are not free.
func (fcfs) Decide(v View, _ []Event, do []Action) []Action {
	free := v.Free()
	for i := range v.Waiting() {
		w := v.Queued(i)
		if w.Nodes > free {
			break
		}
		free -= w.Nodes
		do = appendAllocate(do, w.Job, w.Nodes)
	}
	return do
}
