package sched_test

import (
	"slices"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// EASY with malleable jobs examines new jobs alone where its last decision stands. Whole decisions, which an alarm beside
// the arrivals forces, give every job the same start and end.
func TestStandingDecisionsAreWholeDecisions(t *testing.T) {
	jobs := make(machine.List, 600)
	for i := range jobs {
		run := float64(1 + i*7919%97)
		jobs[i] = workload.Job{ID: i, User: -1, Application: -1, Submit: float64(i * 5), Kind: workload.Rigid,
			Nodes: 1 + i*31%11, Run: run, Work: run * float64(1+i*31%11), Estimate: run * float64(1+i%4)}
		if i%3 == 0 {
			jobs[i] = malleable(i, float64(i*5), 4*run)
		}
	}
	whole := machinetest.Own{New: func() sched.Policy {
		s, err := sched.New(policy.EASYMalleable{})
		if err != nil {
			t.Fatal(err)
		}
		return decider(func(v sched.View, events []sched.Event, do []sched.Action) []sched.Action {
			return s.Decide(v, append(slices.Clone(events), sched.Event{Kind: sched.Alarm}), do)
		})
	}}
	times := func(p policy.Policy) (all []float64) {
		config := machine.Config{Nodes: 16, Policy: p, Jobs: jobs, Costs: ownCost(3), Done: func(r *machine.Record) {
			all = append(all, float64(r.ID), r.Start, r.End)
		}}
		if _, err := machine.Run(t.Context(), config, des.Key{}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	if own, want := times(policy.EASYMalleable{}), times(whole); !slices.Equal(own, want) || len(own) != 3*len(jobs) {
		t.Errorf("%d times differ from %d of whole decisions", len(own), len(want))
	}
}
