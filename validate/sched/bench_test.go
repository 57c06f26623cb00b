package machine_test

import (
	"context"
	"io"
	"testing"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/batch"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/internal/cputime"
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
			begin, rounds := cputime.Seconds(), 0
			for b.Loop() {
				rounds++
				m := batch.NewMetrics(c.nodes, nil)
				config := batch.Config{Nodes: c.nodes, Policy: policy(b, c.policy), Done: m.Add}
				config = batch.Estimating(config, workload.Logged{}, des.Seed(1))
				if _, err := batch.Run(context.Background(), config, batch.Jobs(jobs)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(1000*(cputime.Seconds()-begin)/float64(rounds), "cpu-ms/op")
		})
	}
}

// endless gives the same pattern of jobs for ever, up to a number: no log is longer than what a machine has room for.
func endless(n int) batch.Source {
	stream := des.Seed(1).Stream()
	now, i := 0.0, 0
	return batch.SourceFunc(func(q *batch.Request) error {
		if i == n {
			return io.EOF
		}
		i++
		now += 100 * stream.Exp()
		run := 600 * stream.Exp()
		*q = batch.Request{ID: i, Submit: now, Nodes: 1 + int(16*stream.Float64()), Run: run, Estimate: 3 * run}
		return nil
	})
}

// A run allocates what the jobs in the system at a time need, not what the log is long: ten times as many jobs, no more
// allocations to speak of.
func TestMemoryDoesNotGrowWithTheLog(t *testing.T) {
	for _, name := range rigid {
		allocs := func(n int) float64 {
			return testing.AllocsPerRun(1, func() {
				c := batch.Config{Nodes: 100, Policy: policy(t, name)}
				if _, err := batch.Run(context.Background(), c, endless(n)); err != nil {
					t.Fatal(err)
				}
			})
		}
		if few, many := allocs(5_000), allocs(50_000); many > few+60 {
			t.Errorf("%s: %v allocations for 5000 jobs, %v for 50000", name, few, many)
		}
	}
}
