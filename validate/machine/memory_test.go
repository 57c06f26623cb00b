package machine_test

import (
	"context"
	"io"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
)

// endless gives the same pattern of jobs for ever, up to a number: no log is longer than what a machine has room for.
func endless(n int) workload.Source {
	stream := des.Seed(1).Stream()
	now, i := 0.0, 0
	return workload.SourceFunc(func(j *workload.Job) error {
		if i == n {
			return io.EOF
		}
		i++
		now += 100 * stream.Exp()
		run := 600 * stream.Exp()
		nodes := 1 + int(16*stream.Float64())
		*j = workload.Job{ID: i, Submit: now, Nodes: nodes, Run: run, Work: run * float64(nodes), Estimate: 3 * run}
		return nil
	})
}

// A run allocates what the jobs in the system at a time need, not what the log is long: ten times as many jobs, no more
// allocations to speak of.
func TestMemoryDoesNotGrowWithTheLog(t *testing.T) {
	for _, name := range []string{"fcfs", "easy", "conservative:early", "conservative:always", "conservative:never"} {
		allocs := func(n int) float64 {
			return testing.AllocsPerRun(1, func() {
				p, err := policy.Standard().Parse(name)
				if err != nil {
					t.Fatal(err)
				}
				c := machine.Config{Nodes: 100, Policy: p, Jobs: machine.Once(endless(n))}
				if _, err := machine.Run(context.Background(), c, des.Seed(1)); err != nil {
					t.Fatal(err)
				}
			})
		}
		if few, many := allocs(5_000), allocs(50_000); many > few+60 {
			t.Errorf("%s: %v allocations for 5000 jobs, %v for 50000", name, few, many)
		}
	}
}
