package phtest_test

import (
	"fmt"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/phasetype/phtest"
	"pgregory.net/rapid"
)

// A property test draws distributions with rates over two decades; here is one of them.
func ExampleDist() {
	dists := rapid.Custom(func(t *rapid.T) phasetype.Dist { return phtest.Dist(t, 2) })
	fmt.Println(phtest.Check(dists.Example(1)))
	// Output: <nil>
}

func ExampleMAP() {
	processes := rapid.Custom(func(t *rapid.T) phasetype.MAP { return phtest.MAP(t, 2) })
	fmt.Println(phtest.CheckMAP(processes.Example(1)))
	// Output: <nil>
}
