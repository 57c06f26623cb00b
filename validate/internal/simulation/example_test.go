package simulation_test

import (
	"fmt"
	"log"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/chain"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
)

// A run adds its sums to a Tally. Each stretch of a run may have a Tally of its own, and measures are quotients of sums.
func Example() {
	arrivals, err := phasetype.Renewal(phasetype.Must(phasetype.Exponential(0.5)))
	if err != nil {
		log.Fatal(err)
	}
	var machine simulation.Simulator
	machine, err = chain.New(chain.Config{Arrivals: arrivals,
		Service: []phasetype.Dist{phasetype.Must(phasetype.Exponential(1))}})
	if err != nil {
		log.Fatal(err)
	}
	var warmUp, t simulation.Tally
	run := machine.Start(des.Seed(1))
	for _, stretch := range []*simulation.Tally{&warmUp, &t} {
		if err := run.Advance(50_000, stretch); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(t[simulation.Departed], "jobs departed")
	fmt.Printf("the machine was busy %.1f of the time\n", t[simulation.BusyTime]/t[simulation.Elapsed])
	// Output:
	// 50000 jobs departed
	// the machine was busy 0.5 of the time
}
