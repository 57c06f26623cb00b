package sched_test

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
)

// TestFirstFit: on ten nodes the fourth job overtakes two others if the window has three jobs.
func TestFirstFit(t *testing.T) {
	jobs := []workload.Job{
		rigid(1, 0, 6, 100),
		rigid(2, 1, 8, 50),
		rigid(3, 2, 6, 20),
		rigid(4, 3, 4, 300),
		rigid(5, 4, 2, 10),
	}
	for policy, want := range map[string][]float64{
		"first-fit:1": {0, 100, 150, 150, 170}, // as fcfs
		"first-fit:2": {0, 100, 150, 150, 170}, // the second and the third do not fit
		"first-fit:3": {0, 303, 100, 3, 120},   // the fourth takes the free nodes, the third overtakes the second at 100
	} {
		if diff := gocmp.Diff(want, started(t, policy, jobs)); diff != "" {
			t.Errorf("%s: %s", policy, diff)
		}
	}
}

// firstFitStarts returns the starts of jobs in the order of their submission, by a second implementation that keeps whole lists.
func firstFitStarts(nodes, window int, jobs []workload.Job) []float64 {
	type run struct {
		end   float64
		nodes int
	}
	starts := make([]float64, len(jobs))
	var queue []int
	var running []run
	now, next, free := 0.0, 0, nodes
	for next < len(jobs) || len(queue) > 0 || len(running) > 0 {
		for next < len(jobs) && jobs[next].Submit <= now {
			queue = append(queue, next)
			next++
		}
		running = slices.DeleteFunc(running, func(r run) bool {
			if r.end <= now {
				free += r.nodes
			}
			return r.end <= now
		})
		for i := 0; i < min(window, len(queue)); i++ {
			j := &jobs[queue[i]]
			if j.Nodes > free {
				continue
			}
			starts[queue[i]] = now
			free -= j.Nodes
			running = append(running, run{now + j.Run, j.Nodes})
			queue = slices.Delete(queue, i, i+1)
			i = -1 // from the head again: the window holds another job
		}
		var times []float64
		if next < len(jobs) {
			times = append(times, jobs[next].Submit)
		}
		for _, r := range running {
			times = append(times, r.end)
		}
		if len(times) > 0 {
			now = slices.Min(times)
		}
	}
	return starts
}

// TestFirstFitAgainstLists: any jobs start at the times of the second implementation; with a window of one, at those of fcfs.
func TestFirstFitAgainstLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 8).Draw(t, "nodes")
		var jobs []workload.Job
		for i := range rapid.IntRange(1, 30).Draw(t, "jobs") {
			jobs = append(jobs, rigid(i+1, float64(rapid.IntRange(0, 40).Draw(t, "submit")), rapid.IntRange(1, nodes).Draw(t, "nodes of a job"),
				float64(rapid.IntRange(1, 20).Draw(t, "run time"))))
		}
		slices.SortStableFunc(jobs, func(a, b workload.Job) int { return cmp.Compare(a.Submit, b.Submit) })
		window := rapid.IntRange(1, 6).Draw(t, "window")
		run := func(p policy.Policy) []float64 {
			starts := map[int]float64{}
			c := machine.Config{Nodes: nodes, Policy: p, Jobs: machine.List(jobs), Done: func(r *machine.Record) { starts[r.Job.ID] = r.Start }}
			if _, err := machine.Run(t.Context(), c, des.Seed(1)); err != nil {
				t.Fatal(err)
			}
			var all []float64
			for i := range jobs {
				all = append(all, starts[jobs[i].ID])
			}
			return all
		}
		want := firstFitStarts(nodes, window, jobs)
		if diff := gocmp.Diff(want, run(policy.FirstFit{Window: window})); diff != "" {
			t.Errorf("window %d: %s", window, diff)
		}
		if diff := gocmp.Diff(run(policy.FCFS{}), run(policy.FirstFit{Window: 1})); diff != "" {
			t.Errorf("window 1 differs from fcfs: %s", diff)
		}
	})
}
