package phtest_test

import (
	"fmt"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/phtest"
	"pgregory.net/rapid"
)

// A property test draws distributions with rates over two decades; here is one of them.
func ExampleDist() {
	dists := rapid.Custom(func(t *rapid.T) phasetype.Dist { return phtest.Dist(t, 2) })
	d := dists.Example(1)
	fmt.Println(phtest.CheckSame(d, phasetype.Must(phasetype.Must(d.Scale(2)).Scale(0.5)), 1e-12))
	// Output: <nil>
}

func ExampleMAP() {
	processes := rapid.Custom(func(t *rapid.T) phasetype.MAP { return phtest.MAP(t, 2) })
	m := processes.Example(1)
	fmt.Printf("%.4f\n", m.Rate()*m.InterarrivalMoment(1))
	// Output: 1.0000
}

// Two representations of one distribution, and two distributions that differ.
func ExampleCheckSame() {
	a := phasetype.Must(phasetype.Exponential(1))
	double := phasetype.Must(phasetype.Mixture([]float64{1, 2}, []phasetype.Dist{a, a}))
	faster := phasetype.Must(phasetype.Exponential(1.01))
	fmt.Println(phtest.CheckSame(a, double, 1e-12))
	fmt.Println(phtest.CheckSame(a, faster, 1e-12) != nil)
	// Output:
	// <nil>
	// true
}
