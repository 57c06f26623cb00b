package solvecmd

import (
	"bytes"
	"context"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/progress"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// TestInterruptedPercentiles: an interruption is no problem of the percentiles, so that no warning speaks of it.
func TestInterruptedPercentiles(t *testing.T) {
	file, err := modelfile.Load("M/M/4", modelfile.Set{Path: "arrivals.load", Value: "0.7"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	solved, err := decide.Solve(ctx, file.System, []policy.Policy{policy.Static{Partitions: 4}}, markov.Settings{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	inv := &cli.Invocation{Context: ctx}
	var end func()
	inv.Reporter, end = progress.Begin(&stderr, false, "solve")
	cancel()
	for _, asked := range []bool{false, true} {
		if _, missing := percentilesOf(inv, solved.Results, asked); len(missing) > 0 {
			t.Errorf("missing: %v", missing)
		}
	}
	if end(); stderr.Len() > 0 {
		t.Errorf("said %q", &stderr)
	}
}
