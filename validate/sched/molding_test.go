package machine_test

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/workload"
)

// parsed returns the policy that text names.
func parsed(t interface{ Fatal(...any) }, text string) Policy {
	makePolicy, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return makePolicy()
}

// held runs jobs on a machine and returns start and nodes of each, in the order of their numbers.
func held(t interface{ Fatal(...any) }, nodes int, load float64, policy string, jobs []Request) (starts []float64, sizes []int) {
	starts, sizes = make([]float64, len(jobs)), make([]int, len(jobs))
	c := Config{Nodes: nodes, Policy: parsed(t, policy), Load: load,
		Done: func(r *Record) { starts[r.Number], sizes[r.Number] = r.Start, r.Held }}
	if _, err := Run(context.Background(), c, Jobs(jobs)); err != nil {
		t.Fatal(err)
	}
	return starts, sizes
}

// TestMolding follows three jobs of average parallelism 8 through a machine of ten nodes, by hand: each runs for 100 if
// it gets all, sigma 0 making its speedup linear up to 8.
func TestMolding(t *testing.T) {
	s := workload.Downey{A: 8}
	jobs := []Request{
		{ID: 1, Submit: 0, Lifetime: 800, Speedup: s},
		{ID: 2, Submit: 10, Lifetime: 800, Speedup: s},
		{ID: 3, Submit: 20, Lifetime: 800, Speedup: s},
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
		starts, sizes := held(t, 10, 0.9, c.policy, jobs)
		if diff := cmp.Diff(c.sizes, sizes); diff != "" {
			t.Errorf("%s: sizes %s", c.policy, diff)
		}
		if diff := cmp.Diff(c.starts, starts); diff != "" {
			t.Errorf("%s: starts %s", c.policy, diff)
		}
	}
}

// TestASPDividesTheFreeNodes: when the machine falls free three jobs wait; the first gets a third of ten nodes, rounded
// up, the second half of what is left, the third the rest; a rigid job gets what it asks for.
func TestASPDividesTheFreeNodes(t *testing.T) {
	s := workload.Downey{A: 8}
	jobs := []Request{{ID: 1, Submit: 0, Nodes: 10, Run: 50}}
	for i := range 3 {
		jobs = append(jobs, Request{ID: 2 + i, Submit: 10, Lifetime: 1000, Speedup: s})
	}
	starts, sizes := held(t, 10, 0, "asp", jobs)
	if diff := cmp.Diff([]int{10, 4, 3, 3}, sizes); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{0, 50, 50, 50}, starts); diff != "" {
		t.Error(diff)
	}
}

func TestMoldingRefuses(t *testing.T) {
	for _, text := range []string{"avg:-0.1", "avg:1.1", "avg:NaN", "avg:stuborn", "asp:stubborn", "k", "k:0", "k:-1", "k:Inf",
		"k:x", "svev", ""} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is a policy", text)
		}
	}
}

// moldable draws jobs with lifetimes over three decades that come in bursts.
func moldable(t *rapid.T, nodes int) []Request {
	jobs := make([]Request, rapid.IntRange(1, 60).Draw(t, "jobs"))
	now := 0.0
	for i := range jobs {
		now += math.Max(0, rapid.Float64Range(-50, 50).Draw(t, "gap"))
		a := rapid.Float64Range(1, 1.5*float64(nodes)).Draw(t, "A")
		jobs[i] = Request{ID: i, Submit: now, Nodes: min(nodes, int(math.Ceil(a))),
			Lifetime: math.Exp(rapid.Float64Range(0, 7).Draw(t, "lifetime")),
			Speedup:  workload.Downey{A: a, Sigma: rapid.Float64Range(0, 2).Draw(t, "sigma")}}
	}
	return jobs
}

// moldings are all policies of the family, with a share between 0 and 1 where they take one.
func moldings(share string) []string {
	var all []string
	for _, e := range Policies {
		if makePolicy, err := e.New(share); err == nil {
			if m, ok := makePolicy().(Molding); ok {
				all = append(all, m.Name())
			}
		}
	}
	return append(all, "asp")
}

// TestMoldingLaws: jobs start in the order in which they came; none gets more nodes than it is meant to have or fewer than
// its share of them; and whenever nodes are free the head of the queue lacks its share.
func TestMoldingLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const load = 0.8
		nodes := rapid.IntRange(1, 40).Draw(t, "nodes")
		jobs := moldable(t, nodes)
		share := rapid.SampledFrom([]string{"", "0.3", "0.7", "stubborn"}).Draw(t, "share")
		for _, name := range append(moldings(share), "k:0.6") {
			m := parsed(t, name).(Molding)
			last, started := 0, 0.0
			c := Config{Nodes: nodes, Policy: m, Load: load}
			c.Observe = func(v View, _ Event) {
				if v.Waiting() == 0 || v.Free() == 0 {
					return
				}
				s := Situation{nodes, v.Free(), v.Waiting(), load}
				if _, least := m.bounds(v.Request(v.Queued(0)), s); least <= v.Free() {
					t.Fatalf("%s: %d nodes are free and the head of the queue would take %d", name, v.Free(), least)
				}
			}
			starts := make([]float64, len(jobs))
			c.Done = func(r *Record) {
				starts[r.Number] = r.Start
				whole := m.Size.Whole(r.Speedup, Situation{nodes, nodes, 1, load})
				if r.Held > whole || float64(r.Held) < m.Share*float64(whole)-1e-9 {
					t.Fatalf("%s: job %d has %d nodes of %d", name, r.ID, r.Held, whole)
				}
			}
			if _, err := Run(context.Background(), c, Jobs(jobs)); err != nil {
				t.Fatal(err)
			}
			for i, at := range starts {
				if at < started {
					t.Fatalf("%s: job %d overtakes job %d", name, i, last)
				}
				last, started = i, at
			}
		}
	})
}

// TestStubbornAVGIsFCFS: users who ask for A nodes, served in order, are the stubborn strategy AVG.
func TestStubbornAVGIsFCFS(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 40).Draw(t, "nodes")
		jobs := moldable(t, nodes)
		starts, sizes := held(t, nodes, 0, "avg:stubborn", jobs)
		wantStarts, wantSizes := held(t, nodes, 0, "fcfs", jobs)
		if diff := cmp.Diff(wantStarts, starts); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(wantSizes, sizes); diff != "" {
			t.Fatal(diff)
		}
	})
}
