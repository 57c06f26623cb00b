package phdraw_test

import (
	"fmt"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/phasetype/phdraw"
	"github.com/partwise/partwise/phasetype/phtest"
	_ "github.com/partwise/partwise/validate/draws"
	"pgregory.net/rapid"
)

// A property test draws distributions with rates over two decades; here is one of them.
func ExampleDist() {
	dists := rapid.Custom(func(t *rapid.T) phasetype.Dist { return phdraw.Dist(t, 2) })
	fmt.Println(phtest.Check(dists.Example(1)))
	// Output: <nil>
}

func ExampleMAP() {
	processes := rapid.Custom(func(t *rapid.T) phasetype.MAP { return phdraw.MAP(t, 2) })
	fmt.Println(phtest.CheckMAP(processes.Example(1)))
	// Output: <nil>
}
