package policy_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/partwise/partwise/phasetype/phtest"
)

var update = flag.Bool("update", false, "rewrite the table of docs/policies.md")

// TestPage holds docs/policies.md to the table; -update rewrites it.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("\n| policy | what it does | parameter | runs on | for jobs that are | described by |\n" +
		"|---|---|---|---|---|---|\n")
	for i := range table {
		e := &table[i]
		fmt.Fprintf(&b, "| `%s` | %s | %s | %v | %v | %s |\n", e.Syntax(), e.Summary, e.Means, e.RunsOn, e.Jobs, e.Source)
	}
	b.WriteString("\n")
	phtest.HoldPage(t, "../../docs/policies.md", "policies", b.String(), *update)
}
