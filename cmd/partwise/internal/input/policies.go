package input

import (
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// DefaultPolicies says what is solved without --policy.
const DefaultPolicies = "dynamic and every static:K"

// SelectPolicies reads the texts of --policy for the system of a model file.
func SelectPolicies(inv *cli.Invocation, file *modelfile.Model, texts []string) (*policy.Selection, error) {
	if len(texts) == 0 {
		texts = []string{policy.Dynamic{}.Name(), policy.EveryStatic}
	}
	return Select(inv, "--policy", file.System.Machine(), file.TimeUnit, texts...)
}

// PolicyNotes returns what the names of policies in a picture mean, a sentence for each name with the parameter that it is
// written with.
func PolicyNotes(policies ...policy.Policy) (notes []string) {
	for _, p := range policies {
		entry, known := policy.Standard().Named(p.Name())
		name := entry.Name
		if _, written, ok := strings.Cut(p.String(), ":"); ok && !strings.Contains(entry.Parameter, "=") {
			name = entry.Syntax()
			if !strings.Contains(written, ",") {
				name, _, _ = strings.Cut(name, "[,")
			}
		}
		if note := name + ": " + entry.Summary; known && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	return notes
}

// Include adds what the requirements of the file speak of to what is solved.
func Include(asked *policy.Selection, file *modelfile.Model) {
	for i := range file.Require {
		asked.Add(file.Require[i].Needs(file.System.Machine())...)
	}
}
