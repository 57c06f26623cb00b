package levels_test

import (
	"errors"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/internal/levels"
	"github.com/partwise/partwise/testdata/needs"
)

// Many levels of many states, of which none has come near the most phases of a level, are refused while they are found.
func TestStatesAreFoundInBoundedMemory(t *testing.T) {
	needs.Concurrency(t)
	const phases, moves = 1000, 10
	visited := 0
	c := &levels.Chain[int]{Repeats: 100_000, Empty: []int{0}, MostPhases: levels.MostRegimePhases, Regime: func(int) int { return 0 }}
	c.Moves = func(level, s int, add func(by, to int, rate float64)) {
		visited++
		for k := range moves {
			add(0, (s+k+1)%phases, 1)
		}
		add(1, s, 1)
	}
	var refused *parallel.LimitError
	if _, err := c.Regimes(t.Context(), markov.NewMemory(1<<20)); !errors.As(err, &refused) {
		t.Errorf("states of more than 1 MiB: %v", err)
	}
	if most := 1 << 20 / (16 * moves); visited > most {
		t.Errorf("%d states were visited, whose transitions alone take more than 1 MiB", visited)
	}
	if _, err := c.QBD(t.Context(), markov.NewMemory(1<<20)); !errors.Is(err, markov.ErrTooLarge) {
		t.Errorf("states of more than 1 MiB: %v", err)
	}
}
