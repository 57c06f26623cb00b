package sched_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// molded runs jobs on a machine to their end.
func molded(t fataler, nodes int, load float64, policy string, jobs []workload.Job) []machine.Record {
	t.Helper()
	return lived(t, machine.Config{Nodes: nodes, Policy: parsed(t, policy), Load: load, Jobs: machine.List(jobs)})
}

// TestMolding follows three jobs of average parallelism 8 through a machine of ten nodes, by hand: each runs for 100 if
// it gets all, sigma 0 making its speedup linear up to 8.
func TestMolding(t *testing.T) {
	s := workload.Downey{A: 8}
	jobs := []workload.Job{
		{ID: 1, Submit: 0, Kind: workload.Moldable, Work: 800, Speedup: s},
		{ID: 2, Submit: 10, Kind: workload.Moldable, Work: 800, Speedup: s},
		{ID: 3, Submit: 20, Kind: workload.Moldable, Work: 800, Speedup: s},
	}
	for _, c := range []struct {
		policy string
		starts []float64
		sizes  []int
	}{
		{"avg", []float64{0, 10, 100}, []int{8, 2, 8}},
		{"avg:stubborn", []float64{0, 100, 200}, []int{8, 8, 8}},
		{"avg:1", []float64{0, 100, 200}, []int{8, 8, 8}},
		{"avg:0.25", []float64{0, 10, 100}, []int{8, 2, 8}},
		{"avg:0.3", []float64{0, 100, 200}, []int{8, 8, 8}}, // 2.4 nodes are 3, and only 2 are free
		{"k:0.5", []float64{0, 10, 200}, []int{4, 4, 4}},    // 2 nodes are free all the time
		{"3/2avg", []float64{0, 100, 200}, []int{10, 10, 10}},
		{"pws", []float64{0, 10, 100}, []int{8, 2, 8}}, // sigma is 0: these sizes are A
		{"max", []float64{0, 10, 100}, []int{8, 2, 8}},
		{"sev", []float64{0, 10, 100}, []int{8, 2, 8}},
		{"simplified-sev", []float64{0, 10, 160}, []int{5, 5, 5}}, // 8 − .9/2·7 = 4.85
		{"asp", []float64{0, 10, 100}, []int{8, 2, 8}},            // each is alone in the queue
	} {
		got := molded(t, 10, 0.9, c.policy, jobs)
		if diff := cmp.Diff(c.sizes, sizes(got)); diff != "" {
			t.Errorf("%s: sizes %s", c.policy, diff)
		}
		if diff := cmp.Diff(c.starts, starts(got)); diff != "" {
			t.Errorf("%s: starts %s", c.policy, diff)
		}
	}
}

// TestASPDividesTheFreeNodes: when the machine falls free three jobs wait; the first gets a third of ten nodes, rounded
// up, the second half of what is left, the third the rest; a rigid job gets what it asks for.
func TestASPDividesTheFreeNodes(t *testing.T) {
	s := workload.Downey{A: 8}
	jobs := []workload.Job{rigid(1, 0, 10, 50)}
	for i := range 3 {
		jobs = append(jobs, workload.Job{ID: 2 + i, Submit: 10, Kind: workload.Moldable, Work: 1000, Speedup: s})
	}
	got := molded(t, 10, 0, "asp", jobs)
	if diff := cmp.Diff([]int{10, 4, 3, 3}, sizes(got)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{0, 50, 50, 50}, starts(got)); diff != "" {
		t.Error(diff)
	}
}

func TestMoldingRefuses(t *testing.T) {
	for _, text := range []string{"avg:-0.1", "avg:1.1", "avg:NaN", "avg:stuborn", "asp:stubborn", "k", "k:0", "k:-1",
		"k:Inf", "k:x", "svev", ""} {
		if _, err := policy.Standard().Parse(text); err == nil {
			t.Errorf("%q is a policy", text)
		}
	}
}

