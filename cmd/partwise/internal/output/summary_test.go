package output

import (
	"strings"
	"testing"
)

// TestSummaryKeepsCommandsWhole: a command in a line of a sentence is never broken.
func TestSummaryKeepsCommandsWhole(t *testing.T) {
	command := CommandLine("partwise log " + strings.Repeat("long/", 20) + "log.swf --nodes 100")
	r := &Result{Short: []string{"Next: find out why jobs wait:\n" + command}}
	var b strings.Builder
	if err := r.writeSummary(&b); err != nil {
		t.Fatal(err)
	}
	if want := "Next: find out why jobs wait:\n" + command + "\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
