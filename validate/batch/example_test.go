package batch_test

import (
	"context"
	"fmt"
	"log"

	"github.com/partwise/partwise/validate/batch"
)

// Two long jobs fill the machine one after the other; a short narrow one slips in before the second under EASY, since it
// does not delay it.
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
