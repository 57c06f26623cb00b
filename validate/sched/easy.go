package sched

import (
	"cmp"
	"math"
	"slices"
)

// easy is aggressive backfilling. Jobs start in the order of their arrival. If the first job of the queue has to wait,
// any other job may start unless it delays the first job. Delays are predicted from the estimates of run times.
//
// The shadow time is the time at which the running jobs will have left enough nodes for the first job of the queue. The
// extra nodes are the nodes that this job will then leave free. A job may overtake if it fits into the free nodes and
// either ends by the shadow time or takes at most the extra nodes.
//
// With a [StartWindow] a job may also have to wait for the clock. Such a job is left out, as if it had not arrived yet.
// So the first job of the queue is the first job that may start by the clock. Its shadow time is the first time at
// which enough nodes are free and the job may start.
//
// Reference: A. W. Mu'alem, D. G. Feitelson, Utilization, predictability, workloads, and user runtime estimates in
// scheduling the IBM SP2 with backfilling, IEEE Trans. Parallel Distrib. Syst. 12 (2001) 529–543, section 2.2.
type easy struct {
	// Shadow time and extra nodes of the first job of the queue after the last decision. Arrivals do not change them. So on
	// arrivals only the new jobs have to be examined: the jobs before them did not fit, and would now end later.
	shadow float64
	extra  int
	// reserved says that a job waits for nodes, and not for the clock: the shadow time is its reservation.
	reserved bool

	waiting *backlog // index of a long queue; nil for a short queue
	fresh   []Ending // jobs started in this decision, by expected end

	// closes is the next time of the start window, up to which jobs that start now must end by their limits. It is +Inf
	// without a window. alarm is the last alarm that was requested.
	closes, alarm float64

	// onFewest says that jobs start on the fewest nodes that they may have, and not on the nodes that they ask for. shrinks
	// says that running jobs count with the fewest nodes that they may have, and not with the nodes that they hold.
	onFewest, shrinks bool
}

// Name returns "easy".
func (*easy) Name() string { return "easy" }

// Decide makes a decision of EASY backfilling. Jobs start from the head of the queue while they fit into the free
// nodes. The first job that does not fit gets a reservation, and jobs behind it start if they do not delay it. If
// events are arrivals alone, and an earlier job has a reservation, only the new jobs are examined. The actions are
// appended to do and returned. With a [StartRule], jobs must end by the next of its times of the week, and an alarm for
// this time is added.
func (p *easy) Decide(v View, events []Event, do []Action) []Action {
	if came := p.indexArrivals(v, events); came == len(events) && came < v.Waiting() && p.reserved {
		return p.requestAlarm(v, p.backfill(v, v.Waiting()-came, v.Free(), do))
	}
	return p.requestAlarm(v, p.startFromQueue(v, v.Free(), do))
}

// requestAlarm appends to do an alarm at p.closes, the next time of the [StartRule], at which more jobs may start. The
// time is stored in p.alarm. requestAlarm returns do unchanged without a rule, if no job waits, or if the alarm for
// this time was requested before.
func (p *easy) requestAlarm(v View, do []Action) []Action {
	if v.s.window == nil || v.Waiting() == 0 || p.alarm == p.closes {
		return do
	}
	p.alarm = p.closes
	return append(do, Wake(p.closes))
}

// mayStart reports whether the [StartRule] lets job j start now. A job may start if it ends by p.closes, the next time
// of the rule, when it runs up to its limit. The limit is for the nodes that the job asks for, also if it starts on
// fewer. The result is true without a rule, and for jobs whose limits are too long for the rule to bind them.
func (p *easy) mayStart(v View, j JobID) bool {
	return v.s.window == nil || p.endsByClose(v, j)
}

// endsByClose reports what [easy.mayStart] does, with a [StartRule].
func (p *easy) endsByClose(v View, j JobID) bool {
	return v.Now()+v.s.window.boundLimit(limitOf(v, j)) <= p.closes
}

