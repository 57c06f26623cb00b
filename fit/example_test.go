package fit_test

import (
	"fmt"

	"github.com/partwise/partwise/fit"
)

// The run times of a few jobs: how many phases do they speak for?
func ExamplePhaseType() {
	times := []float64{12, 15, 9, 31, 120, 14, 11, 240, 18, 10, 95, 13}
	candidates, err := fit.PhaseType(fit.Sample{Values: times}, fit.Options{MaxPhases: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range candidates {
		fmt.Printf("%d phases: BIC %.1f, mean %.0f, converged %v\n", c.Phases, c.BIC, c.Dist.Mean(), c.Converged)
	}
	// Output:
	// 1 phases: BIC 119.9, mean 49, converged true
	// 3 phases: BIC 121.1, mean 49, converged true
	// 2 phases: BIC 121.3, mean 49, converged true
}
