package coscheduling_test

import (
	"context"
	"errors"
	"testing"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/validate/lab/internal/cluster"
	"github.com/partwise/partwise/validate/lab/internal/coscheduling"
)

// TestRunsThatHardlyEndAreRefused: by the longest time, by the node-seconds of the jobs, and by the number of jobs of a backlog,
// before anything is simulated.
func TestRunsThatHardlyEndAreRefused(t *testing.T) {
	for _, c := range []struct {
		load, dedicated, seconds float64
		jobs                     int
		tooMany                  bool
	}{
		{load: 1e-22, dedicated: 1, jobs: 10}, {load: .5, dedicated: 1e22, jobs: 10}, {load: .5, dedicated: 1e6, jobs: 100},
		{dedicated: 1, seconds: 1e22}, {dedicated: 1, seconds: 1e8}, {dedicated: 1e-5, seconds: 1000, tooMany: true},
	} {
		run := coscheduling.Run{Case: coscheduling.Paper(cluster.Mixes()[0])}
		run.Case.Load, run.Case.Jobs.Dedicated = c.load, c.dedicated
		_, err := coscheduling.Simulate(t.Context(), []coscheduling.Run{run}, coscheduling.Options{Replications: 1, Jobs: c.jobs, Seconds: c.seconds})
		if c.tooMany != parallel.IsShortOf(err, parallel.Memory) ||
			c.tooMany == (parallel.IsShortOf(err, parallel.Time) || parallel.IsShortOf(err, parallel.Clock)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestSimulationsThatTakeDaysAreRefused: each replication takes less than a day, all replications of all runs take more.
func TestSimulationsThatTakeDaysAreRefused(t *testing.T) {
	for _, load := range []float64{0, .5} {
		run := coscheduling.Run{Case: coscheduling.Paper(cluster.Mixes()[0])}
		run.Case.Load, run.Case.Jobs.Dedicated = load, 1e5
		o := coscheduling.Options{Replications: 50, Jobs: 100, Seconds: 1e6}
		runs := []coscheduling.Run{run, run}
		if _, err := coscheduling.Simulate(t.Context(), runs, o); !parallel.IsShortOf(err, parallel.Time) {
			t.Errorf("load %v: %v", load, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		o.Replications = 1
		if _, err := coscheduling.Simulate(ctx, runs[:1], o); !errors.Is(err, context.Canceled) {
			t.Errorf("load %v, one replication: %v", load, err)
		}
	}
}
