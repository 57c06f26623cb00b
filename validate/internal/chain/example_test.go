package chain_test

import (
	"fmt"
	"log"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/chain"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
)

// A machine with two partitions: a job that is alone runs twice as fast as two do. It is M/M/1 at load 1/2, so that one
// job is in the system on average.
func ExampleNew() {
	interarrival := phasetype.Must(phasetype.Exponential(0.5))
	arrivals, err := phasetype.Renewal(interarrival)
	if err != nil {
		log.Fatal(err)
	}
	alone, two := phasetype.Must(phasetype.Exponential(1)), phasetype.Must(phasetype.Exponential(0.5))
	c, err := chain.New(chain.Config{Arrivals: arrivals, Service: []phasetype.Dist{alone, two}})
	if err != nil {
		log.Fatal(err)
	}
	var t simulation.Tally
	if err := c.Start(des.Seed(1)).Advance(200_000, &t); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f jobs on average\n", t[simulation.JobTime]/t[simulation.Elapsed])
	// Output: 1.0 jobs on average
}