// limitOf returns the limit of job j for the [StartRule]. It is the estimate of the job on the nodes that it asks for, in
// the unit of time of the jobs. The field Limit of the job does not count.
func limitOf(v View, j JobID) float64 { return v.s.jobs[j].Job.EstimateOn(v.Asked(j)) }

// queued returns the i-th waiting job, from 0, with the nodes on which it starts, and its estimated run time on them.
func (p *easy) queued(v View, i int) Waiting {
	w := v.s.queue.At(i)
	n := p.startNodes(w)
	return Waiting{w.job, n, v.s.estimateOn(w, n)}
}

// startNodes returns the nodes on which a waiting job starts.
func (p *easy) startNodes(w *waiting) int {
	if p.onFewest {
		return int(w.fewest)
	}
	return w.nodes
}

// nodesOf returns the nodes that a running job leaves at its expected end, as the reservation of a waiting job counts them.
func (p *easy) nodesOf(v View, e *ending) int {
	if p.shrinks {
		return int(e.fewest)
	}
	return v.s.jobs[e.job].Held
}

// A queue is indexed by size when it has more than longQueue jobs, until it has fewer than a quarter of them. Going
// through a short queue takes less time than keeping the index. Where jobs can shrink, the index pays from
// longShrinkable jobs on. The queue then does not hold the nodes that a job needs, and each job has to be looked up.
const longQueue, longShrinkable = 1024, 128

// indexArrivals returns the number of arrivals among the events, and keeps the index p.waiting of waiting jobs up to
// date. The index is made when the queue is long, see longQueue, gets every arrival from then on, and is dropped when
// the queue is short. It also moves p.closes, the next time of the [StartRule], if the present one has passed.
func (p *easy) indexArrivals(v View, events []Event) int {
	if v.s.window != nil && !(v.Now() < p.closes) { // also before the first decision
		p.closes = v.s.window.Next(v.Now())
	}
	came, n := count(events, Arrival), v.Waiting()
	first, long := n-came, longQueue
	if p.onFewest {
		long = longShrinkable
	}
	switch {
	case n < long/4:
		p.waiting = nil
	case n > long && p.waiting == nil:
		p.waiting, first = &backlog{}, 0
	}
	for i := first; i < n && p.waiting != nil; i++ {
		w := p.queued(v, i)
		p.waiting.add(v.Number(w.Job), w)
	}
	return came
}

// startFromQueue makes a whole decision of EASY. It starts jobs from the head of the queue while they fit, makes the
// reservation of the first job that has to wait, and backfills. free is the number of free nodes. The actions are
// appended to do and returned. A whole decision is needed when nodes have become free; otherwise only new jobs are
// examined.
//
// [easy.indexArrivals] must have been called for the events. Started jobs leave the index p.waiting of a long queue.
// p.reserved is set to whether a job has to wait for nodes; [easy.reserve] then sets p.shadow and p.extra.
func (p *easy) startFromQueue(v View, free int, do []Action) []Action {
	before := len(do)
	head, free, do := p.startHeads(v, free, do)
	for _, a := range do[before:] {
		if p.waiting != nil {
			p.waiting.remove(v.Number(a.Job), a.Nodes)
		}
	}
	if p.reserved = head < v.Waiting(); !p.reserved {
		return do
	}
	p.reserve(v, head, free, do[before:])
	return p.backfill(v, head+1, free, do)
}

// startHeads appends actions to do that start jobs in the order of the queue until a job does not fit into the free
// nodes. Jobs that the [StartRule] does not let start ([easy.mayStart]) are passed over. head is the index of the job
// that does not fit, or the number of waiting jobs if all jobs fit. left is the number of nodes that are still free.
func (p *easy) startHeads(v View, free int, do []Action) (head, left int, _ []Action) {
	for n := v.Waiting(); head < n; head++ {
		w := p.queued(v, head)
		if !p.mayStart(v, w.Job) {
			continue
		}
		if w.Nodes > free {
			break
		}
		free -= w.Nodes
		do = appendAllocate(do, w.Job, w.Nodes)
	}
	return head, free, do
}

