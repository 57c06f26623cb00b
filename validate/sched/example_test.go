package machine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/partwise/partwise/validate/batch"
	"github.com/partwise/partwise/validate/batch/batchtest"
)

// Two long jobs fill the machine one after the other; a short narrow one slips in before the second under EASY, since
// it does not delay it.
func ExampleRun() {
	jobs := []batch.Request{
		{ID: 1, Submit: 0, Nodes: 3, Run: 100},
		{ID: 2, Submit: 10, Nodes: 4, Run: 100},
		{ID: 3, Submit: 20, Nodes: 1, Run: 50},
	}
	for _, name := range []string{"fcfs", "easy"} {
		policy, err := batch.Parse(name)
		if err != nil {
			log.Fatal(err)
		}
		c := batch.Config{Nodes: 4, Policy: policy(), Done: func(r *batch.Record) {
			fmt.Printf("%s: job %d from %g to %g\n", name, r.ID, r.Start, r.End)
		}}
		if _, err := batch.Run(context.Background(), c, batch.Jobs(jobs)); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// fcfs: job 1 from 0 to 100
	// fcfs: job 2 from 100 to 200
	// fcfs: job 3 from 200 to 250
	// easy: job 3 from 20 to 70
	// easy: job 1 from 0 to 100
	// easy: job 2 from 100 to 200
}

// Three jobs on ten nodes: the third may start before the second, which it does not delay.
func ExampleRun_checked() {
	jobs := []batch.Request{
		{ID: 1, Submit: 0, Nodes: 6, Run: 100, Estimate: 100},
		{ID: 2, Submit: 10, Nodes: 8, Run: 50, Estimate: 60},
		{ID: 3, Submit: 20, Nodes: 4, Run: 30, Estimate: 80},
	}
	config := batch.Config{
		Nodes:  10,
		Policy: &batch.EASY{},
		Done: func(r *batch.Record) {
			fmt.Printf("job %d waits %v s, backfilled: %v\n", r.ID, r.Wait(), r.Backfilled)
		},
	}
	config, checker := batchtest.Watch(config)
	tally, err := batch.Run(context.Background(), config, batch.Jobs(jobs))
	fmt.Println(tally.Jobs, "jobs,", tally.NodeSeconds, "node-seconds", err, checker.Err())
	// Output:
	// job 3 waits 0 s, backfilled: true
	// job 1 waits 0 s, backfilled: false
	// job 2 waits 90 s, backfilled: false
	// 3 jobs, 1120 node-seconds <nil> <nil>
}

// shortestFirst starts whatever fits, the job that is expected to be shortest first: a policy of one's own.
type shortestFirst struct{}

func (shortestFirst) Name() string { return "shortest-first" }

func (shortestFirst) Decide(v batch.View, _ batch.Event, do []batch.Action) []batch.Action {
	best, estimate := batch.Job(-1), 0.0
	for i := range v.Waiting() {
		q := v.Request(v.Queued(i))
		if q.Nodes <= v.Free() && (best < 0 || q.Estimate < estimate) {
			best, estimate = v.Queued(i), q.Estimate
		}
	}
	if best >= 0 {
		do = append(do, batch.Start(best, v.Request(best).Nodes), batch.Wake(v.Now())) // and ask again
	}
	return do
}

func ExamplePolicy() {
	jobs := []batch.Request{
		{ID: 1, Submit: 0, Nodes: 10, Run: 10},
		{ID: 2, Submit: 1, Nodes: 5, Run: 30},
		{ID: 3, Submit: 2, Nodes: 5, Run: 20},
		{ID: 4, Submit: 3, Nodes: 5, Run: 5},
	}
	config := batch.Config{Nodes: 10, Policy: shortestFirst{}, Done: func(r *batch.Record) { fmt.Print(r.ID, " ") }}
	_, err := batch.Run(context.Background(), config, batch.Jobs(jobs))
	fmt.Println(err)
	// Output: 1 4 3 2 <nil>
}
