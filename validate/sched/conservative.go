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
	starts  []float64 // of the reservations of waiting jobs, by name
	first   float64   // the earliest of them
	alarm   float64   // the earliest alarm asked for that is yet to come
}

// Name returns "conservative".
func (*conservative) Name() string { return "conservative" }

// Promised returns the reservation of a waiting job.
func (p *conservative) Promised(j JobID) float64 { return p.starts[j] }

// Decide goes through the queue. It compresses the reservations when jobs have ended, makes reservations for jobs that have arrived,
// and starts the jobs whose reservations are due.
func (p *conservative) Decide(v View, events []Event, do []Action) []Action {
	now := v.Now()
	if p.profile == nil {
		p.profile = profile{{now, v.Nodes()}}
		p.first, p.alarm = math.Inf(1), math.Inf(1)
	}
	p.profile.pass(now)
	came, compress := 0, false
	for _, e := range events {
		switch e.Kind {
		case Arrival:
			came++
		case Departure:
			expected := v.Expected(e.Job)
			if expected > now {
				p.profile.add(now, expected, v.Held(e.Job))
			}
			compress = compress || p.Compress == policy.CompressAlways || p.Compress == policy.CompressEarly && expected > now
		case Alarm:
			p.alarm = math.Inf(1)
		}
	}
	i, old := 0, v.Waiting()-came
	free, next := v.Free(), math.Inf(1)
	switch {
	case came == len(events): // no other job can start on an arrival
		i = old
	case !compress && p.first > now: // no other job is due
		i, next = old, p.first
	default:
		p.first = math.Inf(1)
	}
	for n := v.Waiting(); i < n; i++ {
		w := v.Queued(i)
		start := p.reserve(w, i >= old, compress)
		switch {
		case start > now:
			next = min(next, start)
		case w.Nodes <= free: // otherwise a job that is expected to end at this moment has them
			free -= w.Nodes
			do = append(do, Allocate(w.Job, w.Nodes))
		default:
			p.first = now
		}
	}
	p.first = min(p.first, next)
	return p.wake(v, next, do)
}

// reserve returns the reservation of a job: a new one, or the one that it has, which it compresses if it is to.
func (p *conservative) reserve(w Waiting, comes, compress bool) float64 {
	for int(w.Job) >= len(p.starts) {
		p.starts = append(p.starts, 0)
	}
	had := p.starts[w.Job]
	if comes {
		had = math.Inf(1)
	} else if !compress {
		return had
	}
	start := p.profile.earliest(had, w.Estimate, w.Nodes)
	if start == had {
		return had
	}
	if !comes {
		p.profile.add(had, had+w.Estimate, w.Nodes)
	}
	p.profile.add(start, start+w.Estimate, -w.Nodes)
	p.starts[w.Job] = start
	return start
}

// wake requests an alarm at the time of the next reservation, unless another event comes first.
func (p *conservative) wake(v View, at float64, do []Action) []Action {
	if at >= p.alarm || math.IsInf(at, 1) || v.Running() > 0 && v.Ending(0).At <= at {
		return do
	}
	p.alarm = at
	return append(do, Wake(at))
}
