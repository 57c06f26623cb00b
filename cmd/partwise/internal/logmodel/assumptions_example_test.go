package logmodel_test

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/logmodel"
)

// What is replayed beside a log, to see which assumption of a chain matters.
func ExampleTable() {
	for _, a := range logmodel.Table() {
		fmt.Printf("%-16s  %s\n", a.Name, a.Doc)
	}
	// Output:
	// work_independent  logged work in random order
	// gaps_independent  logged gaps in random order
	// both_independent  logged gaps and work in random order
	// work_fitted       the model's work, logged gaps in random order
	// arrivals_fitted   the model's arrivals, logged work in random order
	// no_daily_cycle    the log without its daily and weekly cycle
	// stationary_chain  the model's arrivals and work on whole nodes, as long as the log
}
