package machinetest

import (
	"testing"

	"github.com/partwise/partwise/phasetype/phtest"
	"github.com/partwise/partwise/validate/des"
)

// Benchmark simulates a thousand jobs at a time, and reports events per second of processor time.
func Benchmark(b *testing.B, m des.Simulator, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
	var t des.Tally
	run := m.Start(des.Seed(1))
	b.ReportAllocs()
	begin := phtest.CPUSeconds()
	for b.Loop() {
		if err := run.Advance(1000, &t); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(t[des.Events]/(phtest.CPUSeconds()-begin), "events/cpu-s")
}
