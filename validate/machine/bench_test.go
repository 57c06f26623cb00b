package machine_test

import (
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/machine"
)

// BenchmarkN8, BenchmarkN32 and BenchmarkN128 simulate machines of 8, 32 and 128 nodes at load .7. Events are arrivals,
// departures and ends of repartitions.
func BenchmarkN8(b *testing.B)   { benchmark(b, 8) }
func BenchmarkN32(b *testing.B)  { benchmark(b, 32) }
func BenchmarkN128(b *testing.B) { benchmark(b, 128) }

func benchmark(b *testing.B, nodes int) {
	for name, change := range map[string]func(*machine.Config){
		"dynamic":      func(*machine.Config) {},
		"dynamic-free": func(c *machine.Config) { c.Costs = nil },
		"static":       func(c *machine.Config) { c.Policy = policy.Static{Partitions: nodes} },
		"static-free":  func(c *machine.Config) { c.Policy, c.Costs = policy.Static{Partitions: nodes}, nil },
	} {
		b.Run(name, func(b *testing.B) {
			c := machinetest.Nodes(nodes, 0.02)
			change(&c)
			m, err := machine.New(c)
			machinetest.Benchmark(b, m, err)
		})
	}
}
