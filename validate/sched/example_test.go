package sched_test

import (
	"context"
	"fmt"
	"log"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// shortestFirst starts whatever fits, the job that is expected to be shortest first.
type shortestFirst struct{}

func (shortestFirst) Name() string { return "shortest-first" }

func (shortestFirst) Decide(v sched.View, _ []sched.Event, do []sched.Action) []sched.Action {
	best := sched.Waiting{Job: -1}
	for i := range v.Waiting() {
		if w := v.Queued(i); w.Nodes <= v.Free() && (best.Job < 0 || w.Estimate < best.Estimate) {
			best = w
		}
	}
	if best.Job >= 0 {
		do = append(do, sched.Allocate(best.Job, best.Nodes), sched.Wake(v.Now())) // and ask again
	}
	return do
}

// shortest is the policy, as commands and files name it: it takes no parameter and fits any machine.
type shortest struct{}

func (shortest) Name() string                     { return "shortest-first" }
func (shortest) String() string                   { return "shortest-first" }
func (shortest) Check(policy.Machine) error       { return nil }
func (shortest) Scheduler() (sched.Policy, error) { return shortestFirst{}, nil }

// A scheduler of one's own is a Policy, and the machine runs it like those of this package.
func ExamplePolicy() {
	jobs := machine.List{
		{ID: 1, Submit: 0, Nodes: 10, Run: 10, Work: 100},
		{ID: 2, Submit: 1, Nodes: 5, Run: 30, Work: 150},
		{ID: 3, Submit: 2, Nodes: 5, Run: 20, Work: 100},
		{ID: 4, Submit: 3, Nodes: 5, Run: 5, Work: 25},
	}
	config := machine.Config{Nodes: 10, Policy: shortest{}, Jobs: jobs,
		Done: func(r *machine.Record) { fmt.Print(r.ID, " ") }}
	_, err := machine.Run(context.Background(), config, des.Seed(1))
	fmt.Println(err)
	// Output: 1 4 3 2 <nil>
}

// newestFirst preempts: the job that came last has the machine until it ends, and the one before it goes on.
type newestFirst struct{}

func (newestFirst) Name() string { return "newest-first" }

func (newestFirst) Decide(v sched.View, events []sched.Event, do []sched.Action) []sched.Action {
	last, why := v.Running()-1, events[0] // of these jobs no two come or end at once
	switch {
	case why.Kind == sched.Arrival && last >= 0:
		return append(do, sched.Suspend(v.Started(last)), sched.Allocate(why.Job, v.Nodes()))
	case why.Kind == sched.Arrival:
		return append(do, sched.Allocate(why.Job, v.Nodes()))
	case why.Kind == sched.Departure && last >= 0:
		return append(do, sched.Allocate(v.Started(last), v.Nodes()))
	}
	return do
}

// preemptive is the policy of newestFirst.
type preemptive struct{ shortest }

func (preemptive) Scheduler() (sched.Policy, error) { return newestFirst{}, nil }

// Malleable jobs can be suspended: they keep what they have done.
func ExampleSuspend() {
	job := func(id int, submit, work float64) workload.Job {
		return workload.Job{ID: id, Submit: submit, Kind: workload.Malleable, Work: work}
	}
	jobs := machine.List{job(1, 0, 40), job(2, 5, 8), job(3, 6, 8)}
	config := machine.Config{Nodes: 4, Policy: preemptive{}, Jobs: jobs, Done: func(r *machine.Record) {
		fmt.Printf("job %d ends at %g after %g of standstill\n", r.ID, r.End, r.Paused)
	}}
	if _, err := machine.Run(context.Background(), config, des.Seed(1)); err != nil {
		log.Fatal(err)
	}
	// Output:
	// job 3 ends at 8 after 0 of standstill
	// job 2 ends at 9 after 2 of standstill
	// job 1 ends at 14 after 4 of standstill
}

// A fourth job comes to a machine of ten nodes: of the others only those are resized that have to be.
func ExampleEquiPartition() {
	sizes := []int{4, 3, 3, 0}
	sched.EquiPartition(sizes, 10)
	fmt.Println(sizes)
	// Output: [2 3 3 2]
}
