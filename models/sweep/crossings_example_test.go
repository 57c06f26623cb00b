package sweep_test

import (
	"fmt"

	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/sweep"
)

// Where the answer changes between two loads, the sentence names both: nothing is known of what lies between them.
func ExampleCrossings() {
	points := []decide.Point{
		{Load: 0.2, Decision: decide.Decision{Ratio: 1.2}},
		{Load: 0.4, Decision: decide.Decision{Ratio: 1.1}},
		{Load: 0.6, Decision: decide.Decision{Ratio: 0.9}},
	}
	fmt.Println(sweep.Crossings(points))
	// Output: dynamic partitioning pays from load 0.2 to 0.4, of the loads that were solved
}
