package epochscmd_test

import (
	"context"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/lab/epochscmd"
	"github.com/partwise/partwise/models/policy"
)

// Three jobs that need 2, 5 and 3 of 8 nodes take turns.
func ExampleCommand() {
	table := policy.Standard()
	p := &cli.Program{Unlisted: []cli.Command{epochscmd.Command(table)}, Policies: table}
	line := strings.Fields("epochs --nodes 8 --min-nodes 2,5,3 --policies heuristic:1 --format csv")
	p.Run(context.Background(), line, strings.NewReader(""), os.Stdout, os.Stdout)
	// Output:
	// policy,job,offset,width,start,end,time_unit
	// heuristic:1,1,0,8,0,0.3333333333333333,quantum
	// heuristic:1,2,0,4,0.3333333333333333,1,quantum
	// heuristic:1,0,4,4,0.3333333333333333,1,quantum
}
