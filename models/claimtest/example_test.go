package claimtest_test

import (
	"fmt"

	"github.com/partwise/partwise/models/claimtest"
)

// A paper says that response times grow faster than the load; three were found.
func Example() {
	grow := func(found []float64) (claimtest.Outcome, string) {
		first, second := found[1]-found[0], found[2]-found[1]
		return claimtest.Verdict(second > first, second == first), fmt.Sprintf("By %v s, then by %v s.", first, second)
	}
	claims := []claimtest.Claim[[]float64]{
		claimtest.New("1", "4.2", "Response times grow faster than the load.", claimtest.Holds, grow),
	}
	fmt.Printf("%s", claimtest.Markdown("section", claims, []float64{10, 15, 30}))
	// Output:
	// | | section | the paper says | outcome | found here |
	// |---|---|---|---|---|
	// | 1 | 4.2 | Response times grow faster than the load. | **holds** | By 5 s, then by 15 s. |
}