// moldable draws jobs with demands over three decades that come in bursts.
func moldable(t *rapid.T, nodes int) []workload.Job {
	jobs := make([]workload.Job, rapid.IntRange(1, 60).Draw(t, "jobs"))
	now := 0.0
	for i := range jobs {
		now += math.Max(0, rapid.Float64Range(-50, 50).Draw(t, "gap"))
		a := rapid.Float64Range(1, 1.5*float64(nodes)).Draw(t, "A")
		jobs[i] = workload.Job{ID: i, Submit: now, Kind: workload.Moldable, Nodes: min(nodes, int(math.Ceil(a))),
			Work:    math.Exp(rapid.Float64Range(0, 7).Draw(t, "demand")),
			Speedup: workload.Downey{A: a, Sigma: rapid.Float64Range(0, 2).Draw(t, "sigma")}}
	}
	return jobs
}

// moldings are all policies of the family, with a share between 0 and 1 where they take one.
func moldings(t *rapid.T, share string) []policy.Policy {
	all := []policy.Policy{policy.Fraction{K: 0.6}}
	for _, e := range policy.Standard() {
		text := e.Name
		if e.Parameter != "" && share != "" {
			text += ":" + share
		}
		if m, ok := parsedOrNil(text).(policy.Molding); ok {
			all = append(all, m)
		}
	}
	if len(all) != 8 {
		t.Fatalf("%d policies: %v", len(all), all)
	}
	return all
}

func parsedOrNil(text string) policy.Policy {
	p, err := policy.Standard().Parse(text)
	if err != nil {
		return nil
	}
	return p
}

// share returns the least share of the nodes that a job is meant to have with which it starts.
func share(p policy.Policy) float64 {
	if m, ok := p.(policy.Molding); ok {
		return m.Share
	}
	return 1
}

// TestMoldingLaws: jobs start in the order in which they came; none gets more nodes than it is meant to have or fewer
// than its share of them; and whenever nodes are free the head of the queue lacks its share.
func TestMoldingLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const load = 0.8
		nodes := rapid.IntRange(1, 40).Draw(t, "nodes")
		jobs := moldable(t, nodes)
		for _, p := range moldings(t, rapid.SampledFrom([]string{"", "0.3", "0.7", "stubborn"}).Draw(t, "share")) {
			size, ok := sched.SizingOf(p)
			if !ok {
				t.Fatalf("%s does not mold jobs", p)
			}
			c := machine.Config{Nodes: nodes, Policy: p, Load: load, Jobs: machine.List(jobs)}
			c.Observe = func(v sched.View, _ []sched.Event) {
				if v.Waiting() == 0 || v.Free() == 0 {
					return
				}
				s := sched.Situation{Nodes: nodes, Free: v.Free(), Waiting: v.Waiting(), Load: load}
				whole := size.Whole(v.Job(v.Queued(0).Job).Speedup.(workload.Downey), s)
				// 1e-9: a share of a whole number may be one, but for rounding.
				if least := max(1, math.Ceil(share(p)*float64(whole)-1e-9)); least <= float64(v.Free()) {
					t.Fatalf("%s: %d nodes are free and the head of the queue would take %v", p, v.Free(), least)
				}
			}
			last, before := 0, 0.0
			for i, r := range lived(t, c) {
				alone := sched.Situation{Nodes: nodes, Free: nodes, Waiting: 1, Load: load}
				whole := size.Whole(r.Speedup.(workload.Downey), alone)
				if r.Held > whole || float64(r.Held) < share(p)*float64(whole)-1e-9 {
					t.Fatalf("%s: job %d has %d nodes of %d", p, r.ID, r.Held, whole)
				}
				if r.Start < before {
					t.Fatalf("%s: job %d overtakes job %d", p, i, last)
				}
				last, before = i, r.Start
			}
		}
	})
}

// TestStubbornAVGIsFCFS: users who ask for A nodes, served in order, are the stubborn policy AVG.
func TestStubbornAVGIsFCFS(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 40).Draw(t, "nodes")
		jobs := moldable(t, nodes)
		got, want := molded(t, nodes, 0, "avg:stubborn", jobs), molded(t, nodes, 0, "fcfs", jobs)
		if diff := cmp.Diff(starts(want), starts(got)); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(sizes(want), sizes(got)); diff != "" {
			t.Fatal(diff)
		}
	})
}
