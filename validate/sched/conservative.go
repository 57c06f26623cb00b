package sched

import (
	"math"

	"github.com/partwise/partwise/models/policy"
)

// Conservative is conservative backfilling: every job is given a reservation when it comes, the earliest that fits
// between those of the jobs before it, and so overtakes without delaying anyone. The reservation is a guarantee: the
// job starts then or, if reservations are compressed, earlier.
//
// Compression goes through the queue in its order, once, and moves each reservation to the earliest time that the
// others leave it; none is ever moved back.
//
// Reference: A. W. Mu'alem, D. G. Feitelson, Utilization, predictability, workloads, and user runtime estimates in
// scheduling the IBM SP2 with backfilling, IEEE Trans. Parallel Distrib. Syst. 12 (2001) 529–543, section 2.1.
type Conservative struct {
	Compress policy.Compression

	profile profile
	starts  []float64 // the reservations of waiting jobs, by name
	alarm   float64   // the earliest alarm asked for that is yet to come
}

// Name returns "conservative".
func (*Conservative) Name() string { return "conservative" }

// Promised returns the reservation of a waiting job.
func (p *Conservative) Promised(j JobID) float64 { return p.starts[j] }

// Decide gives an arriving job its reservation, compresses those of others when one has ended, and starts the jobs
// whose time has come.
func (p *Conservative) Decide(v View, why Event, do []Action) []Action {
	if p.profile.steps == nil {
		p.profile.reset(v.Nodes())
		p.alarm = math.Inf(1)
	}
	now := v.Now()
	p.profile.pass(now)
	switch why.Kind {
	case Arrival:
		return p.admit(v, why.Job, do)
	case Departure:
		expected := v.Expected(why.Job)
		p.profile.add(now, expected, v.Held(why.Job))
		if p.Compress == policy.CompressAlways || p.Compress == policy.CompressEarly && expected > now {
			p.compress(v)
		}
	case Alarm:
		p.alarm = math.Inf(1)
	}
	return p.start(v, do)
}

// admit reserves nodes for a job that has arrived, and starts it if they are free. No other can start on an arrival.
// Where the nodes are those of a job that is expected to end at this very time it waits for that event.
func (p *Conservative) admit(v View, j JobID, do []Action) []Action {
	w := v.Queued(v.Waiting() - 1)
	at := p.profile.anchor(v.Now(), w.Estimate, w.Nodes)
	p.profile.add(at, at+w.Estimate, -w.Nodes)
	for int(j) >= len(p.starts) {
		p.starts = append(p.starts, 0)
	}
	p.starts[j] = at
	if at <= v.Now() && w.Nodes <= v.Free() {
		return append(do, Allocate(j, w.Nodes))
	}
	return p.wake(v, at, do)
}

// compress moves reservations forward, in the order of the queue.
func (p *Conservative) compress(v View) {
	now := v.Now()
	for i, n := 0, v.Waiting(); i < n; i++ {
		w := v.Queued(i)
		start := p.starts[w.Job]
		if at := p.profile.earlier(now, start, w.Estimate, w.Nodes); at < start {
			p.profile.move(start, at, w.Estimate, w.Nodes)
			p.starts[w.Job] = at
		}
	}
}

// start starts the jobs whose time has come and for which there are nodes already.
func (p *Conservative) start(v View, do []Action) []Action {
	free, next := v.Free(), math.Inf(1)
	for i, n := 0, v.Waiting(); i < n; i++ {
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

// wake asks for an alarm at the time of the next reservation, unless something happens before it anyway.
func (p *Conservative) wake(v View, at float64, do []Action) []Action {
	if at >= p.alarm || math.IsInf(at, 1) || v.Running() > 0 && v.Ending(0).At <= at {
		return do
	}
	p.alarm = at
	return append(do, Wake(at))
}
