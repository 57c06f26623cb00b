package des_test

import (
	"fmt"
	"log"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/internal/chain"
)

// What a run adds up is a Tally; its sums are those of several stretches, and measures are quotients of them.
func Example() {
	arrivals, err := phasetype.Renewal(phasetype.Must(phasetype.Exponential(0.5)))
	if err != nil {
		log.Fatal(err)
	}
	var machine des.Simulator
	machine, err = chain.New(chain.Config{Arrivals: arrivals,
		Service: []phasetype.Dist{phasetype.Must(phasetype.Exponential(1))}})
	if err != nil {
		log.Fatal(err)
	}
	var warmUp, t des.Tally
	run := machine.Start(des.Seed(1))
	for _, stretch := range []*des.Tally{&warmUp, &t} {
		if err := run.Advance(50_000, stretch); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(t[des.Departed], "jobs departed")
	fmt.Printf("the machine was busy %.1f of the time\n", t[des.BusyTime]/t[des.Elapsed])
	// Output:
	// 50000 jobs departed
	// the machine was busy 0.5 of the time
}

func ExampleKey() {
	const arrivals, demands = 0, 1
	replication := des.Seed(42).At(0).At(7)
	a, d := replication.At(arrivals).Stream(), replication.At(demands).Stream()
	again := replication.At(arrivals).Stream()
	fmt.Println(a.Float64() == again.Float64(), a.Float64() == d.Float64())
	// Output: true false
}
