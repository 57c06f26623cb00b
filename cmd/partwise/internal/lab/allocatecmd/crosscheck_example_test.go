package allocatecmd_test

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/allocatecmd"
)

func ExampleFit() {
	w := allocatecmd.Downey(64, 0.5)
	r, err := allocatecmd.Fit(context.Background(), w, 16, 3)
	if err != nil {
		panic(err)
	}
	fmt.Printf("on %.0f nodes: %.0f s on average, scv %.1f; fitted with %d phases: %.0f s\n", r.Nodes, r.Mean, r.SCV,
		r.Dist.Phases(), r.Dist.Mean())
	// Output: on 16 nodes: 4121 s on average, scv 8.5; fitted with 3 phases: 4121 s
}
