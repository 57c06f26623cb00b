package sched

// fcfs starts jobs in the order in which they came: the first of the queue as soon as there are nodes for it, and none
// before it.
type fcfs struct{}

// Name returns "fcfs".
func (fcfs) Name() string { return "fcfs" }

// Decide starts the jobs at the head of the queue that there are nodes for.
func (fcfs) Decide(v View, _ []Event, do []Action) []Action {
	do, _, _ = startHeads(v, v.Free(), nil, do)
	return do
}

// startHeads starts jobs on the nodes that they need, from the head of the queue until one does not fit into the free
// nodes, and returns how many it started and how many nodes are left.
func startHeads(v View, free int, need func(View, JobID) int, do []Action) (_ []Action, started, left int) {
	for n := v.Waiting(); started < n; started++ {
		w := queued(v, started, need)
		if w.Nodes > free {
			break
		}
		free -= w.Nodes
		do = append(do, Allocate(w.Job, w.Nodes))
	}
	return do, started, free
}

// queued returns the i-th of the waiting jobs as it would be on the nodes that it needs; need nil: those that it asks
// for.
func queued(v View, i int, need func(View, JobID) int) Waiting {
	w := v.Queued(i)
	if need == nil {
		return w
	}
	if n := need(v, w.Job); n != w.Nodes {
		w.Nodes, w.Estimate = n, v.s.jobs[w.Job].Job.EstimateOn(n)
	}
	return w
}
