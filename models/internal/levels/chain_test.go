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

// The blocks of regimes take more than their states: they are refused while states are found, too.
func TestStatesOfRegimesAreFoundInMemoryWithTheirBlocks(t *testing.T) {
	const phases = 1000
	visited := 0
	c := &levels.Chain[int]{Repeats: 100, Empty: []int{0}, MostPhases: levels.MostRegimePhases, Regime: func(int) int { return 0 }}
	c.Moves = func(level, s int, add func(by, to int, rate float64)) {
		visited++
		add(0, (s+1)%phases, 1)
		add(1, s, 1)
	}
	var refused *parallel.LimitError
	if _, err := c.Regimes(t.Context(), markov.NewMemory(64<<20)); !errors.As(err, &refused) {
		t.Errorf("blocks of more than 64 MiB: %v", err)
	}
	// Level l has k−l states when level 0 has k. Two square blocks for each of 100 levels take 64 MiB at k = 255.
	if most := 100 * (255 - 50); visited > most {
		t.Errorf("%d states were visited, the blocks of which take far more than 64 MiB", visited)
	}
}
