package decide_test

import (
	"errors"
	"math"
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

// TestPoliciesWithoutChain: a sweep without policies solves those that have a chain. A sensitivity has the best static policy
// alone, with the same effects as beside dynamic partitioning, and names the policy without a chain.
func TestPoliciesWithoutChain(t *testing.T) {
	s := *rigidExample(t, "0.5")
	s.Stops = models.ResizedStop
	points, err := (&decide.Sweep{Series: []decide.Series{{Name: "no chain", System: &s}}}).Solve(t.Context())
	if err != nil || points[0].Err != nil || len(points[0].Decision.Results) != len(policy.Statics(s.Machine())) {
		t.Errorf("a sweep: %v, %v, %d policies", err, points[0].Err, len(points[0].Decision.Results))
	}
	alone, err := decide.Sensitivity(t.Context(), &s, markov.Settings{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var missing *decide.SolveError
	if len(alone.Warnings) == 0 || !errors.As(alone.Warnings[0], &missing) || missing.Policy != (policy.Dynamic{}) || !alone.StaticOnly {
		t.Errorf("static only: %v, warnings %v", alone.StaticOnly, alone.Warnings)
	}
	s.Stops = models.AllStop
	both, err := decide.Sensitivity(t.Context(), &s, markov.Settings{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	static := map[string]decide.Effect{}
	for _, e := range both.Effects {
		static[e.Parameter] = e
	}
	for i, e := range alone.Effects {
		known := static[e.Parameter]
		if !math.IsNaN(e.Dynamic) || !math.IsNaN(e.Ratio) || !(math.Abs(e.Static-known.Static) <= e.Error+known.Error) {
			t.Errorf("%s: %+v, beside dynamic partitioning %+v", e.Parameter, e, known)
		}
		if i > 0 && math.Abs(e.Static) > math.Abs(alone.Effects[i-1].Static) {
			t.Errorf("%s is not in order", e.Parameter)
		}
	}
	if len(alone.Effects) == 0 {
		t.Error("no effects")
	}
}

// TestSplitByChain: policies without a chain on any system, and without one on this system, are removed from a copy of the selection.
func TestSplitByChain(t *testing.T) {
	s := *rigidExample(t, "0.5")
	s.Stops = models.ResizedStop
	static := policy.Static{Partitions: 2}
	asked := &policy.Selection{Run: []policy.Policy{policy.Dynamic{}, static, policy.EASY{}}, Named: []policy.Policy{policy.Dynamic{}, policy.EASY{}}}
	chains, others := decide.SplitByChain(&s, policy.Standard(), asked)
	if !slices.Equal(chains.Run, []policy.Policy{static}) || len(chains.Named) > 0 ||
		!slices.Equal(others, []policy.Policy{policy.EASY{}, policy.Dynamic{}}) {
		t.Errorf("%+v and %v", chains, others)
	}
	if len(asked.Run) != 3 || len(asked.Named) != 2 {
		t.Errorf("the selection is now %+v", asked)
	}
}
