package sched_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// strangers is EASY as somebody outside of package sched would write it, from the definition and with nothing but what
// a View shows. It keeps nothing between calls: everything is looked at anew at every event.
type strangers struct{}

func (strangers) Name() string { return "easy" }

func (strangers) Decide(v sched.View, _ []sched.Event, do []sched.Action) []sched.Action {
	free, head := v.Free(), 0
	var begun []sched.Waiting
	for ; head < v.Waiting() && v.Queued(head).Nodes <= free; head++ {
		w := v.Queued(head)
		free -= w.Nodes
		begun = append(begun, w)
		do = append(do, sched.Allocate(w.Job, w.Nodes))
	}
	if head == v.Waiting() {
		return do
	}
	shadow, extra := reservation(v, begun, free, v.Queued(head).Nodes)
	for i := head + 1; i < v.Waiting() && free > 0; i++ {
		w := v.Queued(i)
		inTime := v.Now()+w.Estimate <= shadow
		if w.Nodes > free || !inTime && w.Nodes > extra {
			continue
		}
		if !inTime {
			extra -= w.Nodes
		}
		free -= w.Nodes
		do = append(do, sched.Allocate(w.Job, w.Nodes))
	}
	return do
}

// reservation returns the first time at which enough nodes will be free for a job that needs more than are free now, if
// all end as expected, and how many will be left over then.
func reservation(v sched.View, begun []sched.Waiting, free, need int) (shadow float64, extra int) {
	freeAt := func(t float64) int {
		n := free
		for i := range v.Running() {
			if e := v.Ending(i); e.At <= t {
				n += e.Nodes
			}
		}
		for _, w := range begun {
			if v.Now()+w.Estimate <= t {
				n += w.Nodes
			}
		}
		return n
	}
	shadow = math.Inf(1)
	for i := range v.Running() {
		if at := v.Ending(i).At; at < shadow && freeAt(at) >= need {
			shadow = at
		}
	}
	for _, w := range begun {
		if at := v.Now() + w.Estimate; at < shadow && freeAt(at) >= need {
			shadow = at
		}
	}
	return shadow, freeAt(shadow) - need
}

var stranger = machinetest.Own{New: func() sched.Policy { return strangers{} }}

// alike checks that a stranger's EASY gives every job the schedule that the built-in one gives it, and returns it.
func alike(t fataler, c machine.Config) []machine.Record {
	t.Helper()
	c.Policy = policy.EASY{}
	want := lived(t, c)
	c.Policy = stranger
	got := lived(t, c)
	for i := range want {
		w, g := &want[i], &got[i]
		if g.ID != w.ID || g.Start != w.Start || g.End != w.End || g.Held != w.Held || g.Overtook != w.Overtook {
			t.Fatal("job", w.ID, "is given", g.Held, "nodes from", g.Start, "to", g.End, "; want", w.Held, "from",
				w.Start, "to", w.End)
		}
	}
	return want
}

func TestStrangersEASYOnLogs(t *testing.T) {
	for _, log := range []struct {
		name  string
		nodes int
	}{{kth, 100}, {sdsc, 128}, {ctc, 512}} {
		t.Run(log.name, func(t *testing.T) {
			if log.name != kth {
				needs.Long(t, "replays a long log")
			}
			jobs := machine.List(logged(t, log.name, log.nodes))
			alike(t, machine.Config{Nodes: log.nodes, Jobs: jobs, Estimates: estimated(t, "logged")})
		})
	}
}

func TestStrangersEASYOnRandomJobs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 12).Draw(t, "nodes of the machine")
		jobs := machine.List(rigidJobs(nodes).Draw(t, "jobs"))
		alike(t, machine.Config{Nodes: nodes, Jobs: jobs, KillAtEstimate: rapid.Bool().Draw(t, "kill")})
	})
}

// overload returns n rigid jobs for a machine at several times the load that it can bear: the queue grows to most of them.
// Sizes are any from 1 to the nodes of the machine, run times and estimates spread over three decades.
func overload(n, nodes int) machine.List {
	stream, now := des.Seed(8).Stream(), 0.0
	jobs := make(machine.List, n)
	for i := range jobs {
		now += math.Floor(5 * stream.Exp())
		run := math.Ceil(math.Pow(10, 3*stream.Float64()))
		size := 1 + int(float64(nodes)*math.Pow(stream.Float64(), 3))
		jobs[i] = expected(rigid(i+1, now, size, run), math.Ceil(run*(1+4*stream.Float64())))
	}
	return jobs
}

func TestStrangersEASYOnALongQueue(t *testing.T) {
	const n, nodes = 3000, 24
	c := machine.Config{Nodes: nodes, Jobs: overload(n, nodes)}
	longest := 0
	c.Observe = func(v sched.View, _ []sched.Event) { longest = max(longest, v.Waiting()) }
	easy := alike(t, c)
	if longest < n/2 {
		t.Errorf("the queue was %d jobs long at most", longest)
	}
	c.Policy = policy.EASYMalleable{} // the same with rigid jobs
	for i, got := range lived(t, c) {
		if want := easy[i]; got.ID != want.ID || got.Start != want.Start {
			t.Fatal("job", want.ID, "starts at", got.Start, "under", c.Policy, "; want", want.Start)
		}
	}
}
