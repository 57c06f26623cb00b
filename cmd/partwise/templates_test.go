package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
)

// TestTemplatesUnderAllPolicies: whatever command is asked for a model that init prints, under whatever policy, it answers or refuses
// with an exit code that says why. An exit code of 1 would blame the program or its files.
func TestTemplatesUnderAllPolicies(t *testing.T) {
	needs.Long(t, "runs seven models under all policies by eight commands")
	t.Parallel()
	dir := t.TempDir()
	for _, template := range []string{"bursty", "goals", "gpu-training", "ips96-w1", "kubernetes", "mixed", "slurm"} {
		model := filepath.Join(dir, template+".yaml")
		text := runIn(t.Context(), "init", template)
		if err := os.WriteFile(model, text.stdout.Bytes(), 0o644); err != nil || text.code != fault.ExitOK {
			t.Fatalf("init %s: %v: %s", template, err, &text.stderr)
		}
		for _, e := range policy.Standard() {
			for _, line := range []string{"solve", "check", "report", "curve --load 0.3,0.6", "sweep --load 0.3", "breakeven --over load --steps 2",
				"simulate --precision 50% --replications 4", "simulate --fidelity machine --precision 50% --replications 4",
				"validate --precision 50% --replications 4"} {
				words := strings.Fields(line)
				args := append([]string{words[0], model, "--policy", e.Example, "--memory", "256MiB", "--quiet"}, words[1:]...)
				c := runIn(t.Context(), args...)
				if c.code == fault.ExitFailure || c.code != fault.ExitOK && c.stderr.Len() == 0 {
					t.Errorf("%v: exit code %d: %s", args, c.code, &c.stderr)
				}
			}
		}
	}
}
