package statespace_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
	"github.com/partwise/partwise/testdata/needs"
)

// TestIndexesOfOneSizeShareTheirLists: queues of one size read the same lists, also at the same time, and each has the
// matrices that it would have alone.
func TestIndexesOfOneSizeShareTheirLists(t *testing.T) {
	needs.Concurrency(t)
	const phases, most, queues = 3, 6, 8
	initial, exit := []float64{0.5, 0.3, 0.2}, []float64{1, 2, 3}
	indexes := make([]*statespace.StateIndex, queues)
	arrivals, departures := make([]*statespace.Sparse, queues), make([]*statespace.Sparse, queues)
	var all sync.WaitGroup
	for q := range queues {
		all.Go(func() {
			x := statespace.NewStateIndex(phases, most)
			indexes[q], arrivals[q], departures[q] = x, x.Arrival(most-1, initial), x.Departure(most, exit, nil)
		})
	}
	all.Wait()
	if again := statespace.NewStateIndex(phases, most); &again.At(most, 0)[0] != &statespace.NewStateIndex(phases, most).At(most, 0)[0] {
		t.Error("two indexes of one size have lists of their own")
	}
	if other := statespace.NewStateIndex(phases, most-1); &other.At(1, 0)[0] == &indexes[0].At(1, 0)[0] {
		t.Error("indexes of different sizes share a list")
	}
	for q := range queues {
		for i, m := range [][2]*statespace.Sparse{{arrivals[q], arrivals[0]}, {departures[q], departures[0]}} {
			if !slices.Equal(m[0].Col, m[1].Col) || !slices.Equal(m[0].Val, m[1].Val) {
				t.Errorf("queue %d: matrix %d differs from the matrix of queue 0", q, i)
			}
		}
	}
}
