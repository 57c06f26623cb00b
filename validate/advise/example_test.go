package advise_test

import (
	"fmt"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/advise"
)

// What a rule does on four nodes: it makes room when two jobs wait, and divides anew whenever one leaves.
func ExampleSteps() {
	for _, s := range advise.Steps(policy.Resize{Wait: 2}, policy.Machine{Nodes: 4, Unit: 1}) {
		fmt.Printf("%d jobs, %d to %d nodes each, %d wait; anew at %d and %d\n", s.Jobs, s.Least, s.Most, s.Waiting, s.More, s.Fewer)
	}
	// Output:
	// 1 jobs, 4 to 4 nodes each, 0 wait; anew at 3 and 0
	// 2 jobs, 2 to 2 nodes each, 0 wait; anew at 4 and 1
	// 3 jobs, 1 to 2 nodes each, 0 wait; anew at 5 and 2
	// 4 jobs, 1 to 1 nodes each, 0 wait; anew at 0 and 3
	// 5 jobs, 1 to 1 nodes each, 1 wait; anew at 0 and 3
}
