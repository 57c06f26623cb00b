package input

import (
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// DefaultPolicies says what is solved without --policy.
const DefaultPolicies = "dynamic and every static:K"

// SelectPolicies reads the texts of --policy for the system of a model file. Without --policy a queue in Kendall's notation is solved
// as static:servers.
func SelectPolicies(inv *cli.Invocation, file *modelfile.Model, texts []string) (*policy.Selection, error) {
	switch {
	case len(texts) > 0:
	case file.Servers > 0:
		texts = []string{policy.Static{Partitions: file.Servers}.String()}
	default:
		texts = []string{policy.Dynamic{}.Name(), policy.EveryStatic}
	}
	return Select(inv, "--policy", file.System.Machine(), file.TimeUnit, texts...)
}

// SelectCompared is [SelectPolicies] for commands that solve chains. Without --policy it adds what [RigidPolicies] returns.
func SelectCompared(inv *cli.Invocation, file *modelfile.Model, texts []string, set markov.Settings) (*policy.Selection, error) {
	if len(texts) > 0 || file.Servers > 0 {
		return SelectPolicies(inv, file, texts)
	}
	texts = []string{policy.Dynamic{}.Name(), policy.EveryStatic}
	for _, p := range RigidPolicies(inv, file, set) {
		texts = append(texts, p.String())
	}
	return SelectPolicies(inv, file, texts)
}

// RigidPolicies returns what rigid jobs are compared by with dynamic and static partitioning: fcfs, if all jobs of the model say how many
// nodes they ask for. It is nothing, with a warning, if the chain of fcfs is too large. It is also nothing if a method was asked for that
// may not solve the chain.
func RigidPolicies(inv *cli.Invocation, file *modelfile.Model, set markov.Settings) []policy.Policy {
	fcfs := policy.FCFS{}
	if set.Method != markov.Auto || !file.System.Rigid() {
		return nil
	}
	set.Memory = inv.Memory
	if err := decide.CheckSize(inv.Context, file.System, fcfs, set); err != nil {
		inv.Warnf("%s is left out: %s", fcfs, fault.Plain(err))
		return nil
	}
	return []policy.Policy{fcfs}
}

// PolicyNotes returns what the names of policies in a picture mean, a sentence for each name with the parameter that it is
// written with.
func PolicyNotes(policies ...policy.Policy) (notes []string) {
	for _, p := range policies {
		name, summary, known := policy.Meaning(p)
		if note := name + ": " + summary; known && !slices.Contains(notes, note) {
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
