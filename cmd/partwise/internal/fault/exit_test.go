package fault_test

import (
	"os"
	"strings"
	"testing"
)

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
