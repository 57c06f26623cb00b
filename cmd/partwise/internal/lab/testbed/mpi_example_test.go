package testbed_test

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/testbed"
)

// What an application says that was given four nodes.
func ExampleParseResized() {
	nodes, r, err := testbed.ParseResized("resized 4 0.002 0.045 0.250 6000016")
	fmt.Printf("%d nodes after %.0f ms, of which the data took %.0f: %d bytes, %v\n", nodes, 1e3*r.Total(), 1e3*r.Data, r.Bytes, err)
	// Output: 4 nodes after 297 ms, of which the data took 45: 6000016 bytes, <nil>
}
