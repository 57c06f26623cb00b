// Package blocktest runs the tests of packages whose results must not lie in storage that is used again.
package blocktest

import (
	"flag"

	"github.com/partwise/partwise/markov/internal/block"
)

// Run runs the tests of a package, such as a [testing.M], and returns the exit code. Storage that a solve gives back is NaN
// meanwhile: a solution that still reads such storage fails its tests. Benchmarks do not take the time.
func Run(tests interface{ Run() int }) (code int) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		block.SpoilReturned()
	}
	return tests.Run()
}
