package policy_test

import (
	"fmt"
	"log"

	"github.com/partwise/partwise/models/policy"
)

// A fifth job comes to four on a machine of 16 units: it waits, for a sixth.
func ExampleResize_Next() {
	p, err := policy.Standard().Parse("resize:hysteresis=1.5")
	if err != nil {
		log.Fatal(err)
	}
	rule := p.(policy.Resize)
	for waiting := 1; waiting <= 2; waiting++ {
		shares, divides := rule.Next(policy.Situation{Units: 16, Running: 4, Waiting: waiting, Shares: 4, Changes: waiting, Arrival: true})
		fmt.Println(shares, divides)
	}
	// Output:
	// 4 false
	// 6 true
}
