package models

import (
	"context"

	"github.com/partwise/partwise/markov"
)

// SolveSparse solves a chain of rigid jobs by iteration, however small it is.
func SolveSparse(ctx context.Context, m Model, st markov.Settings) (Measures, error) {
	return m.(*rigid).solve(ctx, st, func(*rigidChainSize) bool { return false })
}
