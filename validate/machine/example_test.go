package machine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// Two long jobs fill the machine one after the other; a short narrow one slips in before the second under EASY, since
// it does not delay it.
func ExampleRun() {
	jobs := machine.List{
		{ID: 1, Submit: 0, Nodes: 3, Run: 100, Work: 300},
		{ID: 2, Submit: 10, Nodes: 4, Run: 100, Work: 400},
		{ID: 3, Submit: 20, Nodes: 1, Run: 50, Work: 50},
	}
	for _, p := range []policy.Policy{policy.FCFS{}, policy.EASY{}} {
		c := machine.Config{Nodes: 4, Policy: p, Jobs: jobs, Done: func(r *machine.Record) {
			fmt.Printf("%s: job %d from %g to %g\n", p, r.ID, r.Start, r.End)
		}}
		if _, err := machine.Run(context.Background(), c, des.Seed(1)); err != nil {
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

// The first steps of a machine of eight nodes that random jobs share evenly.
func ExampleMachine_Start() {
	interarrival, demand := phasetype.Must(phasetype.Exponential(0.5)), phasetype.Must(phasetype.Exponential(1./16))
	arrivals, err := phasetype.Renewal(interarrival)
	if err != nil {
		log.Fatal(err)
	}
	m, err := machine.New(machine.Config{
		Nodes: 8, Policy: policy.Dynamic{},
		Jobs: &machine.Random{Arrivals: arrivals, Demand: demand, Speedup: workload.Amdahl{Serial: 0.05}},
		Observe: func(v sched.View, _ []sched.Event) {
			fmt.Print(v.Running(), " jobs:")
			for i := range v.Running() {
				fmt.Print(" ", v.Held(v.Started(i)))
			}
			fmt.Println()
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	var t simulation.Tally
	if err := m.Start(des.Seed(4)).Advance(2, &t); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1 jobs: 8
	// 2 jobs: 4 4
	// 1 jobs: 8
	// 2 jobs: 4 4
	// 1 jobs: 8
}

// A policy that decides which nodes a job has, not only how many; a Recorder draws them.
func ExampleRecorder() {
	ends := func(v sched.View, events []sched.Event, do []sched.Action) []sched.Action {
		if why := events[0]; why.Kind == sched.Arrival { // the first job from the first node on, the next up to the last node, and so on
			nodes, offset := v.Asked(why.Job), 0
			if v.Number(why.Job)%2 == 1 {
				offset = v.Nodes() - nodes
			}
			do = append(do, sched.Place(why.Job, offset, nodes))
		}
		return do
	}
	recorder := &machine.Recorder{To: 100}
	config := machine.Config{Nodes: 8, Policy: decider(ends).policy(), Observe: recorder.Observe, Jobs: machine.List{
		{ID: 1, Submit: 0, Nodes: 3, Run: 10, Work: 30},
		{ID: 2, Submit: 5, Nodes: 2, Run: 20, Work: 40},
	}}
	if _, err := machine.Run(context.Background(), config, des.Seed(1)); err != nil {
		log.Fatal(err)
	}
	recorder.Close()
	for _, p := range recorder.Pieces {
		fmt.Printf("job %d from %g to %g on the nodes %v\n", p.Number+1, p.From, p.To, p.Nodes)
	}
	// Output:
	// job 1 from 0 to 10 on the nodes [0 1 2]
	// job 2 from 5 to 25 on the nodes [6 7]
}
