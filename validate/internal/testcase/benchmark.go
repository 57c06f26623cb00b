package testcase

import (
	"testing"

	"github.com/partwise/partwise/phasetype/phtest"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/sim"
)

// Benchmark simulates a thousand jobs at a time, and reports events and jobs per second.
func Benchmark(b *testing.B, m sim.Simulator, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
	var t sim.Tally
	run := m.Start(des.Seed(1))
	b.ReportAllocs()
	begin := phtest.CPUSeconds()
	for b.Loop() {
		if err := run.Advance(1000, &t); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(t[sim.Events]/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(t[sim.Events]/(phtest.CPUSeconds()-begin), "events/cpu-s")
	b.ReportMetric(t[sim.Departed]/b.Elapsed().Seconds(), "jobs/s")
}
