package machine_test

import (
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/machine"
)

// BenchmarkN8 simulates eight nodes at load .7.
func BenchmarkN8(b *testing.B) {
	for name, change := range map[string]func(*machine.Config){
		"dynamic":      func(*machine.Config) {},
		"dynamic-free": func(c *machine.Config) { c.Costs = nil },
		"static":       func(c *machine.Config) { c.Policy = policy.Static{Partitions: 8} },
		"static-free":  func(c *machine.Config) { c.Policy, c.Costs = policy.Static{Partitions: 8}, nil },
	} {
		b.Run(name, func(b *testing.B) {
			c := machinetest.Eight(0.02)
			change(&c)
			m, err := machine.New(c)
			machinetest.Benchmark(b, m, err)
		})
	}
}
