package policy_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/partwise/partwise/testdata/phtest"
)

var update = flag.Bool("update", false, "rewrite the lists of docs/policies.md")

// TestPage holds docs/policies.md to the table; -update rewrites its lists.
func TestPage(t *testing.T) {
	var b strings.Builder
	var groups []string
	lists, said := map[string]string{}, map[string]bool{}
	for i := range table {
		e := &table[i]
		group := strings.TrimSuffix(fmt.Sprintf("%v; %v jobs; %s", e.RunsOn, e.Jobs, e.Source), "; ")
		if lists[group] == "" {
			groups = append(groups, group)
		}
		lists[group] += fmt.Sprintf("- `%s`: %s", e.Syntax(), e.Summary)
		if e.Means != "" && !said[group+e.Means] {
			lists[group] += "; parameter: " + e.Means
			said[group+e.Means] = true
		}
		lists[group] += "\n"
	}
	for _, group := range groups {
		b.WriteString("\n" + strings.ToUpper(group[:1]) + group[1:] + ":\n\n" + lists[group])
	}
	b.WriteString("\n")
	phtest.HoldPage(t, "../../docs/policies.md", "policies", b.String(), *update)
}
