package batch

// FCFS starts jobs in the order in which they came: the first of the queue as soon as there are nodes for it, and none
// before it.
type FCFS struct{}

// Name returns "fcfs".
func (FCFS) Name() string { return "fcfs" }

// Decide starts the jobs at the head of the queue that there are nodes for.
func (FCFS) Decide(v View, _ Event, do []Action) []Action {
	do, _, _ = startHeads(v, do)
	return do
}

// startHeads starts rigid jobs from the head of the queue until one does not fit, and returns how many it started and
// how many nodes are left.
func startHeads(v View, do []Action) (_ []Action, started, free int) {
	free = v.Free()
	for n := v.Waiting(); started < n; started++ {
		q := v.r.queue.at(started)
		if q.nodes > free {
			break
		}
		free -= q.nodes
		do = append(do, Start(q.job, q.nodes))
	}
	return do, started, free
}
