package reduction_test

import (
	"flag"
	"os"
	"testing"

	"github.com/partwise/partwise/markov/internal/block"
)

// Storage that a solve gives back is NaN in all tests of this package: a solution that still reads it fails. Benchmarks
// do not take the time.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		block.SpoilReturned()
	}
	os.Exit(m.Run())
}
