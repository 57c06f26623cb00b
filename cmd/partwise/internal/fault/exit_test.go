package fault_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
)

// TestUnstableSystemsHaveTheirExitCode: the error of a package that a policy cannot keep up has the exit code of unstable
// systems, also where a command passes it on as it is.
func TestUnstableSystemsHaveTheirExitCode(t *testing.T) {
	unstable := models.CheckStable(policy.FCFS{}, 2, 1)
	for _, err := range []error{unstable, fmt.Errorf("validate: fcfs: %w", unstable), fmt.Errorf("models: %w", markov.ErrUnstable)} {
		if code := fault.ExitCode(err); code != fault.ExitUnstable {
			t.Errorf("%v: exit code %d", err, code)
		}
	}
}

// TestGuideListsTheExitCodes: the guide explains the exit codes as the manual does.
func TestGuideListsTheExitCodes(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/guide.md")
	if err != nil {
		t.Fatal(err)
	}
	manual, err := os.ReadFile("../pages/manual.txt")
	if err != nil {
		t.Fatal(err)
	}
	codes, _, _ := strings.Cut(string(manual), "# ENVIRONMENT")
	rows := 0
	for line := range strings.Lines(codes) {
		if row := strings.ReplaceAll(line, "`", ""); strings.HasPrefix(row, "- ") {
			rows++
			if !strings.Contains(string(text), row) {
				t.Errorf("no row %q in the guide", row)
			}
		}
	}
	if rows != 10 {
		t.Errorf("%d exit codes", rows)
	}
}
