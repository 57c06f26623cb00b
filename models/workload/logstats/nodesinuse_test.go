package logstats

import (
	"math"
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
)

// TestUseOf: three jobs of 4 nodes, two of which overlap for 50 of 200 s.
func TestUseOf(t *testing.T) {
	job := func(submit, wait float64) joblog.Job {
		return joblog.Job{Submit: submit, Wait: wait, Run: 100, Processors: 4}
	}
	jobs := joblog.ListOf([]joblog.Job{job(0, 0), job(0, 50), job(100, 0)}).All()
	for _, c := range []struct {
		nodes        int
		beyond, load float64
	}{{8, 0, 1200.0 / 1600}, {4, 0.5, 1200.0 / 800}, {3, 1, 1200.0 / 600}} {
		u, err := UseOf(jobs, c.nodes)
		if err != nil || u.Peak != 8 || math.Abs(u.Beyond-c.beyond) > 1e-12 || math.Abs(u.Load-c.load) > 1e-12 {
			t.Errorf("%d nodes: %+v, %v; want %v", c.nodes, u, err, c)
		}
	}
	if u, err := UseOf(nil, 4); u != (Use{}) || err != nil {
		t.Errorf("without jobs: %+v, %v", u, err)
	}
}

// TestUseOfResizedJobs: a job that shrinks from 8 to 4 nodes gives 4 of them to another job, and takes them when that job ends.
// Its mean, 5 nodes, would need 9 at once.
func TestUseOfResizedJobs(t *testing.T) {
	jobs := joblog.ListOf([]joblog.Job{
		{Submit: 0, Run: 400, Processors: 5, Pieces: []joblog.Piece{{After: 0, Run: 100, Nodes: 8}, {After: 100, Run: 200, Nodes: 4},
			{After: 300, Run: 100, Nodes: 8}}},
		{Submit: 0, Wait: 100, Run: 200, Processors: 4},
	})
	for _, c := range []struct {
		nodes  int
		beyond float64
	}{{8, 0}, {7, 1}} {
		u, err := UseOf(jobs.All(), c.nodes)
		if err != nil || u.Peak != 8 || u.Beyond != c.beyond || math.Abs(u.Load-3200/(400*float64(c.nodes))) > 1e-12 {
			t.Errorf("%d nodes: %+v, %v", c.nodes, u, err)
		}
	}
	l, err := loggedOf(jobs.All(), &joblog.Names{}, 8, nil)
	if w := l.Waiting; err != nil || w.NodesFree != 0 || w.NoNodes != 50 {
		t.Errorf("the second job waits until the first shrinks, and no nodes are free meanwhile: %+v, %v", w, err)
	}
}

// TestEdges: two jobs of 10 s, the second 5 s after the first, and one of 2 s at 12 s. From 0 to 12 s, 17/12 jobs run on average.
func TestEdges(t *testing.T) {
	job := func(submit, run float64) joblog.Job { return joblog.Job{Submit: submit, Run: run, Processors: 1} }
	u, err := UseOf(joblog.ListOf([]joblog.Job{job(0, 10), job(5, 10), job(12, 2)}).All(), 4)
	want := Edges{Span: 12, Running: 17. / 12, Filling: 5, Tail: 3, Residual: 204. / 44}
	if err != nil || u.Edges != want {
		t.Errorf("%+v, want %+v: %v", u.Edges, want, err)
	}
}
