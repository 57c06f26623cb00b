package decide_test

import (
	"errors"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
)

// A chain that is too large hides neither the others nor what it takes, and no best is named that it might be.
func TestSolvePartly(t *testing.T) {
	s := eightNodes()
	wide := phasetype.Must(phasetype.Hyperexponential([]float64{0.4, 0.3, 0.3}, []float64{1, 2, 3}))
	for i := range s.Service {
		s.Service[i] = phasetype.Must(wide.Scale(s.Service[i].Mean() / wide.Mean()))
	}
	s, err := s.WithLoad(0.5)
	if err != nil {
		t.Fatal(err)
	}
	policies := policy.Candidates(s.Machine())
	set := markov.Settings{Memory: markov.NewMemory(60_000)}
	d, err := decide.SolvePartly(t.Context(), s, policies, set, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Results) == 0 || len(d.Failed) == 0 || len(d.Results)+len(d.Failed) != len(policies) {
		t.Fatalf("%d of %d policies solved, %d failed", len(d.Results), len(policies), len(d.Failed))
	}
	for _, f := range d.Failed {
		var size *parallel.LimitError
		if !errors.As(f, &size) || !errors.Is(f, markov.ErrTooLarge) || size.Takes <= size.Limit {
			t.Errorf("%v", f)
		}
	}
	if d.Best != nil || d.Ratio != 0 {
		t.Errorf("a best of %v, a ratio of %v", d.Best, d.Ratio)
	}
	if _, err := decide.Solve(t.Context(), s, policies, set, 1); !errors.Is(err, markov.ErrTooLarge) {
		t.Errorf("Solve: %v", err)
	}
	whole, err := decide.SolvePartly(t.Context(), s, policies, markov.Settings{}, 1)
	if err != nil || whole.Best == nil || len(whole.Failed) > 0 {
		t.Errorf("with all memory: %v, %v failed", err, whole.Failed)
	}
	set.Memory = markov.NewMemory(1)
	if _, err := decide.SolvePartly(t.Context(), s, policies, set, 1); !errors.Is(err, markov.ErrTooLarge) {
		t.Errorf("nothing solved: %v", err)
	}
}

// A policy without an exact chain hides the others no more than a chain that is too large does.
func TestSolvePartlyWithoutChain(t *testing.T) {
	s := eightNodes()
	policies := []policy.Policy{policy.Dynamic{}, policy.Candidates(s.Machine())[1], policy.Resize{Cooldown: 5}}
	s, err := s.WithLoad(0.5)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decide.Seconds(t.Context(), s, policies, markov.Settings{}); err != nil {
		t.Errorf("Seconds: %v", err)
	}
	d, err := decide.SolvePartly(t.Context(), s, policies, markov.Settings{}, 1)
	if err != nil || len(d.Results) != 2 || len(d.Failed) != 1 || !errors.Is(d.Failed[0], models.ErrNoChain) {
		t.Errorf("%d policies solved, failed: %v, %v", len(d.Results), d.Failed, err)
	}
	if _, err := decide.SolvePartly(t.Context(), s, policies[2:], markov.Settings{}, 1); !errors.Is(err, models.ErrNoChain) {
		t.Errorf("nothing solved: %v", err)
	}
}
