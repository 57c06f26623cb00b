package machinetest

import (
	"testing"

	"github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
)

// Benchmark simulates a thousand jobs at a time, and reports events per second of processor time.
func Benchmark(b *testing.B, m simulation.Simulator, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
	var t simulation.Tally
	run := m.Start(des.Seed(1))
	b.ReportAllocs()
	begin := phtest.CPUSeconds()
	for b.Loop() {
		if err := run.Advance(1000, &t); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(t[simulation.Events]/(phtest.CPUSeconds()-begin), "events/cpu-s")
}
