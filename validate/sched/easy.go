package sched

import (
	"cmp"
	"math"
	"slices"
)

// easy is aggressive backfilling. Jobs start in the order of their arrival. If the first job of the queue has to wait, any other job
// may start that does not delay it, by the estimates of run times.
//
// The shadow time is the time at which the running jobs will have left enough nodes for the first job of the queue. The extra nodes
// are the nodes that this job will then leave free. A job may overtake if it fits into the free nodes and either ends by the shadow
// time or takes no more than the extra nodes.
//
// Reference: A. W. Mu'alem, D. G. Feitelson, Utilization, predictability, workloads, and user runtime estimates in
// scheduling the IBM SP2 with backfilling, IEEE Trans. Parallel Distrib. Syst. 12 (2001) 529–543, section 2.2.
type easy struct {
	// Of the head that waits, after the last decision. Arrivals change neither, so that one need only look at the jobs
	// that have come: those before them found no place, and time only makes them end later.
	shadow float64
	extra  int

	fresh []Ending // started in this decision, by expected end

	// need returns the nodes that a job takes, or would free by its end, where jobs can shrink; nil: all that it asks for.
	need func(v View, j JobID) int
}

// Name returns "easy".
func (*easy) Name() string { return "easy" }

// Decide starts the head of the queue while it fits, and then whatever can be backfilled.
func (p *easy) Decide(v View, events []Event, do []Action) []Action {
	if came := count(events, Arrival); came == len(events) && came < v.Waiting() {
		return p.backfill(v, v.Waiting()-came, v.Free(), do)
	}
	return p.pass(v, v.Free(), do)
}

// pass starts what may be started of the whole queue with a number of free nodes.
func (p *easy) pass(v View, free int, do []Action) []Action {
	do, started, free := startHeads(v, free, p.need, do)
	if started == v.Waiting() {
		return do
	}
	p.reserve(v, started, free)
	return p.backfill(v, started+1, free, do)
}

// backfill starts those of the queue from place i on that do not delay its head.
func (p *easy) backfill(v View, i, free int, do []Action) []Action {
	now := v.Now()
	for n := v.Waiting(); i < n && free > 0; i++ {
		w := queued(v, i, p.need)
		if w.Nodes > free {
			continue
		}
		if now+w.Estimate > p.shadow {
			if w.Nodes > p.extra {
				continue
			}
			p.extra -= w.Nodes
		}
		free -= w.Nodes
		do = append(do, Allocate(w.Job, w.Nodes))
	}
	return do
}

// reserve finds shadow time and extra nodes of the job behind the first `started` of the queue, which are being started
// and leave free nodes.
func (p *easy) reserve(v View, started, free int) {
	p.fresh = p.fresh[:0]
	for i := range started {
		w := queued(v, i, p.need)
		p.fresh = append(p.fresh, Ending{v.Now() + w.Estimate, w.Job, w.Nodes})
	}
	slices.SortStableFunc(p.fresh, func(a, b Ending) int { return cmp.Compare(a.At, b.At) })
	need := queued(v, started, p.need).Nodes
	fresh, running := p.fresh, v.Running()
	for i := 0; i < running || len(fresh) > 0; {
		var next Ending
		if i < running {
			if next = v.Ending(i); p.need != nil {
				next.Nodes = p.need(v, next.Job)
			}
		}
		if i == running || len(fresh) > 0 && fresh[0].At < next.At {
			next, fresh = fresh[0], fresh[1:]
		} else {
			i++
		}
		if free >= need && next.At > p.shadow {
			break
		}
		p.shadow = next.At
		free += next.Nodes
	}
	if free < need { // cannot be: no job asks for more than the machine has
		p.shadow = math.Inf(1)
	}
	p.extra = free - need
}
