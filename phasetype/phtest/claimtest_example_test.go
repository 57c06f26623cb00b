package phtest_test

import (
	"fmt"

	"github.com/partwise/partwise/phasetype/phtest"
)

// A paper says that response times grow faster than the load; three were found.
func ExampleClaim() {
	grow := func(found []float64) (phtest.Outcome, string) {
		first, second := found[1]-found[0], found[2]-found[1]
		return phtest.Verdict(second > first, second == first), fmt.Sprintf("By %v s, then by %v s.", first, second)
	}
	claims := []phtest.Claim[[]float64]{
		phtest.NewClaim("1", "4.2", "Response times grow faster than the load.", phtest.Partly, grow),
	}
	fmt.Printf("%s", phtest.ClaimsTable("section", claims, []float64{10, 15, 20}))
	// Output:
	// In parentheses is the section; *here:* begins what is found.
	//
	// **Partly**
	//
	// - 1 (4.2): Response times grow faster than the load. *Here:* By 5 s, then by 5 s.
}
