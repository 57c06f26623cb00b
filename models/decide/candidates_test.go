package decide_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

// Rigid jobs add fcfs, unless a method was chosen or its chain is too large; a policy without a chain is missing.
func TestCandidates(t *testing.T) {
	s := rigidExample(t, "0.5")
	usual, fcfs := policy.Candidates(s.Machine()), policy.FCFS{}
	withoutChain := *s
	withoutChain.Stops = models.ResizedStop
	for name, c := range map[string]struct {
		system  *models.System
		set     markov.Settings
		want    []policy.Policy
		missing policy.Policy
		why     error
	}{
		"resizable jobs":  {eightNodes(), markov.Settings{}, policy.Candidates(eightNodes().Machine()), nil, nil},
		"rigid jobs":      {s, markov.Settings{}, append(usual, fcfs), nil, nil},
		"a chosen method": {s, markov.Settings{Method: markov.SubtractionFree}, usual, nil, nil},
		"little memory":   {s, markov.Settings{Memory: markov.NewMemory(10)}, usual, fcfs, markov.ErrTooLarge},
		"no chain":        {&withoutChain, markov.Settings{}, append(policy.Statics(s.Machine()), fcfs), policy.Dynamic{}, models.ErrNoChain},
	} {
		got, missing := decide.Candidates(t.Context(), c.system, c.set)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if c.missing == nil && len(missing) > 0 ||
			c.missing != nil && (len(missing) != 1 || missing[0].Policy != c.missing || !errors.Is(missing[0], c.why)) {
			t.Errorf("%s: missing %v, want %v", name, missing, c.missing)
		}
	}
}
