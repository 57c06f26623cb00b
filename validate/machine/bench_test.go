package machine_test

import (
	"testing"

	"github.com/partwise/partwise/validate/internal/testcase"
	"github.com/partwise/partwise/validate/machine"
)

// BenchmarkDynamicN8 simulates equi-partitioning of eight nodes at load .7.
func BenchmarkDynamicN8(b *testing.B) {
	m, err := machine.New(testcase.Eight(0.02))
	testcase.Benchmark(b, m, err)
}
