package machine_test

import (
	"testing"

	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/internal/cputime"
	"github.com/partwise/partwise/validate/internal/testcase"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sim"
)

// BenchmarkDynamicN8 simulates equi-partitioning of eight nodes at load .7.
func BenchmarkDynamicN8(b *testing.B) {
	m, err := machine.New(testcase.Eight(0.02))
	if err != nil {
		b.Fatal(err)
	}
	var t sim.Tally
	run := m.Start(des.Seed(1))
	b.ReportAllocs()
	begin := cputime.Seconds()
	for b.Loop() {
		if err := run.Advance(1000, &t); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(t[sim.Events]/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(t[sim.Events]/(cputime.Seconds()-begin), "events/cpu-s")
	b.ReportMetric(t[sim.Departed]/b.Elapsed().Seconds(), "jobs/s")
}
