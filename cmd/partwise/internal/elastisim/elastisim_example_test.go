package elastisim_test

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/elastisim"
	"github.com/partwise/partwise/models/workload"
)

// A malleable job of 80 seconds on one node, which can be resized at 49 points of its course.
func ExampleMachine_Files() {
	jobs := []workload.Job{{Submit: 5, Kind: workload.Malleable, Nodes: 4, Min: 2, Max: 8, Work: 80}}
	files, _, err := elastisim.Machine{Nodes: 32, Points: 50}.Files(jobs)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range files {
		fmt.Println(f.Name)
	}
	// Output:
	// jobs.json
	// application.json
	// configuration.json
	// platform.xml
}
