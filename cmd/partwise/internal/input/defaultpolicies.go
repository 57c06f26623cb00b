package input

import (
	"errors"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
)

// DefaultPolicies says what is solved without --policy.
const DefaultPolicies = "dynamic and every static:K"

// SelectPolicies reads the texts of --policy for the system of a model file. Without --policy a queue in Kendall's
// notation is solved as static:servers.
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

// SelectCompared is [SelectPolicies] for commands that solve chains. Without --policy it selects what [Candidates] returns. A
// policy that --policy names must have an exact chain.
func SelectCompared(inv *cli.Invocation, file *modelfile.Model, texts []string, set markov.Settings) (*policy.Selection,
	[]output.LeftOut, error) {
	var left []output.LeftOut
	if len(texts) == 0 && file.Servers == 0 {
		var candidates []policy.Policy
		candidates, left = Candidates(inv, file, set)
		texts = words.Texts(candidates, policy.Policy.String)
	}
	asked, err := SelectPolicies(inv, file, texts)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range asked.Run {
		if _, err := file.System.Chain(p); errors.Is(err, models.ErrNoChain) && inv.RunsPolicies == policy.Chain {
			return nil, nil, MethodError(set.Method, &decide.SolveError{Policy: p, Err: err})
		}
	}
	return asked, left, nil
}

// Candidates returns the policies that are compared on a model unless the user names others, and the policies that are
// left out, see [decide.Candidates]. A warning names each of these. A command that simulates policies has those without
// an exact chain, too.
func Candidates(inv *cli.Invocation, file *modelfile.Model, set markov.Settings) (all []policy.Policy, left []output.LeftOut) {
	set.Memory = inv.Memory
	all, missing := decide.Candidates(inv.Context, file.System, set)
	for _, one := range missing {
		hasChain := !errors.Is(one, models.ErrNoChain)
		if !hasChain && inv.RunsPolicies&policy.WholeNodes != 0 { // it is simulated
			all = append(all, one.Policy)
			continue
		}
		reason := strings.TrimPrefix(fault.PlainWithin(one.Err), one.Policy.String()+": ")
		left = append(left, output.NewLeftOut(one.Policy, reason))
		if !hasChain {
			reason += "; " + simulated + " runs it"
		}
		inv.Warnf("%v is left out: %s", one.Policy, reason)
	}
	return all, left
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
