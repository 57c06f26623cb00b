package decide_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/decide"
	answers "github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

// A model file is checked before anything is solved.
func ExampleCheck() {
	p := &cli.Program{Commands: []cli.Command{decide.Check()}, Policies: policy.Standard()}
	line := strings.Fields("check ../../../../testdata/ips96/w1-sp2.yaml --format table")
	p.Run(context.Background(), line, strings.NewReader(""), os.Stdout, os.Stderr)
	// Output:
	// ../../../../testdata/ips96/w1-sp2.yaml: no mistakes; it lists no expected results.
}

// Where the answer changes between two loads, the sentence names both: nothing is known of what lies between them.
func ExampleCrossings() {
	points := []answers.Point{
		{Load: 0.2, Decision: answers.Decision{Ratio: 1.2}},
		{Load: 0.4, Decision: answers.Decision{Ratio: 1.1}},
		{Load: 0.6, Decision: answers.Decision{Ratio: 0.9}},
	}
	fmt.Println(decide.Crossings(points))
	// Output: dynamic partitioning pays from load 0.2 to 0.4, of the loads that were solved
}
