package sched_test

import (
	"context"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// faulty starts the last of the queue that fits, under the name of another policy.
type faulty struct{ name string }

func (f faulty) Name() string { return f.name }

func (f faulty) Decide(v sched.View, _ []sched.Event, do []sched.Action) []sched.Action {
	for i := v.Waiting() - 1; i >= 0; i-- {
		if w := v.Queued(i); w.Nodes <= v.Free() {
			return append(do, sched.Allocate(w.Job, w.Nodes))
		}
	}
	return do
}

// promising promises every job to start at once.
type promising struct{ faulty }

func (promising) Promised(sched.JobID) float64 { return 0 }

// The checker finds what is wrong with policies that are.
func TestFaultsAreFound(t *testing.T) {
	job := func(id int, submit float64, nodes int, run float64) workload.Job {
		return workload.Job{ID: id, Submit: submit, Nodes: nodes, Run: run, Work: run * float64(nodes)}
	}
	jobs := machine.List{job(1, 0, 6, 10), job(2, 1, 8, 10), job(3, 2, 4, 90), job(4, 3, 4, 90)}
	malleable := make(machine.List, len(jobs))
	for i, j := range jobs {
		j.Kind = workload.Malleable
		malleable[i] = j
	}
	for _, c := range []struct {
		want   string
		policy sched.Policy
		jobs   machine.List
	}{
		{"overtakes", faulty{"fcfs"}, jobs},
		{"shadow time", faulty{"easy"}, jobs},
		{"promised", promising{faulty{"other"}}, jobs},
		{"could use more", faulty{"dynamic"}, malleable},
	} {
		p := machinetest.Own{New: func() sched.Policy { return c.policy }}
		config, k := watch(machine.Config{Nodes: 10, Policy: p, Jobs: c.jobs})
		if _, err := machine.Run(context.Background(), config, des.Seed(1)); err != nil {
			t.Fatal(err)
		}
		if k.Err() == nil || !strings.Contains(k.Err().Error(), c.want) {
			t.Errorf("%s: %v", c.want, k.Err())
		}
	}
}
