package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestReadmeListsTheExitCodes: what the manual says of them is what the README says.
func TestReadmeListsTheExitCodes(t *testing.T) {
	text, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range exitCodes {
		if row := fmt.Sprintf("| %d | %s |\n", e.code, e.meaning); !strings.Contains(string(text), row) {
			t.Errorf("no row %q in the README", row)
		}
	}
}
