package sched_test

import (
	"testing"

	"github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate/machine"
)

// BenchmarkReplay simulates whole logs with their metrics; reading them is not counted.
func BenchmarkReplay(b *testing.B) {
	for _, c := range []struct {
		name, log, policy string
		nodes             int
	}{
		{"KTH-28489-jobs/fcfs", kth, "fcfs", 100},
		{"KTH-28489-jobs/easy", kth, "easy", 100},
		{"KTH-28489-jobs/conservative", kth, "conservative:always", 100},
		{"CTC-77199-jobs/easy", ctc, "easy", 512},
		{"CTC-77199-jobs/conservative", ctc, "conservative:always", 512},
		{"SDSC-67620-jobs/easy", sdsc, "easy", 128},
		{"SDSC-67620-jobs/conservative", sdsc, "conservative:always", 128},
	} {
		b.Run(c.name, func(b *testing.B) {
			jobs := logged(b, c.log, c.nodes)
			b.ReportAllocs()
			begin, rounds := phtest.CPUSeconds(), 0
			for b.Loop() {
				rounds++
				config := machine.Config{Nodes: c.nodes, Policy: parsed(b, c.policy), Jobs: machine.List(jobs)}
				replay(b, config, "logged", false)
			}
			b.ReportMetric(1000*(phtest.CPUSeconds()-begin)/float64(rounds), "cpu-ms/op")
		})
	}
}

// BenchmarkLongQueue simulates jobs at several times the load of the machine, most of which wait.
func BenchmarkLongQueue(b *testing.B) {
	for _, c := range []struct {
		name, policy string
		jobs         int
	}{
		{"20000-jobs/easy", "easy", 20_000},
		{"200000-jobs/easy", "easy", 200_000},
		{"2000-jobs/conservative", "conservative", 2_000},
		{"8000-jobs/conservative:never", "conservative:never", 8_000},
	} {
		b.Run(c.name, func(b *testing.B) {
			jobs := overload(c.jobs, 256)
			for b.Loop() {
				replay(b, machine.Config{Nodes: 256, Policy: parsed(b, c.policy), Jobs: jobs}, "logged", false)
			}
		})
	}
}
