package sched

import (
	"math"

	"github.com/partwise/partwise/models/policy"
)

// conservative is conservative backfilling. Every job gets a reservation when it arrives: the earliest one that fits between the
// reservations of the jobs before it. So a job overtakes others without delaying them. The reservation is a guarantee: the job
// starts at that time or, if reservations are compressed, earlier.
//
// Compression goes through the queue once, in its order. It moves each reservation to the earliest time that the other
// reservations allow, and never to a later time.
//
// Reference: A. W. Mu'alem, D. G. Feitelson, Utilization, predictability, workloads, and user runtime estimates in
// scheduling the IBM SP2 with backfilling, IEEE Trans. Parallel Distrib. Syst. 12 (2001) 529–543, section 2.1.
type conservative struct {
	Compress policy.Compression

	profile profile
	starts  []float64 // the reservations of waiting jobs, by name
	alarm   float64   // the earliest alarm asked for that is yet to come
}

// Name returns "conservative".
func (*conservative) Name() string { return "conservative" }

// Promised returns the reservation of a waiting job.
func (p *conservative) Promised(j JobID) float64 { return p.starts[j] }

// Decide compresses the reservations when jobs have ended, makes reservations for jobs that have arrived, and starts the jobs whose
// reservations are due.
func (p *conservative) Decide(v View, events []Event, do []Action) []Action {
	if p.profile.blocks == nil {
		p.profile.reset(v.Nodes())
		p.alarm = math.Inf(1)
	}
	now := v.Now()
	p.profile.pass(now)
	came, compress := 0, false
	for _, e := range events {
		switch e.Kind {
		case Arrival:
			came++
		case Departure:
			expected := v.Expected(e.Job)
			p.profile.add(now, expected, v.Held(e.Job))
			compress = compress || p.Compress == policy.CompressAlways || p.Compress == policy.CompressEarly && expected > now
		case Alarm:
			p.alarm = math.Inf(1)
		}
	}
	first := v.Waiting() - came // of those that have come
	if compress {
		p.compress(v, first)
	}
	for i := range came {
		p.reserve(v, first+i)
	}
	if came == len(events) { // no other can start on an arrival
		return p.start(v, first, do)
	}
	return p.start(v, 0, do)
}

// reserve reserves nodes for the i-th of the waiting jobs, which has just come.
func (p *conservative) reserve(v View, i int) {
	w := v.Queued(i)
	at := p.profile.anchor(v.Now(), w.Estimate, w.Nodes)
	p.profile.add(at, at+w.Estimate, -w.Nodes)
	for int(w.Job) >= len(p.starts) {
		p.starts = append(p.starts, 0)
	}
	p.starts[w.Job] = at
}

// compress moves the reservations of the first n of the queue forward, in its order.
func (p *conservative) compress(v View, n int) {
	now := v.Now()
	for i := range n {
		w := v.Queued(i)
		start := p.starts[w.Job]
		if at := p.profile.earlier(now, start, w.Estimate, w.Nodes); at < start {
			p.profile.move(start, at, w.Estimate, w.Nodes)
			p.starts[w.Job] = at
		}
	}
}

// start starts the jobs of the queue, from the i-th on, whose reservations are due and for which nodes are free. If the nodes belong
// to a job that is expected to end at this moment, the waiting job starts after that event.
func (p *conservative) start(v View, i int, do []Action) []Action {
	free, next := v.Free(), math.Inf(1)
	for n := v.Waiting(); i < n; i++ {
		w := v.Queued(i)
		at := p.starts[w.Job]
		if at > v.Now() {
			next = min(next, at)
			continue
		}
		if w.Nodes <= free {
			free -= w.Nodes
			do = append(do, Allocate(w.Job, w.Nodes))
		}
	}
	return p.wake(v, next, do)
}

// wake requests an alarm at the time of the next reservation, unless another event comes first.
func (p *conservative) wake(v View, at float64, do []Action) []Action {
	if at >= p.alarm || math.IsInf(at, 1) || v.Running() > 0 && v.Ending(0).At <= at {
		return do
	}
	p.alarm = at
	return append(do, Wake(at))
}
