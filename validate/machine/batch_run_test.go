package machine_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/models/workload"
)

// started runs jobs on a machine of ten nodes and returns when each started, in the order of their numbers.
func started(t *testing.T, p Policy, jobs []Request) []float64 {
	t.Helper()
	starts := make([]float64, len(jobs))
	c := Config{Nodes: 10, Policy: p, Done: func(r *Record) { starts[r.Number] = r.Start }}
	if _, err := Run(context.Background(), c, Jobs(jobs)); err != nil {
		t.Fatal(err)
	}
	return starts
}

func TestFCFS(t *testing.T) {
	got := started(t, FCFS{}, []Request{
		{ID: 1, Submit: 0, Nodes: 6, Run: 100},
		{ID: 2, Submit: 10, Nodes: 6, Run: 50}, // waits for 1
		{ID: 3, Submit: 20, Nodes: 1, Run: 5},  // waits behind 2
		{ID: 4, Submit: 150, Nodes: 6, Run: 5}, // comes when 2 ends
	})
	if diff := cmp.Diff([]float64{0, 100, 100, 150}, got); diff != "" {
		t.Error(diff)
	}
}

// anyFree gives the first of the queue whatever is free.
type anyFree struct{}

func (anyFree) Name() string { return "anyfree" }

func (anyFree) Decide(v View, _ Event, do []Action) []Action {
	if v.Waiting() > 0 && v.Free() > 0 {
		do = append(do, Start(v.Queued(0), v.Free()))
	}
	return do
}

func TestMoldableJobsAndWindow(t *testing.T) {
	linear := workload.Downey{A: 1e9}
	jobs := []Request{
		{ID: 1, Submit: 0, Lifetime: 100, Speedup: linear},
		{ID: 2, Submit: 5, Lifetime: 50, Speedup: linear},
	}
	c := Config{Nodes: 10, Policy: anyFree{}, Window: Window{0, 12}}
	got, err := Run(context.Background(), c, Jobs(jobs))
	if err != nil {
		t.Fatal(err)
	}
	want := Tally{Jobs: 2, Events: 4, MostJobs: 2, Last: 15, JobSeconds: 17, QueueSeconds: 5, NodeSeconds: 120}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
