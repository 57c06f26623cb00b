package batch

import "math"

// EASY is aggressive backfilling: jobs start in the order in which they came, but where the first of the queue has to
// wait, any other may start that does not delay it, judging by estimates.
//
// The shadow time is the time at which the running jobs will have left enough nodes for the head of the queue, the
// extra nodes are what it then leaves over. A job may overtake if it fits into the free nodes and either ends by the
// shadow time or takes no more than the extra nodes.
//
// Reference: A. W. Mu'alem, D. G. Feitelson, Utilization, predictability, workloads, and user runtime estimates in
// scheduling the IBM SP2 with backfilling, IEEE Trans. Parallel Distrib. Syst. 12 (2001) 529–543, section 2.2.
type EASY struct {
	// Of the head that waits, after the last decision. Arrivals change neither, so that one need only look at the job that
	// has come: those before it found no place, and time only makes them end later.
	shadow float64
	extra  int

	fresh []ending // started in this decision, by expected end
}

// Name returns "easy".
func (*EASY) Name() string { return "easy" }

// Decide starts the head of the queue while it fits, and then whatever can be backfilled.
func (p *EASY) Decide(v View, why Event, do []Action) []Action {
	if n := v.Waiting(); why.Kind == Arrival && n > 1 {
		do, _ = p.backfill(v, n-1, v.Free(), do)
		return do
	}
	do, started, free := startHeads(v, do)
	if started == v.Waiting() {
		return do
	}
	p.reserve(v, started, free)
	do, _ = p.backfill(v, started+1, free, do)
	return do
}

// backfill starts those of the queue from place i on that do not delay its head, and returns the nodes left.
func (p *EASY) backfill(v View, i, free int, do []Action) ([]Action, int) {
	for n := v.Waiting(); i < n && free > 0; i++ {
		q := v.r.queue.at(i)
		if q.nodes > free {
			continue
		}
		if v.Now()+q.estimate > p.shadow {
			if q.nodes > p.extra {
				continue
			}
			p.extra -= q.nodes
		}
		free -= q.nodes
		do = append(do, Start(q.job, q.nodes))
	}
	return do, free
}

// reserve finds shadow time and extra nodes of the job behind the first `started` of the queue, which are being started
// and leave free nodes.
func (p *EASY) reserve(v View, started, free int) {
	p.fresh = p.fresh[:0]
	for i := range started {
		p.begin(v.r.queue.at(i), v.Now())
	}
	need := v.r.queue.at(started).nodes
	running, fresh := v.r.running, p.fresh
	for len(running)+len(fresh) > 0 {
		from := &running
		if len(running) == 0 || len(fresh) > 0 && fresh[0].expected < running[0].expected {
			from = &fresh
		}
		first := (*from)[0]
		if free >= need && first.expected > p.shadow {
			break
		}
		p.shadow = first.expected
		free += first.nodes
		*from = (*from)[1:]
	}
	if free < need { // cannot be: no job asks for more than the machine has
		p.shadow = math.Inf(1)
	}
	p.extra = free - need
}

// begin enters a job that is being started now among the fresh ones.
func (p *EASY) begin(q *waiting, now float64) {
	e := ending{now + q.estimate, q.job, q.nodes}
	i := len(p.fresh)
	p.fresh = append(p.fresh, e)
	for ; i > 0 && p.fresh[i-1].expected > e.expected; i-- {
		p.fresh[i] = p.fresh[i-1]
	}
	p.fresh[i] = e
}
