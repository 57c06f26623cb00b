// This file finds the largest arrival rate at which a policy of rigid jobs is stable.

package models

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/markov"
)

// saturatedState is a state of a machine that never runs out of waiting jobs.
type saturatedState struct{ jobs, window string }

// unlimited is a number of jobs behind the window that never ends.
const unlimited = 1 << 30

// maxArrivalRate returns λ*, the departure rate of the saturated machine,
//
//	λ* = Σ_s π_s·(departure rate in s),
//
// with the stationary distribution π of the saturated machine over running jobs and windows. The queue is stable if and only if
// jobs arrive at a lower rate; the rest of the arrival process does not matter.
//
// The method is elimination without subtractions on the dense matrix of all saturated states, of order n³. The error wraps
// [markov.ErrTooLarge] if there are more than maxLevelPhases.
//
// References: P. H. Brill, L. Green, Queues in which customers receive simultaneous service from a random number of servers, Manage.
// Sci. 30 (1984) 51–68; A. Rumyantsev, E. Morozov, Stability criterion of a multiserver model with simultaneous service, Ann. Oper.
// Res. 252 (2017) 29–39.
func (q *rigidQueue) maxArrivalRate(ctx context.Context) (float64, error) {
	var start []saturatedState
	for _, o := range q.fill(noCounts(q.phases), "", unlimited) {
		start = append(start, saturatedState{o.jobs, o.window})
	}
	chain, states, err := markov.Explore(ctx, start, maxLevelPhases, func(s saturatedState, add func(saturatedState, float64), _ func(float64)) {
		q.serve(s.jobs, s.window, unlimited, func(_ int, jobs, window string, rate float64) {
			add(saturatedState{jobs, window}, rate)
		})
	})
	if err != nil {
		return 0, fmt.Errorf("models: saturated machine: %w", err)
	}
	pi, _, err := chain.Stationary(ctx)
	if err != nil {
		return 0, fmt.Errorf("models: saturated machine: %w", err)
	}
	rate := 0.0
	for i, s := range states {
		rate += pi[i] * q.departures(s.jobs)
	}
	return rate, nil
}

// departures returns the rate at which running jobs end.
func (q *rigidQueue) departures(jobs string) float64 {
	rate := 0.0
	for j := range q.phases {
		rate += float64(countAt(jobs, j)) * q.exit[j]
	}
	return rate
}
