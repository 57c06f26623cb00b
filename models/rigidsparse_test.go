package models

import (
	"context"

	"github.com/partwise/partwise/markov"
)

// SolveSparse solves a chain of rigid jobs by iteration, however small it is.
func SolveSparse(ctx context.Context, m Model, st markov.Settings) (Measures, error) {
	return m.(*rigid).solve(ctx, st, func(*rigidChainSize) bool { return false })
}

// RigidWaitTransform returns the transform of P(W > t) of the jobs of a size under first come, first served, at s.
func RigidWaitTransform(ctx context.Context, m Model, size int, s complex128) (complex128, error) {
	q := m.(*rigid).ownQueue()
	chain := &levelChain[rigidState]{Repeats: q.repeats(), Empty: q.empty(), Moves: q.settledMoves}
	sol, err := solveLevels(ctx, chain, true, markov.Settings{})
	if err != nil {
		return 0, err
	}
	w, err := q.newRigidWait(ctx, size, chain, sol)
	if err != nil {
		return 0, err
	}
	return w.at(ctx, s)
}
