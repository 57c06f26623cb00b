package models_test

import (
	"errors"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

// A chain that is refused when it is solved is refused before, with the same estimates; one that is solved is not.
func TestCheckSize(t *testing.T) {
	h2 := must(phasetype.BalancedHyperexponential(1, 3))
	s := machine(64, must(phasetype.Renewal(h2)), h2, func(x float64) float64 { return x / (1 + 0.02*(x-1)) })
	s = must(s.WithLoad(0.5))
	for _, m := range []models.Model{&models.DEP{System: s}, &models.SP{System: s, Partitions: 64}} {
		for _, bytes := range []int64{1 << 20, 1 << 22, 1 << 26, 1 << 30} {
			set := markov.Settings{Memory: markov.NewMemory(bytes)}
			_, solved := m.Solve(t.Context(), set)
			seconds, checked := models.CheckSize(t.Context(), m, set)
			var size, again *parallel.LimitError
			if errors.As(solved, &size) != errors.As(checked, &again) || (size != nil && (*size != *again || size.Seconds <= 0)) {
				t.Errorf("%T in %d bytes: %v when solved, %v before", m, bytes, solved, checked)
			}
			if estimated := checked == nil && bytes < 1<<30; estimated != (seconds > 0) { // with 1 GiB it is small for certain
				t.Errorf("%T in %d bytes: %v, %v s", m, bytes, checked, seconds)
			}
		}
	}
	unstable := must(s.WithLoad(1.1))
	if _, err := models.CheckSize(t.Context(), &models.DEP{System: unstable}, markov.Settings{Memory: markov.NewMemory(1 << 20)}); err != nil {
		t.Errorf("an unstable system: %v", err)
	}
}

// A solve whose methods that fit are not accurate enough says how much memory the others need. With so much memory it succeeds or
// fails for another reason.
func TestAccuracyErrorsTellTheMemoryOfOtherMethods(t *testing.T) {
	needs.Long(t, "solves a queue of 1,771 occupancies")
	const limit = 530 << 20
	arrivals, service := must(phasetype.Erlang(3, 1)), must(phasetype.Erlang(4, 1))
	q := &multiserver.Queue{D0: must(phasetype.Renewal(arrivals)).D0(), D1: must(phasetype.Renewal(arrivals)).D1(), Servers: 20,
		Service: []multiserver.Phases{{Alpha: service.Alpha(), T: service.T()}}}
	_, err := q.Solve(t.Context(), markov.Settings{Memory: markov.NewMemory(limit)})
	var leftOut *parallel.LimitError
	if !errors.Is(err, markov.ErrInaccurate) || !errors.As(err, &leftOut) {
		t.Fatalf("%v", err)
	}
	if leftOut.Takes < limit || leftOut.All < leftOut.Takes || leftOut.Suffices() != "4.2GiB" {
		t.Errorf("%v: %g bytes, up to %g, %s suffice", err, leftOut.Takes, leftOut.All, leftOut.Suffices())
	}
}
