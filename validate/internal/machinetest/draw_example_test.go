package machinetest_test

import (
	"fmt"

	"github.com/partwise/partwise/validate/internal/machinetest"
)

// A generator is drawn from in a property test; here it gives one example.
func ExampleRigid() {
	jobs := machinetest.Rigid(8).Example(1)
	ordered := true
	for i := range jobs {
		ordered = ordered && jobs[i].Check(8) == nil && (i == 0 || jobs[i].Submit >= jobs[i-1].Submit)
	}
	fmt.Println(len(jobs) > 0, ordered)
	// Output: true true
}
