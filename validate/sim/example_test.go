package sim_test

import (
	"fmt"
	"log"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/chain"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/sim"
)

// What a run adds up is a Tally; its sums are those of several stretches, and measures are quotients of them.
func Example() {
	arrivals, err := phasetype.Renewal(phasetype.Must(phasetype.Exponential(0.5)))
	if err != nil {
		log.Fatal(err)
	}
	var machine sim.Simulator
	machine, err = chain.New(chain.Config{Arrivals: arrivals,
		Service: []phasetype.Dist{phasetype.Must(phasetype.Exponential(1))}})
	if err != nil {
		log.Fatal(err)
	}
	var warmUp, t sim.Tally
	run := machine.Start(des.Seed(1))
	for _, stretch := range []*sim.Tally{&warmUp, &t} {
		if err := run.Advance(50_000, stretch); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(t[sim.Departed], "jobs departed")
	fmt.Printf("the machine was busy %.1f of the time\n", t[sim.BusyTime]/t[sim.Elapsed])
	// Output:
	// 50000 jobs departed
	// the machine was busy 0.5 of the time
}
