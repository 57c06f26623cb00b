package cli

import (
	"fmt"
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
	for _, e := range exitCodes {
		if row := fmt.Sprintf("- %d: %s\n", e.code, e.meaning); !strings.Contains(string(text), row) {
			t.Errorf("no row %q in the guide", row)
		}
	}
}
