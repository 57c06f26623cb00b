// This file finds the largest arrival rate at which a policy of rigid jobs is stable.

package models

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/internal/counts"
)

// unlimited is a number of jobs behind the window that never ends.
const unlimited = 1 << 30

// maxSaturatedStates bounds the states of the saturated machine. So many are found and solved in about a minute.
const maxSaturatedStates = 1 << 20

// maxArrivalRate returns λ*, the departure rate of the saturated machine,
//
//	λ* = Σ_s π_s·(departure rate in s),
//
// with the stationary distribution π of the saturated machine over running jobs and windows. The queue is stable if and only if
// jobs arrive at a lower rate; the rest of the arrival process does not matter. The chain is sparse, with its instantaneous
// states. In one of these, π is the number of visits per time. The error wraps [markov.ErrTooLarge] if there are more than
// maxSaturatedStates.
//
// References: P. H. Brill, L. Green, Queues in which customers receive simultaneous service from a random number of servers, Manage.
// Sci. 30 (1984) 51–68; A. Rumyantsev, E. Morozov, Stability criterion of a multiserver model with simultaneous service, Ann. Oper.
// Res. 252 (2017) 29–39.
func (q *rigidQueue) maxArrivalRate(ctx context.Context) (float64, error) {
	start := []rigidMachine{{jobs: counts.None(q.Phases)}}
	chain, states, err := markov.Explore(ctx, start, maxSaturatedStates,
		func(m rigidMachine, add func(rigidMachine, float64), _ func(float64)) {
			if q.instantaneous(m, unlimited) {
				q.settle(m, add)
				return
			}
			q.serve(m, func(_ int, to rigidMachine, rate float64) { add(to, rate) })
		})
	if err != nil {
		return 0, fmt.Errorf("models: saturated machine: %w", err)
	}
	pi, _, err := chain.Stationary(ctx)
	if err != nil {
		return 0, fmt.Errorf("models: saturated machine: %w", err)
	}
	rate, total := 0.0, 0.0
	for i, m := range states {
		if !q.instantaneous(m, unlimited) {
			total += pi[i]
			rate += pi[i] * q.Departures(m.jobs)
		}
	}
	return rate / total, nil
}