// backfill appends actions to do that start jobs from index i of the queue on, behind the reservation that
// [easy.reserve] has made. free is the number of free nodes. A job starts if it fits into the free nodes, may start by
// the clock ([easy.mayStart]), and does not delay the reservation.
//
// There are two ways not to delay the reservation. The job ends, by its estimate, by the shadow time p.shadow, when the
// reservation begins. Or it needs at most p.extra nodes, which the reservation leaves free; its nodes are then
// subtracted from p.extra. For a long queue, with the index p.waiting, [easy.backfillLong] does all this.
func (p *easy) backfill(v View, i, free int, do []Action) []Action {
	if p.waiting != nil {
		return p.backfillLong(v, i, free, do)
	}
	now := v.Now()
	for n := v.Waiting(); i < n && free > 0; i++ {
		w := v.s.queue.At(i)
		nodes := p.startNodes(w)
		if nodes > free || !p.mayStart(v, w.job) {
			continue
		}
		// A job that ends after the shadow time may use only nodes that the head of the queue does not need.
		if now+v.s.estimateOn(w, nodes) > p.shadow {
			if nodes > p.extra {
				continue
			}
			p.extra -= nodes
		}
		free -= nodes
		do = appendAllocate(do, w.job, nodes)
	}
	return do
}

// backfillLong does what [easy.backfill] does, for a long queue with the index p.waiting: it starts jobs from index i
// of the queue on that do not delay the reservation of the head. free is the number of free nodes; nodes of jobs that
// end after the shadow time are subtracted from p.extra. The index finds the jobs, so that other waiting jobs are not
// examined. Jobs that start are taken out of the index.
func (p *easy) backfillLong(v View, i, free int, do []Action) []Action {
	if i == v.Waiting() {
		return do
	}
	now, from := v.Now(), v.Number(v.Queued(i).Job)
	for free > 0 {
		j, nodes, ok := p.waiting.first(from, now, p.shadow, free, p.extra)
		if !ok {
			break
		}
		if from = j.number + 1; !p.mayStart(v, j.job) {
			continue
		}
		if now+j.estimate > p.shadow {
			p.extra -= nodes
		}
		free -= nodes
		p.waiting.remove(j.number, nodes)
		do = appendAllocate(do, j.job, nodes)
	}
	return do
}

// reserve makes the reservation of the job at index head of the queue, for which too few nodes are free. It sets the
// shadow time p.shadow: the first time at which enough nodes are expected to be free and the [StartRule] lets the job
// start. It also sets p.extra, the number of nodes that the job then leaves free. All nodes that become free up to the
// shadow time count. starts are the actions of this decision so far; their jobs hold nodes until their estimated ends,
// and are listed in p.fresh. free is the number of nodes that are free after these actions.
func (p *easy) reserve(v View, head, free int, starts []Action) {
	p.fresh = p.fresh[:0]
	for _, a := range starts {
		p.fresh = append(p.fresh, Ending{v.Now() + v.s.jobs[a.Job].Job.EstimateOn(a.Nodes), a.Job, a.Nodes})
	}
	slices.SortStableFunc(p.fresh, func(a, b Ending) int { return cmp.Compare(a.At, b.At) })
	first := p.queued(v, head)
	need, enough := first.Nodes, false
	fresh, endings := p.fresh, v.endings()
	// Merge the jobs that run and those that start now, by their expected ends. Nodes of all jobs that end at the shadow
	// time itself are counted, so that extra is as large as possible.
	for len(endings)+len(fresh) > 0 {
		var at float64
		var nodes int
		if len(endings) == 0 || len(fresh) > 0 && fresh[0].At < endings[0].at {
			at, nodes, fresh = fresh[0].At, fresh[0].Nodes, fresh[1:]
		} else {
			at, nodes, endings = endings[0].at, p.nodesOf(v, &endings[0]), endings[1:]
		}
		if enough && at > p.shadow {
			break
		}
		if free += nodes; !enough && free >= need {
			enough = true
			p.shadow = v.s.window.firstStart(at, limitOf(v, first.Job))
		}
	}
	if !enough { // impossible, as no job asks for more nodes than the machine has
		p.shadow = math.Inf(1)
	}
	p.extra = free - need
}
