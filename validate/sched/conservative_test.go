package sched_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// plain is conservative backfilling as in package sched, but the profile is one list of steps that every search goes
// through from its beginning.
type plain struct {
	compress policy.Compression
	steps    []step // the first holds now, the last lasts for ever
	starts   map[sched.JobID]float64
}

// step is a number of free nodes from a time on.
type step struct {
	from float64
	free int
}

func (*plain) Name() string { return "conservative" }

func (p *plain) Promised(j sched.JobID) float64 { return p.starts[j] }

func (p *plain) Decide(v sched.View, events []sched.Event, do []sched.Action) []sched.Action {
	now := v.Now()
	if p.starts == nil {
		p.starts, p.steps = map[sched.JobID]float64{}, []step{{math.Inf(-1), v.Nodes()}}
	}
	for len(p.steps) > 1 && p.steps[1].from <= now {
		p.steps = p.steps[1:]
	}
	came, early, ended := 0, false, false
	for _, e := range events {
		switch e.Kind {
		case sched.Arrival:
			came++
		case sched.Departure:
			p.add(now, v.Expected(e.Job), v.Held(e.Job))
			ended, early = true, early || v.Expected(e.Job) > now
		}
	}
	compress := ended && p.compress == policy.CompressAlways || early && p.compress == policy.CompressEarly
	free, next := v.Free(), math.Inf(1)
	for i := range v.Waiting() {
		w := v.Queued(i)
		switch start, comes := p.starts[w.Job], i >= v.Waiting()-came; {
		case comes:
			p.starts[w.Job] = p.earliest(now, w)
			p.add(p.starts[w.Job], p.starts[w.Job]+w.Estimate, -w.Nodes)
		case compress && start > now:
			p.add(start, start+w.Estimate, w.Nodes)
			p.starts[w.Job] = p.earliest(now, w)
			p.add(p.starts[w.Job], p.starts[w.Job]+w.Estimate, -w.Nodes)
		}
	}
	for i := range v.Waiting() {
		switch w := v.Queued(i); {
		case p.starts[w.Job] > now:
			next = min(next, p.starts[w.Job])
		case w.Nodes <= free:
			free -= w.Nodes
			do = append(do, sched.Allocate(w.Job, w.Nodes))
		}
	}
	if !math.IsInf(next, 1) {
		do = append(do, sched.Wake(next))
	}
	return do
}

// earliest returns the first time at which a job fits.
func (p *plain) earliest(now float64, w sched.Waiting) float64 {
	at, fits := now, false
	for _, s := range p.steps {
		switch {
		case fits && s.from >= at+w.Estimate:
			return at
		case s.free < w.Nodes:
			fits = false
		case !fits:
			at, fits = max(s.from, now), true
		}
	}
	return at
}

// add changes the free nodes from a time to a later one.
func (p *plain) add(from, to float64, nodes int) {
	p.split(from)
	p.split(to)
	for i := range p.steps {
		if s := &p.steps[i]; from <= s.from && s.from < to {
			s.free += nodes
		}
	}
	p.steps = slices.CompactFunc(p.steps, func(a, b step) bool { return a.free == b.free })
}

// split makes a step begin at a time.
func (p *plain) split(at float64) {
	i, found := slices.BinarySearchFunc(p.steps, at, func(s step, at float64) int {
		switch {
		case s.from < at:
			return -1
		case s.from > at:
			return 1
		}
		return 0
	})
	if !found {
		p.steps = slices.Insert(p.steps, i, step{at, p.steps[i-1].free})
	}
}

// The plain profile and the profile in blocks give every job the same promise and the same start, whatever the length
// of the queue.
func TestConservativeAgainstPlainProfile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 40).Draw(t, "nodes of the machine")
		jobs := burst(nodes, rapid.SampledFrom([]int{10, 100, 250}).Draw(t, "jobs"), rapid.Uint64().Draw(t, "seed"))
		setups := rapid.Bool().Draw(t, "set-ups")
		for _, when := range []policy.Compression{policy.CompressEarly, policy.CompressAlways, policy.CompressNever} {
			c := machine.Config{Nodes: nodes, Jobs: jobs, Policy: policy.Conservative{Compress: when}}
			if setups {
				c.Setup = machinetest.Exponential(20) // jobs end later than their reservations
			}
			got := lived(t, c)
			c.Policy = machinetest.Own{New: func() sched.Policy { return &plain{compress: when} }}
			for i, want := range lived(t, c) {
				if got[i].Start != want.Start || got[i].Promised != want.Promised {
					t.Fatal(when, ": job", i, "starts at", got[i].Start, "with promise", got[i].Promised, "; want",
						want.Start, want.Promised)
				}
			}
		}
	})
}

// burst returns jobs at about twice the load that a machine can bear. Some times are whole numbers, so that several
// reservations begin or end at once, and some are not, so that sums are rounded.
func burst(nodes, n int, seed uint64) machine.List {
	stream, now := des.Seed(seed).Stream(), 0.0
	whole := func(x float64) float64 {
		if stream.Float64() < 0.7 {
			return math.Ceil(x)
		}
		return x
	}
	jobs := make([]workload.Job, n)
	for i := range jobs {
		now += whole(12 * stream.Exp())
		run := whole(math.Pow(10, 2.5*stream.Float64()))
		size := 1 + int(float64(nodes)*math.Pow(stream.Float64(), 3))
		jobs[i] = expected(rigid(i+1, now, size, run), whole(run*(1+4*stream.Float64()*stream.Float64())))
	}
	return jobs
}
