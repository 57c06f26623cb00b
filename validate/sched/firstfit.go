package sched

import "slices"

// firstFit starts jobs from a window at the head of the queue, which holds the first Window waiting jobs. It starts the
// first job of the window that fits into the free nodes, until none fits. For each started job the next waiting job
// enters the window.
type firstFit struct {
	Window int
	tried  []Waiting // the window during a decision, kept for its memory
}

// Name returns "first-fit".
func (*firstFit) Name() string { return "first-fit" }

// Decide appends actions to do that start jobs from the window: the first p.Window waiting jobs. It starts the first
// job of the window that fits into the free nodes, and the next waiting job enters the window. This is repeated until
// no job of the window fits. p.tried is overwritten.
func (p *firstFit) Decide(v View, _ []Event, do []Action) []Action {
	window, next, free := p.tried[:0], 0, v.Free()
	for {
		for ; len(window) < p.Window && next < v.Waiting(); next++ {
			window = append(window, v.Queued(next))
		}
		first := slices.IndexFunc(window, func(w Waiting) bool { return w.Nodes <= free })
		if first < 0 {
			p.tried = window
			return do
		}
		free -= window[first].Nodes
		do = appendAllocate(do, window[first].Job, window[first].Nodes)
		window = slices.Delete(window, first, first+1)
	}
}
