package decide_test

import (
	"context"
	"fmt"
	"log"

	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

// Four units at load .6, where dividing the machine among k jobs takes .3/k of a mean run time on one unit.
func ExampleOptimal() {
	s := machine(4, .6, .3, exponential(1), poisson())
	o, err := decide.Optimal(context.Background(), s, decide.OptimumSettings{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f, and no rule below %.4f\n", o.MeanResponseTime, o.Lower)
	// Output:
	// 1.0334, and no rule below 1.0334
}

// How much the rules that people run lose there.
func ExampleOptimum_Gaps() {
	s := machine(4, .6, .3, exponential(1), poisson())
	ctx := context.Background()
	o, err := decide.Optimal(ctx, s, decide.OptimumSettings{})
	if err != nil {
		log.Fatal(err)
	}
	gaps, err := o.Gaps(ctx, s, []policy.Policy{policy.Dynamic{}, policy.Static{Partitions: 4},
		policy.Resize{Hysteresis: 2}, policy.Resize{Cooldown: 1, SCV: 1}}, decide.OptimumSettings{})
	if err != nil {
		log.Fatal(err)
	}
	for _, g := range gaps {
		fmt.Printf("%-26v %.1f %% above the best\n", g.Policy, 100*g.Gap)
	}
	// Output:
	// dynamic                    31.1 % above the best
	// static:4                   14.1 % above the best
	// resize:hysteresis=2        15.9 % above the best
	// resize:cooldown=1,scv=1    15.5 % above the best
}

// The mean response time of a machine that is never divided, measured elsewhere, against the best possible.
func ExampleOptimum_Gap() {
	o, err := decide.Optimal(context.Background(), machine(4, .5, .3, exponential(1), poisson()), decide.OptimumSettings{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", o.Gap(1.57))
	// Output: 0.81
}
