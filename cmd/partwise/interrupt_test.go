package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
)

// call is what a command line came to.
type call struct {
	code           int
	stdout, stderr bytes.Buffer
}

// run executes one command line in this process, perhaps beside others, and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return partwise(policy.Standard()).Run(ctx, args, stdin, stdout, stderr)
}

// runIn runs a command line in this process.
func runIn(ctx context.Context, args ...string) *call {
	c := &call{}
	c.code = run(ctx, args, strings.NewReader(""), &c.stdout, &c.stderr)
	return c
}

func TestInterruptedCurveSaysThatItIsNotWhole(t *testing.T) {
	needs.Concurrency(t)
	t.Parallel()
	// Half a second is enough to read the study; its curve takes many.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(500*time.Millisecond, cancel)
	out := filepath.Join(t.TempDir(), "curve.csv")
	plot := filepath.Join(t.TempDir(), "curve.svg")
	c := runIn(ctx, "curve", "../../testdata/ips96/w1.yaml", "--load", "0.0002:0.98:0.0002", "--output", out, "--plot", plot)
	if c.code != fault.ExitInterrupted {
		t.Errorf("exit code %d, want %d: %s", c.code, fault.ExitInterrupted, &c.stderr)
	}
	for _, name := range []string{out, plot} {
		if _, err := os.Stat(name); !os.IsNotExist(err) {
			t.Errorf("%s exists after an interruption", name)
		}
	}
	if _, err := os.Stat(out + ".partial"); err != nil {
		t.Errorf("no partial result: %v", err)
	}
	if !strings.Contains(c.stderr.String(), "interrupted: ") {
		t.Errorf("stderr %q does not say so", &c.stderr)
	}
}

func TestInterruptedSimulationIsMarked(t *testing.T) {
	needs.Concurrency(t)
	t.Parallel()
	// Half a second is enough for the first results; the precision asked for would take hours.
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	canceled, stop := context.WithCancel(t.Context())
	defer stop()
	context.AfterFunc(ctx, stop)
	c := runIn(canceled, "simulate", "../../testdata/ips96/w1-sp2.yaml", "--policy", "dynamic", "--precision", "0.001%")
	if c.code != fault.ExitInterrupted {
		t.Errorf("exit code %d, want %d: %s", c.code, fault.ExitInterrupted, &c.stderr)
	}
	if s := c.stdout.String(); s != "" && !strings.Contains(s, `"interrupted": true`) {
		t.Errorf("a partial result is not marked: %s", s)
	}
}
