package sched_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// polled is dynamic partitioning that looks at the queue every ten seconds.
type polled struct{ policy.Dynamic }

func (polled) Scheduler() (sched.Policy, error) {
	return sched.NewPolled(&sched.Dynamic{}, 10), nil
}

// TestPolled: jobs start and are resized at the polls only, and a job that ends leaves its nodes idle until the next.
func TestPolled(t *testing.T) {
	jobs := machine.List{}
	for i, submit := range []float64{0, 3, 10, 14} { // the first and the third at a poll
		jobs = append(jobs, workload.Job{ID: i + 1, Submit: submit, Kind: workload.Malleable, Work: 40, Speedup: workload.Linear{}})
	}
	var got []string
	c := machine.Config{Nodes: 4, Policy: polled{}, Jobs: jobs, Done: func(r *machine.Record) {
		got = append(got, fmt.Sprint(r.ID, " starts at ", r.Start, " and ends at ", r.End))
	}}
	if _, err := machine.Run(t.Context(), c, des.Seed(1)); err != nil {
		t.Fatal(err)
	}
	// Job 1 has all four nodes until it ends at 10. Jobs 2 and 3 then share the machine; at 20 job 4 joins them. Job 2 keeps
	// two nodes until it ends at 30; jobs 3 and 4 have one each, then two: job 3, which has done 30 of 40, ends at 35. Its nodes
	// are idle until 40, when job 4 has 10 left to do and gets all four.
	want := []string{"1 starts at 0 and ends at 10", "2 starts at 10 and ends at 30", "3 starts at 10 and ends at 35",
		"4 starts at 20 and ends at 42.5"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
