package machine_test

import (
	"testing"

	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/machine/machinetest"
)

// BenchmarkDynamicN8 simulates equi-partitioning of eight nodes at load .7.
func BenchmarkDynamicN8(b *testing.B) {
	m, err := machine.New(machinetest.Eight(0.02))
	machinetest.Benchmark(b, m, err)
}
