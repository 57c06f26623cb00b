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
	do, _, _ = startHeads(v, v.Free(), nil, do)
	return do
}

// startHeads appends actions to do that start jobs from the head of the queue, until a job does not fit into the free
// nodes. need returns the nodes of a job; nil: those that it asks for. The results are the actions, the number of jobs
// that start and the number of nodes that are still free.
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

// queued returns the i-th waiting job, from 0, with the nodes that it needs by the function need, and its estimated run
// time on them. If need is nil, the job needs the nodes that it asks for.
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
