package models

import (
	"context"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/internal/levels"
)

// SolveSparse solves a chain of rigid jobs by iteration, however small it is.
func SolveSparse(ctx context.Context, m Model, st markov.Settings) (Measures, error) {
	return m.(*rigid).solve(ctx, st, func(*rigidChainSize) bool { return false })
}

// RigidWaitTransforms solves the chain of a model under first come, first served. The function that it returns is the transform of
// P(W > t) of the jobs of a size at s. It makes the chain of the waiting time once for each size, and is for one goroutine.
func RigidWaitTransforms(ctx context.Context, m Model) (func(size int, s complex128) (complex128, error), error) {
	q := m.(*rigid).ownQueue()
	chain := &levels.Chain[rigidState]{Repeats: q.repeats(), Empty: q.empty(), Moves: q.settledMoves}
	sol, err := chain.Solve(ctx, true, markov.Settings{})
	if err != nil {
		return nil, err
	}
	waits := make(map[int]*rigidWait)
	return func(size int, s complex128) (complex128, error) {
		if waits[size] == nil {
			w, err := q.newRigidWait(ctx, size, chain, sol)
			if err != nil {
				return 0, err
			}
			waits[size] = w
		}
		return waits[size].at(ctx, s)
	}, nil
}

// RigidFactorialMoments returns E[Q(Q−1)] of the waiting jobs Q of each size under first come, first served.
func RigidFactorialMoments(ctx context.Context, m Model) ([]float64, error) {
	q := m.(*rigid).ownQueue()
	chain := &levels.Chain[rigidState]{Repeats: q.repeats(), Empty: q.empty(), Moves: q.settledMoves}
	sol, err := chain.Solve(ctx, true, markov.Settings{})
	if err != nil {
		return nil, err
	}
	all := make([]float64, len(q.Sizes))
	add := func(level, i int, weight func(behind float64) (first, second float64)) {
		s := chain.States(min(level, chain.Repeats))[i]
		first, second := weight(float64(s.behind(level)))
		for k, z := range q.Sizes {
			for j := range len(s.window) {
				all[k] += 2 * q.Likely(k, int(s.window[j])) * z.Share * first
			}
			all[k] += z.Share * z.Share * second
		}
	}
	for l := range chain.Repeats + 1 {
		for i, p := range sol.Level(l) {
			add(l, i, func(behind float64) (first, second float64) { return p * behind, p * behind * (behind - 1) })
		}
	}
	sums := sol.RepeatingMoments()
	for i := range sums[0] {
		add(chain.Repeats, i, func(behind float64) (first, second float64) {
			p, d, dd := sums[0][i], sums[1][i], sums[2][i]
			return behind*p + d, behind*(behind-1)*p + 2*behind*d + dd
		})
	}
	return all, nil
}
