package batch

import (
	"fmt"
	"math"
	"strings"
)

// Compression says when conservative backfilling moves reservations forward.
type Compression int

// The times of compression.
const (
	CompressEarly  Compression = iota // when a job ends before its estimate
	CompressAlways                    // whenever a job ends
	CompressNever                     // never: a job starts at the time it was given when it came
)

var compressions = []string{"early", "always", "never"}

// String returns "early", "always" or "never".
func (c Compression) String() string { return compressions[c] }

// ParseCompression returns the compression of the given name; empty stands for early.
func ParseCompression(name string) (Compression, error) {
	for c, s := range compressions {
		if s == name || name == "" {
			return Compression(c), nil
		}
	}
	return 0, fmt.Errorf("batch: %q is no time of compression: use %s", name, strings.Join(compressions, ", "))
}

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
	Compress Compression

	profile profile
	starts  []float64 // the reservations of waiting jobs, by name
	alarm   float64   // the earliest alarm asked for that is yet to come
}

func newConservative(parameter string) (func() Policy, error) {
	c, err := ParseCompression(parameter)
	if err != nil {
		return nil, err
	}
	return func() Policy { return &Conservative{Compress: c} }, nil
}

// Name returns "conservative".
func (*Conservative) Name() string { return "conservative" }

// Promised returns the reservation of a waiting job.
func (p *Conservative) Promised(j Job) float64 { return p.starts[j] }

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
		if p.Compress == CompressAlways || p.Compress == CompressEarly && expected > now {
			p.compress(v)
		}
	case Alarm:
		p.alarm = math.Inf(1)
	}
	return p.start(v, do)
}

// admit gives a job that has come its reservation, and starts it if that is for now. No other can start on an arrival.
// Where the nodes are those of a job that is expected to end at this very time it waits for that event.
func (p *Conservative) admit(v View, j Job, do []Action) []Action {
	q := v.r.queue.at(v.Waiting() - 1)
	at := p.profile.anchor(v.Now(), q.estimate, q.nodes)
	p.profile.add(at, at+q.estimate, -q.nodes)
	for int(j) >= len(p.starts) {
		p.starts = append(p.starts, 0)
	}
	p.starts[j] = at
	if at <= v.Now() && q.nodes <= v.Free() {
		return append(do, Start(j, q.nodes))
	}
	return p.wake(v, at, do)
}

// compress moves reservations forward, in the order of the queue.
func (p *Conservative) compress(v View) {
	now := v.Now()
	for i, n := 0, v.Waiting(); i < n; i++ {
		q := v.r.queue.at(i)
		start := p.starts[q.job]
		if at := p.profile.earlier(now, start, q.estimate, q.nodes); at < start {
			p.profile.move(start, at, q.estimate, q.nodes)
			p.starts[q.job] = at
		}
	}
}

// start starts the jobs whose time has come and for which there are nodes already.
func (p *Conservative) start(v View, do []Action) []Action {
	free, next := v.Free(), math.Inf(1)
	for i, n := 0, v.Waiting(); i < n; i++ {
		q := v.r.queue.at(i)
		at := p.starts[q.job]
		if at > v.Now() {
			next = min(next, at)
			continue
		}
		if q.nodes <= free {
			free -= q.nodes
			do = append(do, Start(q.job, q.nodes))
		}
	}
	return p.wake(v, next, do)
}

// wake asks for an alarm at the time of the next reservation, unless something happens before it anyway.
func (p *Conservative) wake(v View, at float64, do []Action) []Action {
	if at >= p.alarm || math.IsInf(at, 1) || v.Running() > 0 && v.r.running[0].expected <= at {
		return do
	}
	p.alarm = at
	return append(do, Wake(at))
}
