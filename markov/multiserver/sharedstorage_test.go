package multiserver_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/testdata/needs"
)

// TestSolvesShareNoNumbers: solves take their storage from each other and give it back, also when their context ends in the
// middle. Solutions at the same time, and beside solves that are canceled, are the same to the last bit.
func TestSolvesShareNoNumbers(t *testing.T) {
	queues := storageQueues(t)
	rounds := 3
	if needs.IsStudy() {
		rounds = 40
	}
	var want [][]reading
	var calls []int64 // of Err in a whole solve
	for _, q := range queues {
		counted, left := multiserver.EndsAfter(t.Context(), math.MaxInt64)
		sol, err := q.Solve(counted, markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		want, calls = append(want, drawnReadings(sol, q.Servers)), append(calls, math.MaxInt64-left())
	}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(3, uint64(i)))
			for range rounds {
				for k, q := range queues {
					canceled, _ := multiserver.EndsAfter(t.Context(), r.Int64N(calls[k]))
					if _, err := q.Solve(canceled, markov.Settings{}); err != nil && !errors.Is(err, context.Canceled) {
						t.Errorf("queue %d: %v", k, err)
					}
					sol, err := q.Solve(t.Context(), markov.Settings{})
					if err != nil {
						t.Errorf("queue %d: %v", k, err)
						continue
					}
					for j, got := range drawnReadings(sol, q.Servers) {
						if got != want[k][j] {
							t.Errorf("queue %d, %s: %v, alone %v", k, got.name, got, want[k][j])
						}
					}
				}
			}
		})
	}
	all.Wait()
}

// storageQueues returns queues that are solved in different ways: by modes, by modes that are improved because they cancel, by
// modes during switch-overs, with modulated arrivals, and by matrices.
func storageQueues(t *testing.T) []*multiserver.Queue {
	t.Helper()
	var improved *multiserver.Queue
	for k := uint64(0); improved == nil; k++ {
		q := cancelling(rand.New(rand.NewPCG(29, k)))
		if sol, err := q.Solve(t.Context(), markov.Settings{}); err == nil && sol.Improved() {
			improved = q
		}
	}
	modulated := &multiserver.Queue{Servers: 4, Service: []multiserver.Phases{erlang(3, 1)}}
	mmpp(modulated, 2, 0.8)
	list := []*multiserver.Queue{h2h(4, 6), improved, modulated}
	for _, q := range []*multiserver.Queue{h2h(4, 6), modulated} {
		switching := *q
		for range q.Servers {
			switching.OnArrival = append(switching.OnArrival, erlang(2, 0.01))
			switching.OnDeparture = append(switching.OnDeparture, erlang(2, 0.01))
		}
		switching.OnDeparture = switching.OnDeparture[1:]
		list = append(list, &switching)
	}
	for k := range 4 {
		list = append(list, drawn(20_000+k))
	}
	return list
}
