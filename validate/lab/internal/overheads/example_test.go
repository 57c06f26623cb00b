package overheads_test

import (
	"fmt"

	"github.com/partwise/partwise/validate/lab/internal/overheads"
)

// What the arrivals of up to four applications cost on four workstations.
func ExampleSteps_Phases() {
	rows, _, err := overheads.Environments()[0].Steps.Phases(4, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range rows {
		fmt.Printf("%v to %v: %.1f s, of which %.1f s system\n", r.Before, r.After, r.Total, r.System)
	}
	// Output:
	// {} to {4}: 6.9 s, of which 0.9 s system
	// {4} to {2,2}: 4.3 s, of which 0.9 s system
	// {2,2} to {2,1,1}: 2.3 s, of which 0.5 s system
	// {2,1,1} to {1,1,1,1}: 2.3 s, of which 0.5 s system
}
