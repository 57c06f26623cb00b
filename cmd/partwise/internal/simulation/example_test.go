package simulation_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/simulation"
	"github.com/partwise/partwise/models/policy"
)

// The simulated mean response time of dynamic partitioning in a row of CSV.
func ExampleSimulate() {
	table := policy.Standard()
	p := &cli.Program{Commands: []cli.Command{simulation.Simulate(table)}, Policies: table}
	line := strings.Fields("simulate ../../../../testdata/examples/malleable.yaml --policy dynamic --precision 10% --format csv")
	var out strings.Builder
	p.Run(context.Background(), line, strings.NewReader(""), &out, os.Stderr)
	for row := range strings.Lines(out.String()) {
		if cells := strings.Split(row, ","); cells[2] == "measure" || cells[2] == "mean_response_time" {
			fmt.Println(cells[0], cells[2], len(cells))
		}
	}
	// Output:
	// policy measure 8
	// dynamic mean_response_time 8
}
