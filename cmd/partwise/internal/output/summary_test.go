package output_test

import (
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// TestSummaryKeepsCommandsWhole: a command in a line of a sentence is never broken.
func TestSummaryKeepsCommandsWhole(t *testing.T) {
	command := output.CommandLine("partwise log " + strings.Repeat("long/", 20) + "log.swf --nodes 100")
	r := &output.Result{Short: []string{"Next: find out why jobs wait:\n" + command}}
	var b strings.Builder
	if err := r.Write(&b, output.Look{Summary: true}); err != nil {
		t.Fatal(err)
	}
	if want := "Next: find out why jobs wait:\n" + command + "\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
