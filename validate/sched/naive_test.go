package sched_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/machine"
)

// naive is a machine under a policy, written from the definitions without regard to time: everything is looked up anew
// whenever something has happened.
type naive struct {
	nodes   int
	now     float64
	waiting []*task
	running []*task // in the order in which they were started
	decide  func(n *naive, ended []*task)
}

// task is a job; from is its reservation while it waits and its start afterwards.
type task struct {
	workload.Job
	from, end float64
}

func (t *task) expected() float64 { return t.from + t.Estimate }

// run returns the starts of the jobs.
func (n *naive) run(jobs []workload.Job) []float64 {
	tasks := make([]*task, len(jobs))
	for i, q := range jobs {
		q.Estimate = max(q.Estimate, q.Run, 1)
		tasks[i] = &task{Job: q, from: math.Inf(1)}
	}
	for coming := tasks; len(coming)+len(n.waiting)+len(n.running) > 0; {
		next := math.Inf(1)
		for _, t := range n.running {
			next = min(next, t.end)
		}
		for _, t := range n.waiting { // reservations
			next = min(next, max(t.from, n.now))
		}
		if len(coming) > 0 {
			next = min(next, coming[0].Submit)
		}
		n.now = next
		for len(coming) > 0 && coming[0].Submit == n.now {
			n.waiting, coming = append(n.waiting, coming[0]), coming[1:]
		}
		var ended []*task
		n.running = slices.DeleteFunc(n.running, func(t *task) bool {
			if t.end == n.now {
				ended = append(ended, t)
			}
			return t.end == n.now
		})
		n.decide(n, ended)
	}
	starts := make([]float64, len(tasks))
	for i, t := range tasks {
		starts[i] = t.from
	}
	return starts
}

func (n *naive) free() int {
	free := n.nodes
	for _, t := range n.running {
		free -= t.Nodes
	}
	return free
}

func (n *naive) start(t *task) {
	n.waiting = slices.DeleteFunc(n.waiting, func(w *task) bool { return w == t })
	n.running = append(n.running, t)
	t.from, t.end = n.now, n.now+t.Run
}

// easy is EASY as in figure 2 of the paper: one job is backfilled at a time, and then everything is computed again.
func easy(n *naive, _ []*task) {
	for {
		if len(n.waiting) == 0 {
			return
		}
		if head := n.waiting[0]; head.Nodes <= n.free() {
			n.start(head)
			continue
		}
		shadow, extra := math.Inf(1), 0
		for _, r := range n.running {
			left := n.free()
			for _, s := range n.running {
				if s.expected() <= r.expected() {
					left += s.Nodes
				}
			}
			if left >= n.waiting[0].Nodes && r.expected() < shadow {
				shadow, extra = r.expected(), left-n.waiting[0].Nodes
			}
		}
		k := slices.IndexFunc(n.waiting[1:], func(t *task) bool {
			return t.Nodes <= n.free() && (n.now+t.Estimate <= shadow || t.Nodes <= extra)
		})
		if k < 0 {
			return
		}
		n.start(n.waiting[k+1])
	}
}

// conservative is conservative backfilling with reservations in a list, whose jobs are taken out and put in again.
func conservative(compress func(ended *task, now float64) bool) func(*naive, []*task) {
	return func(n *naive, ended []*task) {
		if slices.ContainsFunc(ended, func(t *task) bool { return compress(t, n.now) }) {
			for _, t := range n.waiting {
				if t.from > n.now && !math.IsInf(t.from, 1) {
					t.from = math.Inf(1)
					t.from = n.earliest(t)
				}
			}
		}
		for _, t := range n.waiting {
			if math.IsInf(t.from, 1) { // it has just come
				t.from = n.earliest(t)
			}
		}
		for _, t := range slices.Clone(n.waiting) {
			if t.from <= n.now && t.Nodes <= n.free() {
				n.start(t)
			}
		}
	}
}

// earliest returns the earliest time from now on at which a job that has no reservation fits between the others.
func (n *naive) earliest(t *task) float64 {
	others := slices.Concat(n.running, n.waiting)
	at := []float64{n.now}
	for _, o := range others {
		if o != t && !math.IsInf(o.from, 1) && o.expected() > n.now {
			at = append(at, o.expected())
		}
	}
	slices.Sort(at)
	used := func(when float64) int {
		sum := 0
		for _, o := range others {
			if o != t && o.from <= when && when < o.expected() {
				sum += o.Nodes
			}
		}
		return sum
	}
	for _, from := range at {
		fits := used(from)+t.Nodes <= n.nodes
		for _, o := range others {
			if o != t && o.from > from && o.from < from+t.Estimate {
				fits = fits && used(o.from)+t.Nodes <= n.nodes
			}
		}
		if fits {
			return from
		}
	}
	panic("a job fits nowhere")
}

// The policies start every job when the naive machine does.
func TestAgainstNaivePolicies(t *testing.T) {
	naives := map[string]func(*naive, []*task){
		"easy":                easy,
		"conservative:always": conservative(func(*task, float64) bool { return true }),
		"conservative:early":  conservative(func(e *task, now float64) bool { return e.expected() > now }),
		"conservative:never":  conservative(func(*task, float64) bool { return false }),
	}
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 12).Draw(t, "nodes of the machine")
		jobs := rigidJobs(nodes).Draw(t, "jobs")
		for name, decide := range naives {
			want := (&naive{nodes: nodes, decide: decide, now: math.Inf(-1)}).run(jobs)
			got := starts(lived(t, machine.Config{Nodes: nodes, Policy: parsed(t, name), Jobs: machine.List(jobs)}))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s (-naive +got):\n%s", name, diff)
			}
		}
	})
}
