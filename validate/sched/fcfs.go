package sched

// FCFS starts jobs in the order in which they came: the first of the queue as soon as there are nodes for it, and none
// before it.
type FCFS struct{}

// Name returns "fcfs".
func (FCFS) Name() string { return "fcfs" }

// Renews returns true: the policy is stateless.
func (FCFS) Renews() bool { return true }

// Decide starts the jobs at the head of the queue that there are nodes for.
func (FCFS) Decide(v View, _ Event, do []Action) []Action {
	do, _, _ = startHeads(v, do)
	return do
}

// startHeads starts jobs on the nodes that they ask for, from the head of the queue until one does not fit, and returns
// how many it started and how many nodes are left.
func startHeads(v View, do []Action) (_ []Action, started, free int) {
	free = v.Free()
	for n := v.Waiting(); started < n; started++ {
		w := v.Queued(started)
		if w.Nodes > free {
			break
		}
		free -= w.Nodes
		do = append(do, Allocate(w.Job, w.Nodes))
	}
	return do, started, free
}
