package workload_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/partwise/partwise/models/workload"
)

// Three jobs for a machine of 64 nodes, in the order of their submission.
func Example() {
	entry, err := workload.JobModelNamed("lublin99")
	if err != nil {
		log.Fatal(err)
	}
	model, err := entry.New(nil) // it is fitted to no log
	if err != nil {
		log.Fatal(err)
	}
	source, err := model.Jobs(64, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		log.Fatal(err)
	}
	for _, j := range workload.FirstJobs(source, 3) {
		fmt.Printf("at %.0f s: %d nodes for %.0f s\n", j.Submit, j.Nodes(), j.Run)
	}
	// Output:
	// at 517 s: 4 nodes for 9903 s
	// at 1677 s: 16 nodes for 1119 s
	// at 1740 s: 8 nodes for 57 s
}
